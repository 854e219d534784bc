# ruff: noqa
"""What is reached through an object of Python's own, and methods that are no functions."""

import collections
import dataclasses
import decimal
import enum
import functools
import itertools
import operator
import types

import anabranch as ab

LOG = []
TEXTS = [str(n) for n in range(5000)]
NUMBERS = list(range(5000))
BOOLS = [n % 3 == 0 for n in range(5000)]
TICKS = itertools.count()
TABLE = {"a": LOG}


def tick():
    LOG.append(1)
    return len(LOG)


class Ticker:
    def bump(self):
        return tick()


TICKER = Ticker()


def put(xs, *more):
    xs.append(1)
    return len(xs)


class Caller:
    def __call__(self, xs, *more):
        xs.append(1)
        return len(xs)


class Making:
    def __init__(self, xs, *more):
        xs.append(1)
        self.n = len(xs)


def map_generator_frame(t):
    g = (x for x in t.xs)
    g.gi_frame.f_globals["LOG"].append(t.n)
    return len(LOG)


def map_generator_frame_of_inner(t):
    def inner():
        yield 1
    g = inner()
    return put(g.gi_frame.f_globals["LOG"])


def map_error_frame(t):
    try:
        raise ValueError(1)
    except ValueError as e:
        log = e.__traceback__.tb_frame.f_globals["LOG"]
        log.append(t.n)
        return len(log)


def map_error_frame_of_library(t):
    try:
        int("x")
    except ValueError as e:
        log = e.__traceback__.tb_frame.f_globals["LOG"]
        log.append(t.n)
        return len(log)


def gives_back():
    return LOG
    yield


def map_stop_value(t):
    try:
        next(gives_back())
    except StopIteration as e:
        e.value.append(t.n)
        return len(e.value)


def map_stop_value_made(t):
    e = StopIteration(LOG)
    e.value.append(t.n)
    return len(e.value)


def map_yield_from_value(t):
    def inner():
        xs = yield from gives_back()
        xs.append(1)
        yield len(xs)
    return list(inner())


def map_exit_code(t):
    return put(SystemExit(LOG).code)


def map_key_error_argument(t):
    try:
        {}[TICKER]
    except KeyError as e:
        return e.args[0].bump()


def map_attribute_error_object(t):
    try:
        LOG.nothing
    except AttributeError as e:
        return put(e.obj)


def map_cause(t):
    try:
        try:
            raise ValueError(LOG)
        except ValueError as first:
            raise KeyError(1) from first
    except KeyError as e:
        return put(e.__cause__.args[0])


def map_context(t):
    try:
        try:
            raise ValueError(LOG)
        except ValueError:
            raise KeyError(1)
    except KeyError as e:
        return put(e.__context__.args[0])


def map_group(t):
    e = ExceptionGroup("several", [ValueError(LOG)])
    return put(e.exceptions[0].args[0])


def map_group_caught(t):
    try:
        raise ExceptionGroup("several", [ValueError(LOG)])
    except* ValueError as e:
        n = put(e.exceptions[0].args[0])
    return n


def map_group_split(t):
    e = ExceptionGroup("several", [ValueError(LOG)])
    return put(e.split(ValueError)[0].exceptions[0].args[0])


def map_os_error(t):
    return put(OSError(LOG, "x").errno)


def map_import_error(t):
    return put(ImportError("a", name=LOG).name)


def map_partial_arguments(t):
    p = functools.partial(len, LOG)
    return put(p.args[0])


def map_partial_keywords(t):
    p = functools.partial(dict, log=LOG)
    return put(p.keywords["log"])


def map_partial_function(t):
    p = functools.partial(tick)
    return p.func()


def map_default_factory(t):
    d = collections.defaultdict(tick)
    return d.default_factory()


def map_default_factory_set(t):
    d = collections.defaultdict(int)
    d.default_factory = tick
    return d[3]


def map_default_factory_set_by_setattr(t):
    d = collections.defaultdict(int)
    setattr(d, "default_factory", tick)
    return d[3]


