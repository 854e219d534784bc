# ruff: noqa
"""Operations without a call that are calls: the special methods of the user's classes."""

import copy
import dataclasses
import math
import operator
import pickle
import sys

LOG = []


def tick():
    LOG.append(1)
    return len(LOG)


class Counting:
    """Every operation on it counts."""

    def __init__(self):
        self.n = 0

    def _count(self, *others):
        self.n += 1
        return self.n

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _count
    __floordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _count
    __lshift__ = __rshift__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _count
    __neg__ = __pos__ = __abs__ = __invert__ = __round__ = __trunc__ = __ceil__ = _count
    __floor__ = __len__ = __length_hint__ = __getitem__ = __call__ = __index__ = __int__ = _count
    __lt__ = __gt__ = __le__ = __ge__ = __eq__ = __ne__ = _count
    __sizeof__ = _count

    def __hash__(self):
        return self._count()

    def __float__(self):
        return float(self._count())

    def __complex__(self):
        return complex(self._count())

    def __bool__(self):
        return self._count() % 3 == 0

    def __str__(self):
        return f"<{self._count()}>"

    def __repr__(self):
        return f"[{self._count()}]"

    def __format__(self, spec):
        return spec + str(self._count())

    def __bytes__(self):
        return bytes([self._count()])

    def __contains__(self, x):
        return self._count() % 3 == 0

    def __iter__(self):
        return iter([self._count()])

    def __reversed__(self):
        return iter([self._count()])

    def __divmod__(self, other):
        return (self._count(), 0)

    def __dir__(self):
        return ["x"] * self._count()

    def __enter__(self):
        return self._count()

    def __exit__(self, *why):
        return False

    def __copy__(self):
        return self._count()

    def __deepcopy__(self, memo):
        return self._count()

    def __setitem__(self, k, v):
        self._count()

    def __delitem__(self, k):
        self._count()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._count()


C = Counting()


def map_add(t):
    return C + t.n


def map_radd(t):
    return t.n + C


def map_sub(t):
    return C - 1


def map_rsub(t):
    return t.n - C


def map_mul(t):
    return C * t.n


def map_rmul(t):
    return t.xs * C if t.n < 0 else t.n * C


def map_truediv(t):
    return C / 2


def map_floordiv(t):
    return C // 2


def map_mod(t):
    return C % 2


def map_rmod(t):
    return t.n % C


def map_percent_format(t):
    return "%s" % C


def map_percent_format_tuple(t):
    return "%s-%s" % (t.n, C)


def map_pow(t):
    return C ** 2


def map_matmul(t):
    return C @ t.n


def map_rmatmul(t):
    return t.n @ C


def map_shift(t):
    return C << 1


def map_and_or_xor(t):
    return (C & 1, C | 1, C ^ 1)


def map_neg(t):
    return -C


def map_invert(t):
    return ~C


def map_abs(t):
    return abs(C)


def map_round(t):
    return round(C)


def map_trunc(t):
    return math.trunc(C)


def map_ceil_floor(t):
    return math.ceil(C) + math.floor(C)


def map_len(t):
    return len(C)


def map_getitem(t):
    return C[t.n]


def map_slice(t):
    return C[1:2]


def map_called(t):
    return C()


def map_index_in_list(t):
    return list(range(100))[C]


def map_range(t):
    return len(range(C))


def map_int(t):
    return int(C)


def map_float(t):
    return float(C)


def map_complex(t):
    return complex(C)


def map_hash(t):
    return hash(C)


def map_key_of_dict(t):
    return len({C: 1, **{C: 2}}) + hash(C)


def map_str(t):
    return str(C)


def map_repr(t):
    return repr(C)


def map_ascii(t):
    return ascii(C)


def map_format(t):
    return format(C, "x")


def map_f_string(t):
    return f"{C}"


def map_f_string_repr(t):
    return f"{C!r}"


def map_f_string_spec(t):
    return f"{t.n:{C}}" if t.n < 0 else f"{C:>}"


def map_str_format(t):
    return "{0} {1}".format(t.n, C)


def map_str_format_attribute(t):
    return "{0.anything}".format(C)


def map_bytes(t):
    return bytes(C)


