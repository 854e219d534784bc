# ruff: noqa
"""Lists, dicts and numbers that belong to classes, defaults, members, singletons and exceptions."""

import collections
import dataclasses
import enum
import types
import typing

import anabranch as ab
from soundness.items import Item


class Basket:
    things = []
    by_word = {}
    n = 0

    def add(self, x):
        self.things.append(x)
        return len(self.things)

    @classmethod
    def note(cls, x):
        cls.n += 1
        return cls.n

    @staticmethod
    def put(x):
        Basket.by_word[x] = len(Basket.by_word)
        return Basket.by_word[x] + len(Basket.by_word)

    @property
    def size(self):
        self.things.append(0)
        return len(self.things)

    @property
    def number(self):
        return Basket.n

    @number.setter
    def number(self, value):
        Basket.n += value


def map_class_list(t):
    Basket.things.append(t.n)
    return len(Basket.things)


def map_instance_list(t):
    b = Basket()
    b.things.append(t.n)
    return len(b.things)


def map_instance_method(t):
    return Basket().add(t.n)


def map_class_method(t):
    return Basket.note(t.n)


def map_class_method_of_instance(t):
    return Basket().note(t.n)


def map_static_method(t):
    return Basket.put(t.word)


def map_property(t):
    return Basket().size


def map_setter(t):
    b = Basket()
    b.number = 2
    return b.number


def map_type_of_instance(t):
    b = Basket()
    type(b).n += 1
    return b.n


def map_dunder_class(t):
    b = Basket()
    b.__class__.n += 1
    return b.n


def map_dunder_class_list(t):
    Basket().__class__.things.append(1)
    return len(Basket().things)


def map_setattr_of_class(t):
    setattr(Basket, "n", Basket.n + 1)
    return Basket.n


def map_class_dict(t):
    Basket.__dict__["things"].append(t.n)
    return len(Basket.things)


def map_vars_of_class(t):
    vars(Basket)["things"].append(t.n)
    return len(Basket.things)


def map_getattr_of_class(t):
    getattr(Basket, "thi" + "ngs").append(t.n)
    return len(Basket.things)


def map_alias_of_class_list(t):
    things = Basket().things
    things.append(t.n)
    return len(things)


def map_iadd_of_class_list(t):
    b = Basket()
    b.things += [t.n]
    return len(Basket.things)


def map_iadd_of_alias_of_class_list(t):
    xs = Basket.things
    xs += [t.n]
    return len(xs)


def map_subscript_of_class_dict(t):
    b = Basket()
    b.by_word[t.word] = b.by_word.get(t.word, 0) + 1
    return b.by_word[t.word]


def map_setdefault_of_class_dict(t):
    return Basket().by_word.setdefault(t.word, t.n)


class Child(Basket):
    def add(self, x):
        return super().add(x) * 10


def map_super(t):
    return Child().add(t.n)


def map_inherited_list(t):
    Child.things.append(t.n)
    return len(Basket.things)


def map_list_by_mro(t):
    Child.__mro__[1].things.append(t.n)
    return len(Child().things)


def map_list_by_bases(t):
    Child.__bases__[0].n += 1
    return Child.n


@dataclasses.dataclass
class Made:
    a: int
    seen: typing.ClassVar[list] = []
    counts: list = dataclasses.field(default_factory=lambda: Made.seen)
    number: int = dataclasses.field(default_factory=lambda: Basket.note(0))


def map_dataclass_class_variable(t):
    m = Made(t.n)
    m.seen.append(t.n)
    return len(m.seen)


def map_dataclass_factory_list(t):
    m = Made(t.n)
    m.counts.append(t.n)
    return len(m.counts)


def map_dataclass_factory_number(t):
    return Made(t.n).number


def map_dataclass_repr_of_factory(t):
    return repr(Made(t.n))


SHARED = []


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: int
    pair: tuple = (SHARED, 1)


def map_frozen_with_list_in_tuple(t):
    f = Frozen(t.n)
    f.pair[0].append(t.n)
    return len(f.pair[0])


@dataclasses.dataclass
class Compared:
    a: int

    def __eq__(self, other):
        SHARED.append(1)
        return len(SHARED) % 3 == 0


def map_dataclass_eq(t):
    return Compared(1) == Compared(1)


@dataclasses.dataclass(frozen=True)
class Keyed:
    a: object

    def __hash__(self):
        SHARED.append(1)
        return len(SHARED)


def map_dataclass_hash(t):
    return hash(Keyed(1))