def map_slice_start(t):
    return put(slice(LOG, 1).start)


def map_alias_arguments(t):
    return put(list[TICKER].__args__[0].bump.__globals__["LOG"])


def map_alias_argument_bump(t):
    return list[TICKER].__args__[0].bump()


def map_view_mapping(t):
    return put(TABLE.keys().mapping["a"])


def map_local_view_mapping(t):
    d = {"a": LOG}
    return put(d.items().mapping["a"])


def map_iterator_reduced(t):
    return put(iter(LOG).__reduce__()[1][0])


def map_bound_self(t):
    return put(LOG.append.__self__)


def map_bound_function(t):
    return TICKER.bump.__func__(None)


def map_method_name(t):
    return getattr(TICKER, "bu" + "mp")()


def map_wrapped(t):
    return cached.__wrapped__()


@functools.lru_cache
def cached():
    return tick()


def map_property_function(t):
    return WithProperty.size.fget(None)


class WithProperty:
    @property
    def size(self):
        return tick()


def map_static_function(t):
    return vars(WithStatic)["f"].__func__()


class WithStatic:
    @staticmethod
    def f():
        return tick()


def map_union_arguments(t):
    return (int | str).__args__[0].__name__ + str(tick())


# Methods that are no functions: they are called without the object.

class Partly:
    __add__ = functools.partial(put)
    take = functools.partial(put)
    __getitem__ = functools.partial(put)
    __call__ = functools.partial(put)


class Callers:
    __add__ = Caller()
    __getitem__ = Caller()
    take = Caller()


class Makers:
    __add__ = Making
    take = Making
    __getitem__ = Making


class Builtins:
    __add__ = NUMBERS.pop
    __len__ = TICKS.__next__
    __bool__ = BOOLS.pop
    __str__ = TEXTS.pop
    __getitem__ = NUMBERS.index
    __contains__ = LOG.append
    __call__ = NUMBERS.pop
    __neg__ = NUMBERS.pop
    __index__ = NUMBERS.pop
    __iter__ = TEXTS.__iter__
    __enter__ = NUMBERS.pop
    __round__ = NUMBERS.pop
    pop = NUMBERS.pop
    other = NUMBERS.pop

    def __exit__(self, *why):
        return False


class Statics:
    @staticmethod
    def __add__(xs):
        xs.append(1)
        return len(xs)

    @staticmethod
    def __getitem__(xs):
        xs.append(1)
        return len(xs)

    @classmethod
    def __sub__(cls, xs):
        xs.append(1)
        return len(xs)


class ListWith(list):
    index = NUMBERS.pop
    count = staticmethod(NUMBERS.pop)
    copy = functools.partial(put, LOG)
    __len__ = TICKS.__next__
    __contains__ = LOG.append

    @staticmethod
    def reverse():
        return tick()

    @classmethod
    def pop(cls, *n):
        return tick()


class Further(ListWith):
    def up(self):
        return super().index()

    def up_count(self):
        return super().count()

    def up_reverse(self):
        return super().reverse()

    def up_pop(self):
        return super().pop()

    def up_copy(self):
        return super().copy()


class TextWith(str):
    upper = TEXTS.pop
    strip = staticmethod(TEXTS.pop)
    __len__ = TICKS.__next__
    lower = functools.partial(tick)


class DictWith(dict):
    get = LOG.append
    keys = TEXTS.pop
    __missing__ = NUMBERS.index
    values = staticmethod(NUMBERS.pop)


class IntWith(int):
    bit_length = NUMBERS.pop
    __add__ = NUMBERS.__getitem__
    __neg__ = NUMBERS.pop


class SetWith(set):
    add = LOG.append
    union = NUMBERS.pop


def map_partial_as_add(t):
    return Partly() + LOG


def map_partial_as_method(t):
    return Partly().take(LOG)


def map_partial_as_getitem(t):
    return Partly()[LOG]


def map_partial_as_call(t):
    return Partly()(LOG)


def map_caller_as_add(t):
    return Callers() + LOG


def map_caller_as_getitem(t):
    return Callers()[LOG]