def map_bool(t):
    return 1 if C else 0


def map_and(t):
    return (C and 1) == 1


def map_not(t):
    return not C


def map_while(t):
    rounds = 0
    while not C:
        rounds += 1
        if rounds == 2:
            break
    return rounds


def map_assert(t):
    try:
        assert C
    except AssertionError:
        return 0
    return 1


def map_any(t):
    return any([C])


def map_filter_none(t):
    return len(list(filter(None, [C])))


def map_comprehension_condition(t):
    return [x for x in t.xs[:2] if C]


def filter_itself(t):
    return C


def map_in(t):
    return t.n in C


def map_iter(t):
    return [x for x in C]


def map_star(t):
    return [*C]


def map_unpack(t):
    [x] = C
    return x


def flat_map_itself(t):
    return C


def flat_map_yield_from(t):
    yield from C


def map_sum_of_iter(t):
    return sum(C)


def map_max_of_iter(t):
    return max(C)


def map_list_of_iter(t):
    return list(C)


def map_tuple_set_sorted(t):
    return (tuple(C), sorted(C))


def map_extend(t):
    found = [0]
    found.extend(C)
    return found


def map_iadd_of_list(t):
    found = [0]
    found += C
    return found


def map_zip(t):
    return list(zip(t.xs, C))


def map_enumerate(t):
    return list(enumerate(C))


def map_join_of_iter(t):
    return "".join(str(x) for x in C)


def map_reversed(t):
    return list(reversed(C))


def map_divmod(t):
    return divmod(C, 2)


def map_dir(t):
    return len(dir(C))


def map_with(t):
    with C as x:
        return x


def map_copy(t):
    return copy.copy(C)


def map_deepcopy(t):
    return copy.deepcopy(C)


def map_eq(t):
    return C == t.n


def map_ne(t):
    return t.n != C


def map_lt(t):
    return C < 5


def map_chained_comparison(t):
    return 0 < C


def map_min_of_two(t):
    return (min([C, C]) is C) + int(C)


def map_sorted_objects(t):
    return len(sorted([C, C, C])) + int(C)


def map_list_count(t):
    return [t.n, 5].count(C) + len(C)


def map_in_list_by_eq(t):
    return (C in [1, 2]) + len(C)


def map_setitem(t):
    C[t.n] = 1
    return C.n


def map_delitem(t):
    del C[t.n]
    return C.n


def map_missing_attribute(t):
    return C.whatever


def map_getattr_default(t):
    return getattr(C, "whatever", 0)


def map_hasattr(t):
    return hasattr(C, "whatever") + C.n


def map_sizeof(t):
    return sys.getsizeof(C)


def map_operator_module(t):
    return operator.add(C, 1)


def map_operator_length_hint(t):
    return operator.length_hint(C)


def map_operator_index(t):
    return operator.index(C)


def map_attrgetter(t):
    return operator.attrgetter("whatever")(C)


def map_itemgetter(t):
    return operator.itemgetter(0)(C)


def map_conditional_expression_operand(t):
    x = C if t.n >= 0 else 1
    return x + 1


def map_operand_from_list(t):
    return [C][0] + 1


def map_operand_from_loop(t):
    for x in (C,):
        return x * 2


def map_operand_of_lambda(t):
    return (lambda a, b: a + b)(C, 1)


def map_sum_of_objects(t):
    return sum([C])


def map_str_mod_in_container(t):
    return str([C])


def map_repr_of_nested(t):
    return f"{(t.n, C)}"


def map_print_like(t):
    return " ".join(map(str, [t.n, C]))


class Adding:
    """In-place operators change the object on the left."""

    def __init__(self):
        self.total = 0

    def __iadd__(self, x):
        self.total += x
        return self

    def __ior__(self, x):
        self.total |= x
        return self

    def __imatmul__(self, x):
        self.total += 2
        return self


A = Adding()


def map_iadd_of_alias(t):
    a = A
    a += t.n
    return a.total


def map_ior_of_alias(t):
    a = A
    a |= t.n
    return a.total


def map_imatmul_of_alias(t):
    a = A
    a @= t.n
    return a.total


def map_iadd_through_operator(t):
    return operator.iadd(A, t.n).total