class Colour(enum.Enum):
    RED = []
    BLUE = {}

    def paint(self, x):
        self.value.append(x)
        return len(self.value)

    @property
    def shade(self):
        Colour.RED.value.append(1)
        return len(Colour.RED.value)


def map_enum_value(t):
    Colour.RED.value.append(t.n)
    return len(Colour.RED.value)


def map_enum_value_by_name(t):
    Colour["RED"].value.append(t.n)
    return len(Colour["RED"].value)


def map_enum_method(t):
    return Colour.RED.paint(t.n)


def map_enum_property(t):
    return Colour.BLUE.shade


def map_enum_attribute(t):
    Colour.RED.seen = getattr(Colour.RED, "seen", 0) + 1
    return Colour.RED.seen


def map_enum_loop(t):
    for colour in Colour:
        if colour is Colour.RED:
            colour.value.append(1)
            return len(colour.value)


class Level(enum.Enum):
    LOW = 1
    HIGH = 2

    @classmethod
    def _missing_(cls, value):
        SHARED.append(value)
        return cls.LOW if len(SHARED) % 3 else cls.HIGH


def map_enum_missing(t):
    return Level(t.n + 100).name


class Flags(enum.IntEnum):
    A = 1

    def __add__(self, other):
        SHARED.append(other)
        return len(SHARED)


def map_int_enum_add(t):
    return Flags.A + t.n


class Single:
    instance = None

    def __new__(cls):
        if cls.instance is None:
            cls.instance = super().__new__(cls)
            cls.instance.n = 0
        return cls.instance


def map_singleton(t):
    s = Single()
    s.n += 1
    return s.n


class Borg:
    shared = {}

    def __init__(self):
        self.__dict__ = self.shared


def map_borg(t):
    b = Borg()
    b.n = getattr(b, "n", 0) + 1
    return b.n


class Remembering:
    cache = {}

    def __new__(cls, key):
        if key not in cls.cache:
            cls.cache[key] = object.__new__(cls)
            cls.cache[key].uses = 0
        return cls.cache[key]


def map_flyweight(t):
    r = Remembering(t.word)
    r.uses += 1
    return r.uses


def get_instance(made={}):
    return made.setdefault("it", Basket())


def map_lazy_instance(t):
    b = get_instance()
    b.count = getattr(b, "count", 0) + 1
    return b.count


class Failure(Exception):
    seen = []

    def __init__(self, x):
        self.seen.append(x)


def map_exception_class_list(t):
    try:
        raise Failure(t.n)
    except Failure as error:
        return len(error.seen)


ERROR = ValueError("x")


def map_exception_attribute(t):
    ERROR.n = getattr(ERROR, "n", 0) + 1
    return ERROR.n


def map_exception_caught_attribute(t):
    try:
        raise ERROR
    except ValueError as error:
        error.n = getattr(error, "n", 0) + 1
        return error.n


def map_exception_notes(t):
    ERROR.add_note("x")
    return len(ERROR.__notes__)


def map_exception_args(t):
    ERROR.args = (*ERROR.args, t.n)
    return len(ERROR.args)


def map_exception_traceback(t):
    depth, tb = 0, ERROR.__traceback__
    while tb is not None:
        depth, tb = depth + 1, tb.tb_next
    try:
        raise ERROR
    except ValueError:
        return depth


class Typed:
    """A descriptor that keeps what it is given in itself, for all instances."""

    def __init__(self):
        self.values = []

    def __get__(self, instance, owner):
        self.values.append(0)
        return len(self.values)

    def __set__(self, instance, value):
        self.values.append(value)

    def __delete__(self, instance):
        self.values.append(None)


class Described:
    field = Typed()

    def __init__(self, n=0):
        self.n = n


def map_descriptor_get(t):
    return Described().field


def map_descriptor_get_of_class(t):
    return Described.field


def map_descriptor_set(t):
    d = Described()
    d.field = t.n
    return len(vars(Described)["field"].values)


def map_descriptor_delete(t):
    d = Described()
    del d.field
    return d.field


class Watched:
    writes = []

    def __setattr__(self, name, value):
        self.writes.append(name)
        object.__setattr__(self, name, len(self.writes))

    def __delattr__(self, name):
        self.writes.append(name)


def map_setattr_method(t):
    w = Watched()
    w.x = t.n
    return w.x


def map_delattr_method(t):
    w = Watched()
    del w.anything
    return len(w.writes)


class Slotted:
    __slots__ = ("ids",)


SLOTTED = Slotted()
SLOTTED.ids = iter(range(10_000))


