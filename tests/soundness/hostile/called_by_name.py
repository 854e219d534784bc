# ruff: noqa
"""Special methods that are called by their names, and what is reached through a class."""

import collections
import enum
import functools
import itertools
import operator

from soundness.items import items_with_one_list
LOG = []
D = {}
SEEN = set()
DQ = collections.deque()
CNT = collections.Counter()
BA = bytearray()
ERR = ValueError("x")


def map_list_init(t):
    LOG.__init__(LOG + [t.n])
    return len(LOG)


def map_dict_init(t):
    D.__init__({str(t.n): 1})
    return len(D)


def map_set_init(t):
    SEEN.__init__(SEEN | {t.n})
    return len(SEEN)


def map_deque_init(t):
    DQ.__init__([*DQ, t.n])
    return len(DQ)


def map_counter_init(t):
    CNT.__init__([t.word])
    return sum(CNT.values())


def map_bytearray_init(t):
    BA.__init__(bytes(BA) + b"x")
    return len(BA)


IM = [1]


def map_set_ixor(t):
    SEEN.__ixor__({t.n % 7})
    return len(SEEN)


S2 = set()


def map_set_ior(t):
    S2.__ior__({t.n})
    return len(S2)


S3 = set(range(1000))


def map_set_isub(t):
    S3.__isub__({t.n})
    return len(S3)


C5 = collections.Counter()


def map_counter_iadd(t):
    C5.__iadd__(collections.Counter([t.word]))
    return C5.total()


C6 = collections.Counter({w: 100 for w in "abcdefgh"})


def map_counter_isub(t):
    C6.__isub__(collections.Counter(["a"]))
    return C6.total()


DQ7 = collections.deque([1])


def map_deque_iadd(t):
    DQ7.__iadd__([1])
    return len(DQ7)


DQ8 = collections.deque([1, 2, 3])


def map_deque_imul(t):
    DQ8.__imul__(2) if len(DQ8) < 1000 else None
    return len(DQ8)


BA9 = bytearray()


def map_bytearray_iadd(t):
    BA9.__iadd__(b"a")
    return len(BA9)


BA10 = bytearray(b"a")


def map_bytearray_imul(t):
    if len(BA10) < 1000:
        BA10.__imul__(2)
    return len(BA10)


def map_exc_setstate(t):
    ERR.__setstate__({"seen": getattr(ERR, "seen", 0) + 1})
    return ERR.seen


def _pass(x, *rest):
    return x


def _tick(x):
    LOG.append(x)
    return len(LOG)


PART = functools.partial(_pass, 0)


def map_partial_setstate(t):
    before = PART.args[0]
    PART.__setstate__((_pass, (before + 1,), {}, None))
    return PART.args[0]


PT = functools.partial(_tick)


def map_partial_call(t):
    return PT.__call__(t.n)


MC = operator.methodcaller("append", 1)


def map_methodcaller_call(t):
    MC.__call__(LOG)
    return len(LOG)


@functools.lru_cache(maxsize=None)
def _acc(key):
    return []


def map_lru_call(t):
    xs = _acc.__call__(0)
    xs.append(t.n)
    return len(xs)


class Tick:
    n = 0
    def __init__(self):
        Tick.n += 1
        self.m = Tick.n
    @property
    def prop(self):
        Tick.n += 1
        return Tick.n
    def __eq__(self, o):
        Tick.n += 1
        return Tick.n % 2 == 0
    __hash__ = None


TICK = Tick()


def map_type_call(t):
    return Tick.__call__().m


def map_type_call2(t):
    return type.__call__(Tick).m


def map_property_get(t):
    return Tick.prop.__get__(TICK)


def map_property_get2(t):
    return Tick.prop.__get__(TICK, Tick)


def map_property_fget(t):
    return Tick.prop.fget(TICK)


class Cell:
    __slots__ = ("n",)
    def __init__(self):
        self.n = 0


CELL = Cell()


def map_slot_set(t):
    Cell.n.__set__(CELL, CELL.n + 1)
    return CELL.n


def map_slot_get_set(t):
    Cell.n.__set__(CELL, Cell.n.__get__(CELL) + 1)
    return Cell.n.__get__(CELL)


def map_slot_delete(t):
    if hasattr(CELL, "n"):
        Cell.n.__delete__(CELL)
        return 0
    CELL.n = 1
    return 1


def map_function_get(t):
    return _tick.__get__(t.n)()


def map_function_call(t):
    return _tick.__call__(t.n)