class Local:
    """Made for each item, and counts outside of it."""

    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return self.n + tick()

    def __eq__(self, other):
        return tick() % 2 == 0

    def __hash__(self):
        return tick()

    def __lt__(self, other):
        return tick() % 2 == 0

    def __str__(self):
        return str(tick())

    def __bool__(self):
        return tick() % 3 == 0

    def __len__(self):
        return tick()

    def __iter__(self):
        yield tick()

    def __call__(self):
        return tick()

    def __getitem__(self, key):
        return tick()

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value + tick())

    def __reduce__(self):
        return (int, (tick(),))

    def __neg__(self):
        return tick()


def map_local_add(t):
    return Local(t.n) + 1


def map_local_eq(t):
    return Local(1) == Local(1)


def map_local_hash(t):
    return hash(Local(1))


def map_local_in_set(t):
    return len({Local(1), Local(1)}) + len(LOG)


def map_local_sorted(t):
    return [x.n for x in sorted([Local(1), Local(2), Local(3)])]


def map_local_str(t):
    return f"{Local(1)}"


def map_local_bool(t):
    return bool(Local(1))


def map_local_len(t):
    return len(Local(1))


def map_local_iter(t):
    return list(Local(1))


def map_local_call(t):
    return Local(1)()


def map_local_getitem(t):
    return Local(1)[0]


def map_local_setattr(t):
    x = Local(1)
    return x.n


def map_local_reduce(t):
    return pickle.loads(pickle.dumps(Local(1)))


def map_local_copy_by_reduce(t):
    return copy.copy(Local(1))


def map_local_neg(t):
    return -Local(1)


class Dying:
    def __del__(self):
        tick()


def map_del(t):
    Dying()
    return len(LOG)


def map_del_statement(t):
    x = Dying()
    del x
    return len(LOG)


def map_del_by_rebinding(t):
    x = Dying()
    x = None
    return len(LOG)


class Base:
    names = []

    def __init_subclass__(cls, **kwargs):
        Base.names.append(cls.__name__)


def map_init_subclass(t):
    class Made(Base):
        pass
    return len(Base.names)


class Generic:
    asked = []

    def __class_getitem__(cls, item):
        cls.asked.append(item)
        return len(cls.asked)


def map_class_getitem(t):
    return Generic[t.n]


class Named:
    def __set_name__(self, owner, name):
        LOG.append(name)


def map_set_name(t):
    class Made:
        field = Named()
    return len(LOG)


class Meta(type):
    made = 0

    def __instancecheck__(cls, x):
        Meta.made += 1
        return Meta.made % 3 == 0

    def __subclasscheck__(cls, x):
        Meta.made += 1
        return Meta.made % 3 == 0

    def __call__(cls, *args):
        Meta.made += 1
        return Meta.made

    def __iter__(cls):
        Meta.made += 1
        return iter([Meta.made])

    def __contains__(cls, x):
        Meta.made += 1
        return Meta.made % 3 == 0

    def __len__(cls):
        Meta.made += 1
        return Meta.made

    def __getitem__(cls, key):
        Meta.made += 1
        return Meta.made

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        Meta.made += 1
        return Meta.made

    @classmethod
    def __prepare__(meta, name, bases):
        Meta.made += 1
        return {"number": Meta.made}


class Checked(metaclass=Meta):
    pass


def map_isinstance(t):
    return isinstance(t, Checked)


def map_isinstance_of_tuple(t):
    return isinstance(t.n, (str, Checked))


def map_issubclass(t):
    return issubclass(int, Checked)


def map_meta_call(t):
    return Checked()


def map_meta_iter(t):
    return [x for x in Checked]


def map_meta_contains(t):
    return t.n in Checked


def map_meta_len(t):
    return len(Checked)


def map_meta_getitem(t):
    return Checked[0]


def map_meta_getattr(t):
    return Checked.anything


def map_meta_prepare(t):
    class Made(metaclass=Meta):
        pass
    return Made.number


def map_match_class(t):
    match t.n:
        case Checked():
            return 1
        case _:
            return 0


def map_except_class(t):
    class Caught(Exception):
        pass
    return isinstance(ValueError(), (Caught, Checked))