def map_iterator_in_slot(t):
    return next(SLOTTED.ids)


def map_iterator_in_slot_by_loop(t):
    for x in SLOTTED.ids:
        return x


class Registry(type):
    classes = []

    def __new__(meta, name, bases, namespace):
        cls = super().__new__(meta, name, bases, namespace)
        meta.classes.append(cls)
        return cls

    def __init__(cls, name, bases, namespace):
        cls.number = len(Registry.classes)

    @property
    def size(cls):
        Registry.classes.append(cls)
        return len(Registry.classes)


class Root(metaclass=Registry):
    pass


def map_metaclass_new(t):
    class Leaf(Root):
        pass
    return Leaf.number


def map_metaclass_by_type(t):
    return type(Root)("Leaf", (Root,), {}).number


def map_metaclass_property(t):
    return Root.size


def map_subclasses(t):
    kept.append(type("Leaf", (Basket,), {}))
    return len(Basket.__subclasses__())


kept = []


class Point(typing.NamedTuple):
    x: int
    seen: list = []

    def note(self):
        self.seen.append(self.x)
        return len(self.seen)


def map_named_tuple_default(t):
    p = Point(t.n)
    p.seen.append(t.n)
    return len(p.seen)


def map_named_tuple_method(t):
    return Point(t.n).note()


Pair = collections.namedtuple("Pair", "a b", defaults=[[]])


def map_collections_named_tuple_default(t):
    p = Pair(t.n)
    p.b.append(t.n)
    return len(p.b)


class Out(ab.Record):
    n: int
    tags: list[int] = []

    def tagged(self):
        self.tags.append(self.n)
        return len(self.tags)

    @property
    def amount(self):
        self.tags.append(self.n)
        return len(self.tags)

    def __add__(self, other):
        SHARED.append(other)
        return self.n + len(SHARED)

    def __bool__(self):
        SHARED.append(1)
        return len(SHARED) % 3 == 0


def map_record_default_list(t):
    o = Out(t.n)
    o.tags.append(t.n)
    return len(o.tags)


def map_record_method(t):
    return Out(t.n).tagged()


def map_record_property(t):
    return Out(t.n).amount


def map_record_add(t):
    return Out(t.n) + 1


def map_record_bool(t):
    return bool(Out(t.n))


def map_record_given_out_with_default(t):
    o = Out(t.n)
    o.tags.append(t.n)
    return o


class Counted(Item):
    """Items whose methods and properties count."""

    def __add__(self, other):
        SHARED.append(other)
        return len(SHARED)

    def __len__(self):
        SHARED.append(1)
        return len(SHARED)

    def __eq__(self, other):
        SHARED.append(1)
        return len(SHARED) % 3 == 0

    def __hash__(self):
        SHARED.append(1)
        return len(SHARED)

    def __lt__(self, other):
        SHARED.append(1)
        return len(SHARED) % 3 == 0

    def __str__(self):
        SHARED.append(1)
        return str(len(SHARED))

    def __contains__(self, x):
        SHARED.append(x)
        return len(SHARED) % 3 == 0

    def __iter__(self):
        SHARED.append(1)
        return iter([len(SHARED)])

    def __getitem__(self, n):
        SHARED.append(n)
        return len(SHARED)

    @property
    def number(self):
        SHARED.append(1)
        return len(SHARED)

    def index(self, x):
        SHARED.append(x)
        return len(SHARED)

    def count(self, x):
        SHARED.append(x)
        return len(SHARED)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        SHARED.append(name)
        return len(SHARED)


COUNTED = [Counted(n, n % 5, "w", 0.5, [n]) for n in range(60)]


def map_item_add(t):
    return t + 1


def map_item_len(t):
    return len(t)


def map_item_eq(t):
    return t == t


def map_item_hash(t):
    return hash(t)


def map_item_lt(t):
    return t < t


def map_item_str(t):
    return f"{t}"


def map_item_contains(t):
    return 1 in t


def map_item_iter(t):
    return list(t)


def map_item_unpacked(t):
    [a] = t
    return a


def map_item_getitem(t):
    return t[0]


def map_item_property(t):
    return t.number


def map_item_getattr(t):
    return getattr(t, "whatever", 0)


def map_item_index(t):
    return t.index(1)


def map_item_count(t):
    return t.count(1)


def map_item_in_set(t):
    return t in {t} if t.n < 0 else hash(t)


def map_item_key_of_dict(t):
    return len({t: 1}) + len(SHARED)