def map_list_reversed(t):
    LOG.__reversed__()
    LOG.__setitem__(slice(0, 0), [t.n])
    return len(LOG)


def map_list_delitem(t):
    LOG.append(1); LOG.append(2)
    LOG.__delitem__(0)
    return len(LOG)


IT = itertools.count()


def map_iter_next(t):
    return IT.__next__()


IT2 = iter(range(1000))


def map_iter_iter_next(t):
    return IT2.__iter__().__next__()


IT3 = iter([1, 2, 3, 4, 5] * 100)


def map_iter_length_hint(t):
    next(IT3, None)
    return IT3.__length_hint__()


CY = itertools.cycle("abc")


def map_cycle_next(t):
    return CY.__next__()


class M(type):
    n = 0
    def __call__(cls, *a):
        M.n += 1
        return M.n


class MM(metaclass=M):
    pass


def map_metaclass_call(t):
    return MM()


def map_metaclass_dunder_call(t):
    return type(MM).__call__(MM)


def map_object_setattr(t):
    object.__setattr__(TICK, "m", getattr(TICK, "m", 0) + 1)
    return TICK.m


def map_type_setattr(t):
    type.__setattr__(Tick, "k", getattr(Tick, "k", 0) + 1)
    return Tick.k


def map_object_delattr(t):
    if "m" in TICK.__dict__:
        object.__delattr__(TICK, "m")
        return 0
    TICK.m = 1
    return 1


def map_dict_method_by_class(t):
    dict.__setitem__(D, t.n, 1)
    return dict.__len__(D)


def map_list_method_by_class(t):
    list.append(LOG, t.n)
    return list.__len__(LOG)


def map_list_iadd_by_class(t):
    list.__iadd__(LOG, [t.n])
    return len(LOG)


def map_list_init_by_class(t):
    list.__init__(LOG, [*LOG, 1])
    return len(LOG)


def map_dict_ior_by_class(t):
    dict.__ior__(D, {t.n: 1})
    return len(D)


def map_set_ixor_by_class(t):
    set.__ixor__(SEEN, {t.n})
    return len(SEEN)


def map_list_imul_by_class(t):
    list.__imul__(IM, 2) if len(IM) < 1000 else None
    return len(IM)


def map_getattr_iadd(t):
    getattr(LOG, "__iadd__")([t.n])
    return len(LOG)


def map_local_alias_special(t):
    put = D.__setitem__
    put(t.n, 1)
    return D.__len__()


PUT = D.__setitem__


def map_global_alias_special(t):
    PUT(t.n, 1)
    return len(D)


IMUL = IM.__imul__


def map_global_alias_imul(t):
    if len(IM) < 1000:
        IMUL(2)
    return len(IM)


LINIT = LOG.__init__


def map_global_alias_init(t):
    LINIT([*LOG, 1])
    return len(LOG)


def map_item_init(t):
    t.xs.__init__([*t.xs, 5])
    return len(t.xs)


def map_map_special(t):
    list(map(LOG.__init__, [[*LOG, t.n]]))
    return len(LOG)


class Color(enum.Enum):
    RED = [0]
    BLUE = [1]


def map_enum_members(t):
    Color.__members__["RED"].value.append(t.n)
    return len(Color.__members__["RED"].value)


def map_enum_member_map(t):
    Color._member_map_["RED"].value.append(t.n)
    return len(Color.RED.value)


def map_enum_members_values(t):
    for c in Color.__members__.values():
        c.value.append(t.n)
    return len(Color.RED.value)


def map_enum_members_items(t):
    [c.value.append(1) for _, c in Color.__members__.items()]
    return len(Color.RED.value)


def map_enum_reversed(t):
    [c.value.append(1) for c in reversed(Color)]
    return len(Color.RED.value)


def map_enum_iter(t):
    next(iter(Color)).value.append(1)
    return len(Color.RED.value)


def map_enum_len_attr(t):
    Color.RED.seen = getattr(Color.RED, "seen", 0) + 1
    return Color.RED.seen


def map_enum_underscore(t):
    Color.RED._value_.append(1)
    return len(Color.RED._value_)


def map_enum_value2(t):
    Color["RED"]._value_.append(1)
    return len(Color["RED"].value)


def map_enum_unhashable(t):
    Color._unhashable_values_.append(t.n)
    return len(Color._unhashable_values_)


USES = {"map_item_init": items_with_one_list(), "map_item_imul": items_with_one_list()}