def map_caller_as_method(t):
    return Callers().take(LOG)


def map_class_as_add(t):
    return (Makers() + LOG).n


def map_class_as_method(t):
    return Makers().take(LOG).n


def map_class_as_getitem(t):
    return Makers()[LOG].n


def map_static_as_add(t):
    return Statics() + LOG


def map_static_as_getitem(t):
    return Statics()[LOG]


def map_class_method_as_sub(t):
    return Statics() - LOG


def map_built_in_as_add(t):
    return Builtins() + -1


def map_built_in_as_len(t):
    return len(Builtins())


def map_built_in_as_bool(t):
    return 1 if Builtins() else 2


def map_built_in_as_str(t):
    return str(Builtins())


def map_built_in_as_format(t):
    return f"{Builtins()}"


def map_built_in_as_contains(t):
    t.n in Builtins()
    return len(LOG)


def map_built_in_as_call(t):
    return Builtins()()


def map_built_in_as_neg(t):
    return -Builtins()


def map_built_in_as_index(t):
    return hex(Builtins())


def map_built_in_as_enter(t):
    with Builtins() as n:
        return n


def map_built_in_as_round(t):
    return round(Builtins())


def map_built_in_as_method(t):
    return Builtins().other()


def map_built_in_as_class_method(t):
    return Builtins.other()


def map_built_in_as_own_pop(t):
    return Builtins().pop()


def map_list_class_built_in(t):
    return ListWith([1]).index()


def map_list_class_static(t):
    return ListWith([1]).count()


def map_list_class_partial(t):
    return ListWith([1]).copy()


def map_list_class_len(t):
    return len(ListWith([1]))


def map_list_class_truth(t):
    return [1 if ListWith() else 2, len(LOG), next(TICKS)]


def map_list_class_contains(t):
    3 in ListWith([1])
    return len(LOG)


def map_list_class_reverse(t):
    return ListWith([1]).reverse()


def map_list_class_pop(t):
    return ListWith([1]).pop()


def map_list_class_by_class(t):
    return ListWith.count()


def map_super_built_in(t):
    return Further().up()


def map_super_count(t):
    return Further().up_count()


def map_super_reverse(t):
    return Further().up_reverse()


def map_super_pop(t):
    return Further().up_pop()


def map_super_copy(t):
    return Further().up_copy()


def map_text_class_upper(t):
    return TextWith("a").upper()


def map_text_class_strip(t):
    return TextWith("a").strip()


def map_text_class_len(t):
    return len(TextWith("a"))


def map_text_class_lower(t):
    return TextWith("a").lower()


def map_dict_class_get(t):
    DictWith().get(1)
    return len(LOG)


def map_dict_class_keys(t):
    return DictWith().keys()


def map_dict_class_values(t):
    return DictWith().values()


def map_int_class_bits(t):
    return IntWith(3).bit_length()


def map_int_class_neg(t):
    return -IntWith(3)


def map_set_class_add(t):
    SetWith().add(1)
    return len(LOG)


def map_set_class_union(t):
    return SetWith().union()


class Descriptors:
    view = property(operator.attrgetter("xs"))
    counted = property(functools.partial(lambda s: tick()))
    called = property(Caller())

    def __init__(self, xs):
        self.xs = xs
        self.append = xs.append


def map_property_of_getter(t):
    return put(Descriptors(LOG).view)


def map_property_of_partial(t):
    return Descriptors(LOG).counted


def map_instance_holds_bound_method(t):
    Descriptors(LOG).append(t.n)
    return len(LOG)


class GetOnly:
    """A descriptor whose `__get__` is no function."""
    __get__ = functools.partial(lambda *a: tick())


class SetOnly:
    __set__ = functools.partial(lambda obj, v: LOG.append(v))


class WithGetOnly:
    x = GetOnly()
    y = SetOnly()


def map_descriptor_get_is_partial(t):
    return WithGetOnly().x


def map_descriptor_set_is_partial(t):
    w = WithGetOnly()
    w.y = t.n
    return len(LOG)