USES = {f"map_item_{name}": COUNTED for name in (
    "add", "len", "eq", "hash", "lt", "str", "contains", "iter", "unpacked", "getitem", "property",
    "getattr", "index", "count", "in_set", "key_of_dict")}


class Whole(int):
    log = []

    def __add__(self, other):
        self.log.append(other)
        return len(self.log)

    def __bool__(self):
        self.log.append(1)
        return len(self.log) % 3 == 0

    def __eq__(self, other):
        self.log.append(1)
        return len(self.log) % 3 == 0

    __hash__ = int.__hash__


ZERO = Whole(0)


def map_int_class_add(t):
    return ZERO + t.n


def map_int_class_of_item(t):
    return Whole(t.n) + 1


def map_int_class_bool(t):
    return 1 if ZERO else 0


def map_int_class_eq(t):
    return ZERO == t.n


def map_int_class_in_list(t):
    return ZERO in [t.n, -1]


def map_int_class_sum(t):
    return sum([t.n, 1], ZERO)


class Word(str):
    log = []

    def __str__(self):
        self.log.append(1)
        return str(len(self.log))

    def __format__(self, spec):
        self.log.append(1)
        return str(len(self.log))

    def __add__(self, other):
        self.log.append(1)
        return other + str(len(self.log))

    def __contains__(self, x):
        self.log.append(1)
        return len(self.log) % 3 == 0

    def __iter__(self):
        self.log.append(1)
        return iter("x" * len(self.log))

    def __len__(self):
        self.log.append(1)
        return len(self.log)


HELLO = Word("hello")


def map_str_class_str(t):
    return str(HELLO)


def map_str_class_f_string(t):
    return f"{HELLO}"


def map_str_class_add(t):
    return HELLO + t.word


def map_str_class_contains(t):
    return "h" in HELLO


def map_str_class_iter(t):
    return [c for c in HELLO]


def map_str_class_len(t):
    return len(Word(t.word))


class Real(float):
    log = []

    def __mul__(self, other):
        self.log.append(other)
        return float(len(self.log))

    def __rmul__(self, other):
        self.log.append(other)
        return float(len(self.log))

    def __round__(self, digits=0):
        self.log.append(digits)
        return len(self.log)


RATE = Real(1.5)


def map_float_class_mul(t):
    return RATE * t.x


def map_float_class_rmul(t):
    return t.x * RATE


def map_float_class_round(t):
    return round(RATE, 2)


class Pairs(tuple):
    log = []

    def __getitem__(self, n):
        self.log.append(n)
        return len(self.log)

    def __iter__(self):
        self.log.append(1)
        return iter([len(self.log)])


PAIRS = Pairs((1, 2))


def map_tuple_class_getitem(t):
    return PAIRS[0]


def map_tuple_class_iter(t):
    return [x for x in PAIRS]


class Rates(dict):
    log = []

    def __getitem__(self, key):
        self.log.append(key)
        return len(self.log)

    def __contains__(self, key):
        self.log.append(key)
        return len(self.log) % 3 == 0

    def __iter__(self):
        self.log.append(1)
        return iter([len(self.log)])


RATES = Rates(a=1)


def map_dict_class_getitem(t):
    return RATES["a"]


def map_dict_class_contains(t):
    return "a" in RATES


def map_dict_class_iter(t):
    return list(RATES)


class Rows(list):
    log = []

    def __getitem__(self, n):
        self.log.append(n)
        return len(self.log)

    def __len__(self):
        self.log.append(1)
        return len(self.log)


ROWS = Rows([1, 2])


def map_list_class_getitem(t):
    return ROWS[0]


def map_list_class_len(t):
    return len(ROWS)


def map_list_class_bool(t):
    return bool(ROWS) + len(ROWS)


NAMESPACE = types.SimpleNamespace(n=0, xs=[])


def map_namespace(t):
    NAMESPACE.n += 1
    return NAMESPACE.n


def map_namespace_list(t):
    NAMESPACE.xs.append(1)
    return len(NAMESPACE.xs)


PROXY = types.MappingProxyType({"xs": []})


def map_mapping_proxy(t):
    PROXY["xs"].append(t.n)
    return len(PROXY["xs"])


TABLE = {"a": {"b": []}}
NESTED = (1, (2, [3]))
FROZEN = frozenset([Basket])


def map_nested_dict(t):
    TABLE["a"]["b"].append(t.n)
    return len(TABLE["a"]["b"])


def map_nested_tuple(t):
    NESTED[1][1].append(t.n)
    return len(NESTED[1][1])


def map_nested_by_loop(t):
    for inner in TABLE.values():
        for xs in inner.values():
            xs.append(t.n)
            return len(xs)


