# ruff: noqa
"""What Python's functions ask an object for: a number, a flag, a text, how it compares."""

import collections
import enum
import functools
import types

import numpy as np

N = [0]


def tick(*_, **__):
    N[0] += 1
    return N[0]


class Int:

    def __int__(self):
        return tick()


class Index:

    def __index__(self):
        return tick() % 3


class Float:

    def __float__(self):
        return float(tick())


class Bool:

    def __bool__(self):
        return tick() % 2 == 0


class Len:

    def __len__(self):
        return tick() % 4


class Repr:

    def __repr__(self):
        return str(tick())


class Str:

    def __str__(self):
        return str(tick())


class Bytes:

    def __bytes__(self):
        return bytes([tick() % 200])


class Eq:
    __hash__ = None

    def __eq__(self, o):
        return tick() % 3 == 0


class EqHash:

    def __eq__(self, o):
        return tick() % 3 == 0

    def __hash__(self):
        return 5


class Lt:

    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        return tick() % 3 == 0


class Round:

    def __round__(self, n=0):
        return tick()


class Trunc:

    def __trunc__(self):
        return tick()


class Floor:

    def __floor__(self):
        return tick()


class Ceil:

    def __ceil__(self):
        return tick()


class Complex:

    def __complex__(self):
        return complex(tick(), 0)


class Next:

    def __iter__(self):
        return self

    def __next__(self):
        if tick() % 4 == 0:
            raise StopIteration
        return N[0]


class Items:

    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return tick()


class Iter:

    def __iter__(self):
        return iter([tick(), 1])


class Hint:

    def __iter__(self):
        return iter([1, 2])

    def __length_hint__(self):
        return tick() % 3


class Add:

    def __add__(self, o):
        return tick()
    __radd__ = __add__


class Mod:

    def __rmod__(self, o):
        return str(tick())


class Call:

    def __call__(self, *a):
        return tick()


class Path:

    def __fspath__(self):
        return str(tick())


class Fmt:

    def __format__(self, spec):
        return spec + str(tick())


class Sub:

    def __rsub__(self, o):
        return tick()


class Div:

    def __rtruediv__(self, o):
        return tick()

    def __rdivmod__(self, o):
        return (tick(), 1)

    def __rfloordiv__(self, o):
        return tick()

    def __rpow__(self, o):
        return tick()


INT = Int()


INDEX = Index()


FLOAT = Float()


BOOL = Bool()


LEN = Len()


REPR = Repr()


STR = Str()


BYTES = Bytes()


EQ = Eq()


EQHASH = EqHash()


ROUND = Round()


TRUNC = Trunc()


FLOOR = Floor()


CEIL = Ceil()


COMPLEX = Complex()


NEXT = Next()


ITEMS = Items()


ITER = Iter()


HINT = Hint()


ADD = Add()


MOD = Mod()


CALL = Call()


PATH = Path()


FMT = Fmt()


SUB = Sub()


DIV = Div()


def map_percent_dunder(t):
    return '%d'.__mod__(INT)


class Eq5:

    def __eq__(self, o):
        return tick() % 5 == 0
    __hash__ = None


EQ5 = Eq5()


def map_in_range(t):
    return EQ5 in range(3)


def map_in_bytes(t):
    return INDEX in b'\x00'


def map_in_bytearray(t):
    return INDEX in bytearray(b'\x00')


def map_bytearray_append(t):
    b = bytearray()
    b.append(INDEX)
    return bytes(b)


def map_bytearray_extend(t):
    b = bytearray()
    b.extend(ITER)
    return bytes(b)


def map_bytearray_pop(t):
    b = bytearray(b'abcd')
    return b.pop(INDEX)


def map_bytearray_set(t):
    b = bytearray(b'abcd')
    b[0] = INDEX
    return bytes(b)


def map_bytearray_iadd(t):
    b = bytearray(b'a')
    b *= INDEX
    return bytes(b)


def map_sorted_reverse(t):
    return sorted([1, 2, 3], reverse=INDEX)


def map_sort_reverse(t):
    xs = [1, 2, 3]
    xs.sort(reverse=INDEX)
    return xs


def map_zip_strict(t):
    return len(list(zip([1], [2], strict=BOOL))) + N[0]


def map_to_bytes_signed(t):
    return (t.n.to_bytes(2, 'big', signed=BOOL), N[0])[0] + bytes([N[0] % 100])


def map_np_setslice(t):
    a = np.zeros(2)
    a[:] = FLOAT
    return a.tolist()


def map_np_setlist(t):
    a = np.zeros(2)
    a[:] = [FLOAT, 1]
    return a.tolist()


def map_repr_view(t):
    return f'{ {1: REPR}.values()}'


def map_repr_keys(t):
    return repr(KEYED.keys())


class KeyRepr:

    def __repr__(self):
        return str(tick())


KEYED = {KeyRepr(): 1}


def map_repr_shared_view(t):
    return repr(VALUES)


VALUES = {1: REPR}.values()


def map_repr_namespace(t):
    return str(NAMESPACE)


NAMESPACE = types.SimpleNamespace(a=REPR)


def map_repr_proxy(t):
    return str(PROXY)


PROXY = types.MappingProxyType({'a': REPR})


def map_repr_partial(t):
    return str(PARTIAL)[-5:]


PARTIAL = functools.partial(int, REPR)


def map_repr_chain(t):
    return str(collections.ChainMap({'a': REPR}))


class Odd(enum.Enum):
    A = Repr()


def map_repr_enum_in_list(t):
    return str([Odd.A])


def map_repr_enum_bang(t):
    return f'{Odd.A!r}'


def map_counter_most(t):
    return [k for k, _ in collections.Counter({'a': Lt(1), 'b': Lt(2), 'c': Lt(3)}).most_common()]


def map_counter_total(t):
    return collections.Counter({'a': ADD}).total()


def map_counter_add(t):
    return (collections.Counter({'a': Cnt()}) + collections.Counter({'a': Cnt()}))['a']


class Cnt:

    def __add__(self, o):
        return tick()
    __radd__ = __sub__ = __rsub__ = __add__

    def __gt__(self, o):
        return True

    def __lt__(self, o):
        return tick() % 2 == 0


def map_counter_or(t):
    return str((collections.Counter({'a': Cnt(), 'b': 1}) | collections.Counter({'a': 1}))['a'] == 1)


def map_counter_update(t):
    c = collections.Counter({'a': Cnt()})
    c.update({'a': 1})
    return c['a']


def map_counter_iadd(t):
    c = collections.Counter({'a': Cnt()})
    c += collections.Counter({'a': 1})
    return c['a']


def map_counter_take(t):
    c = collections.Counter({'a': Cnt()})
    c.update('a')
    return c['a']


def map_counter_pos(t):
    return len(+collections.Counter({'a': Gt(), 'b': Gt()}))


class Gt:

    def __gt__(self, o):
        return tick() % 3 == 0