class Point:
    __match_args__ = ("x",)

    def __init__(self, n):
        self.n = n

    @property
    def x(self):
        return tick()


def map_match_args(t):
    match Point(t.n):
        case Point(found):
            return found


def map_match_attribute(t):
    match Point(t.n):
        case Point(x=found):
            return found


class Equal:
    def __eq__(self, other):
        return tick() % 3 == 0


class Constants:
    WANTED = Equal()


def map_match_value(t):
    match t.n:
        case Constants.WANTED:
            return 1
    return 0


class Sized:
    def __len__(self):
        return tick() % 3 + 1

    def __getitem__(self, i):
        return i


import collections.abc

collections.abc.Sequence.register(Sized)


def map_match_sequence(t):
    match Sized():
        case [_]:
            return 1
        case [_, _]:
            return 2
    return 3


class Hooked(collections.abc.Hashable):
    pass


class Duck(type):
    pass


import abc


class Quacks(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        LOG.append(other)
        return len(LOG) % 2 == 0


def map_subclasshook(t):
    class Fresh:
        pass
    return isinstance(Fresh(), Quacks)


class Everything:
    def __getattribute__(self, name):
        LOG.append(name)
        return len(LOG)


E = Everything()


def map_getattribute(t):
    return E.anything


def map_getattribute_of_local(t):
    return Everything().whatever


class Single:
    made = 0

    def __new__(cls, *args):
        cls.made += 1
        self = object.__new__(cls)
        self.number = cls.made
        return self


def map_new(t):
    return Single(t.n).number


class Initial:
    def __init__(self):
        self.number = tick()


def map_init(t):
    return Initial().number


@dataclasses.dataclass
class Posted:
    a: int

    def __post_init__(self):
        self.a += tick()


def map_post_init(t):
    return Posted(t.n).a


def map_dataclass_replace(t):
    return dataclasses.replace(Posted(1), a=2).a


class Awaited:
    def __next__(self):
        return tick()

    def __iter__(self):
        return self


NEXT = Awaited()


def map_next(t):
    return next(NEXT)


def map_for_over_next(t):
    for x in NEXT:
        return x


def map_zip_over_next(t):
    return list(zip([1, 2], NEXT))


def map_unpack_from_next(t):
    a, b, *_ = zip((1, 2, 3), NEXT)
    return b


class Lazy(dict):
    def __missing__(self, key):
        self[key] = len(self)
        return self[key]


LAZY = Lazy()


def map_missing(t):
    return LAZY[t.word]


def map_missing_through_format_map(t):
    return "{" + t.word + "}" if t.n < 0 else ("{%s}" % t.word).format_map(LAZY)


def map_missing_through_percent(t):
    return ("%%(%s)s" % t.word) % LAZY


def map_missing_through_translate(t):
    return t.word.translate(Codes())


class Codes(dict):
    seen = {}

    def __missing__(self, code):
        return 97 + self.seen.setdefault(code, len(self.seen)) % 26


def map_translate(t):
    return t.word.translate(Codes())


class Path:
    def __fspath__(self):
        return f"/{tick()}"


def map_fspath(t):
    import os
    return os.fspath(Path())


class Ordered:
    def __init__(self, n):
        self.n = n

    def __gt__(self, other):
        return tick() % 2 == 0

    def __lt__(self, other):
        return tick() % 3 == 0


def map_max_of_objects(t):
    return max([Ordered(1), Ordered(2)]).n


def map_list_sort_of_objects(t):
    made = [Ordered(1), Ordered(2), Ordered(3)]
    made.sort()
    return [x.n for x in made]


def map_tuple_comparison(t):
    return (1, Ordered(1)) < (1, Ordered(2))


def map_list_index_by_eq(t):
    try:
        return [Equal(), Equal()].index(3)
    except ValueError:
        return -1


def map_list_remove_by_eq(t):
    found = [Equal(), Equal(), Equal()]
    try:
        found.remove(3)
    except ValueError:
        return 0
    return len(found) + len(LOG)


def map_tuple_equality(t):
    return (1, Equal()) == (1, 2)


def map_dict_equality(t):
    return {"a": Equal()} == {"a": 2}