def map_nested_by_unpacking(t):
    _, (_, xs) = NESTED
    xs.append(t.n)
    return len(xs)


def map_nested_by_match(t):
    match TABLE:
        case {"a": {"b": xs}}:
            xs.append(t.n)
            return len(xs)


def map_class_in_frozenset(t):
    for cls in FROZEN:
        cls.n += 1
        return cls.n


def map_method_kept_in_variable(t):
    put = SHARED.append
    put(t.n)
    return len(SHARED)


def map_method_kept_in_dict(t):
    actions = {"put": SHARED.append}
    actions["put"](t.n)
    return len(SHARED)


ACTIONS = {"put": SHARED.append, "size": SHARED.__len__}


def map_methods_in_global_dict(t):
    ACTIONS["put"](t.n)
    return ACTIONS["size"]()


BOUND = Basket().add


def map_bound_method_global(t):
    return BOUND(t.n)


map_bound_method_itself = Basket().add


class Callable:
    def __init__(self):
        self.n = 0

    def __call__(self, t):
        self.n += 1
        return self.n


CALLABLE = Callable()


def map_callable_object(t):
    return CALLABLE(t)


def map_alias_in_local_list(t):
    xs = [SHARED]
    xs[0].append(1)
    return len(SHARED)


def map_alias_in_local_dict(t):
    d = {"a": SHARED}
    d["a"].append(1)
    return len(d["a"])


def map_alias_by_get(t):
    {"a": SHARED}.get("a").append(1)
    return len(SHARED)


def map_alias_by_or(t):
    xs = None or SHARED
    xs.append(1)
    return len(xs)


def map_alias_by_conditional(t):
    xs = SHARED if t.n >= 0 else []
    xs.append(1)
    return len(xs)


def map_alias_by_helper(t):
    def same(x):
        return x
    same(SHARED).append(1)
    return len(SHARED)


def map_alias_by_generator(t):
    def give():
        yield SHARED
    for xs in give():
        xs.append(1)
        return len(xs)


def map_alias_by_comprehension(t):
    [xs] = [x for x in (SHARED,)]
    xs.append(1)
    return len(xs)


def map_alias_by_copy_of_outer(t):
    outer = dict(TABLE)
    outer["a"]["b"].append(1)
    return len(outer["a"]["b"])


def map_alias_by_slice_of_outer(t):
    part = NESTED[1:]
    part[0][1].append(1)
    return len(part[0][1])


def map_alias_by_star(t):
    def put(*args):
        args[0].append(1)
        return len(args[0])
    return put(*[SHARED])


def map_alias_by_keyword(t):
    def put(**kw):
        kw["xs"].append(1)
        return len(kw["xs"])
    return put(xs=SHARED)


def map_alias_by_zip(t):
    for xs, n in zip([SHARED], [1]):
        xs.append(n)
        return len(xs)


def map_alias_by_max(t):
    xs = max([SHARED, []], key=lambda xs: xs is SHARED)
    xs.append(1)
    return len(xs)


def map_alias_by_object(t):
    class Holder:
        def __init__(self, xs):
            self.xs = xs
    Holder(SHARED).xs.append(1)
    return len(SHARED)


def map_alias_by_walrus(t):
    if (xs := SHARED) is not None:
        xs.append(1)
    return len(xs)


def map_alias_by_with(t):
    import contextlib
    with contextlib.nullcontext(SHARED) as xs:
        xs.append(1)
        return len(xs)


def map_slice_assignment(t):
    SHARED[len(SHARED):] = [t.n]
    return len(SHARED)


def map_del_item(t):
    SHARED.append(1)
    SHARED.append(1)
    del SHARED[0]
    return len(SHARED)


def map_dict_union_in_place(t):
    d = TABLE
    d |= {t.n: 1}
    return len(TABLE)


def map_set_in_place(t):
    s = WORDS
    s ^= {t.word}
    return len(WORDS)


WORDS = set()


def map_tuple_target(t):
    NAMESPACE.n, x = NAMESPACE.n + 1, 0
    return NAMESPACE.n


def map_for_target_attribute(t):
    before = NAMESPACE.n
    for NAMESPACE.n in (t.n,):
        pass
    return before


def map_for_target_subscript(t):
    before = TABLE.get("last")
    for TABLE["last"] in (t.n,):
        pass
    return before


def map_with_target_attribute(t):
    import contextlib
    before = NAMESPACE.n
    with contextlib.nullcontext(t.n) as NAMESPACE.n:
        return before