class SetAttrBuiltin:
    __setattr__ = functools.partial(lambda name, v: LOG.append(v))
    __getattr__ = functools.partial(lambda name: tick())
    __delattr__ = functools.partial(lambda name: tick())


def map_setattr_is_partial(t):
    s = SetAttrBuiltin()
    s.x = t.n
    return len(LOG)


def map_getattr_is_partial(t):
    return SetAttrBuiltin().zzz


def map_delattr_is_partial(t):
    del SetAttrBuiltin().zzz
    return len(LOG)


class HashBuiltin:
    __hash__ = NUMBERS.pop


def map_hash_is_built_in(t):
    {HashBuiltin(): 1}
    return len(NUMBERS)


class EqPartial:
    __eq__ = functools.partial(lambda other: tick() % 2 == 0)
    __hash__ = None
    __lt__ = functools.partial(lambda other: tick() % 2 == 0)


def map_eq_is_partial(t):
    return EqPartial() == 3


def map_lt_is_partial(t):
    return EqPartial() < 3


def map_in_eq_is_partial(t):
    return 3 in [EqPartial()]


class IterPartial:
    __iter__ = functools.partial(lambda: iter([tick()]))


def map_iter_is_partial(t):
    return list(IterPartial())


class NewBuiltin:
    __new__ = functools.partial(lambda cls: TICKER)


def map_new_is_partial(t):
    return NewBuiltin().bump()


class InitPartial:
    __init__ = functools.partial(put, LOG)


def map_init_is_partial(t):
    try:
        InitPartial()
    except TypeError:
        pass
    return len(LOG)


class CallNested:
    class __call__:
        def __init__(self, *a):
            self.n = tick()


def map_call_is_class(t):
    return CallNested()().n


class ReprNested:
    __repr__ = TICKER.bump
    __str__ = lambda *a: str(tick())


def map_str_is_lambda(t):
    return str(ReprNested())


class AddBound:
    __add__ = TICKER.bump
    bump = TICKER.bump


class Deep:
    def __init__(self):
        self.f = tick


def map_bound_method_as_method(t):
    return AddBound().bump()


def map_instance_function(t):
    return Deep().f()


class Base:
    def __init_subclass__(cls, **more):
        tick()


def map_functional_enum(t):
    Open("X", "A B")
    return len(LOG)


class Open(enum.Enum):
    def __init_subclass__(cls, **more):
        tick()


class Next(enum.Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last):
        return tick()


def map_functional_enum_value(t):
    return Next("X", "A B").A.value


def map_named_tuple_made(t):
    P = collections.namedtuple("P", "xs")
    return put(P(LOG).xs)


def map_make_dataclass(t):
    dataclasses.make_dataclass("P", ["x"], bases=(Base,))
    return len(LOG)


def map_type_made(t):
    type("P", (Base,), {})
    return len(LOG)


def map_new_class(t):
    types.new_class("P", (Base,))
    return len(LOG)


def map_simple_namespace(t):
    return put(types.SimpleNamespace(xs=LOG).xs)


def map_mapping_proxy(t):
    return put(types.MappingProxyType({"a": LOG})["a"])


def map_method_type(t):
    return types.MethodType(put, LOG)()


def map_deque_of_logs(t):
    return put(collections.deque([LOG], 3)[0])


def map_ordered_dict_of_logs(t):
    return put(collections.OrderedDict(a=LOG)["a"])


def map_ordered_dict_popitem(t):
    return put(collections.OrderedDict(a=LOG).popitem()[1])


def map_counter_of_log(t):
    c = collections.Counter()
    c["a"] = LOG
    return put(c["a"])


def map_dict_fromkeys(t):
    return put(dict.fromkeys(t.xs, LOG)[t.xs[0]])


def map_named_tuple_replace(t):
    return put(Pair(1, 2)._replace(b=LOG).b)


def map_named_tuple_make(t):
    return put(Pair._make([1, LOG]).b)


def map_named_tuple_asdict(t):
    return put(Pair(1, LOG)._asdict()["b"])


Pair = collections.namedtuple("Pair", "a b")
