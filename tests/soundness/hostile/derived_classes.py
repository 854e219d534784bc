# ruff: noqa
"""Classes derived from those that bind functions, and constructors that are no functions."""

import dataclasses
import enum
import functools
import reprlib
import types
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

N = [0]


def tick(*_, **__):
    N[0] += 1
    return N[0]


class CountingProperty(property):

    def __get__(self, obj, cls=None):
        return tick()


class HasProperty:

    @CountingProperty
    def v(self):
        return 1


def map_property_subclass(t):
    return HasProperty().v


class SettingProperty(property):

    def __set__(self, obj, v):
        tick()


class HasSetting2:
    x = 0
    v = SettingProperty(lambda self: 1, lambda self, v: None)


def map_property_subclass_set(t):
    HasSetting2().v = 3
    return N[0]


class CountingClassMethod(classmethod):

    def __get__(self, obj, cls=None):
        tick()
        return lambda: N[0]


class HasClassMethod:

    @CountingClassMethod
    def v(cls):
        return 1


def map_classmethod_subclass(t):
    return HasClassMethod.v()


class CountingStatic(staticmethod):

    def __get__(self, obj, cls=None):
        tick()
        return lambda: N[0]


class HasStatic:

    @CountingStatic
    def v():
        return 1


def map_staticmethod_subclass_instance(t):
    return HasStatic().v()


class CountingPartial(functools.partial):

    def __call__(self, *a):
        return tick()


PARTIAL = CountingPartial(max, 1)


def map_partial_subclass(t):
    return PARTIAL(t.n)


def map_partial_subclass_key(t):
    return sorted([1, 2], key=PARTIAL) + [N[0]]


class CountingCached(functools.cached_property):

    def __get__(self, obj, cls=None):
        return tick()


class HasCached:

    @CountingCached
    def v(self):
        return 1


def map_cached_subclass(t):
    return HasCached().v


class Super1(HasProperty):

    @property
    def v(self):
        return super().v


def map_property_super(t):
    return Super1().v


class CountingModule(types.ModuleType):
    limit = property(lambda self: tick())


MODULE = CountingModule('m')


MODULE.__dict__['limit'] = 3


def map_module_property(t):
    return MODULE.limit


class AskedModule(types.ModuleType):

    def __getattribute__(self, name):
        return tick()


ASKED = AskedModule('m2')


types.ModuleType.__getattribute__(ASKED, '__dict__')['limit'] = 4


def map_module_getattribute(t):
    return ASKED.limit


class MetaProperty(type):

    @property
    def limit(cls):
        return tick()


class WithLimit(metaclass=MetaProperty):
    limit = 3


def map_meta_property(t):
    return WithLimit.limit


class MetaDescr:

    def __get__(self, o, c):
        return tick()

    def __set__(self, o, v):
        pass


class MetaD(type):
    rate = MetaDescr()


class WithRate(metaclass=MetaD):
    rate = 3


def map_meta_descriptor(t):
    return WithRate.rate


class MetaItem(type):

    def __getitem__(cls, i):
        return tick()


class MetaItem2(MetaItem):
    pass


class WithItem(metaclass=MetaItem2):
    pass


def map_meta_item_inherited(t):
    return WithItem[1]


class MetaIter(type):

    def __iter__(cls):
        return iter([tick()])


class MetaIter2(MetaIter):
    pass


class WithIter(metaclass=MetaIter2):
    pass


def map_meta_iter_for(t):
    s = 0
    for x in WithIter:
        s += x
    return s


class Counted:

    def __call__(self, *a):
        tick()


class BagInit(list):
    __init__ = Counted()


def map_init_object_list(t):
    return (BagInit(), N[0])[1]


class DictInit(dict):
    __init__ = Counted()


def map_init_object_dict(t):
    return (DictInit(), N[0])[1]


class CachedInit(list):
    __init__ = functools.lru_cache(maxsize=0)(lambda self, *a: None if tick() else None)

    def __hash__(self):
        return 1

    def __eq__(self, o):
        return self is o


def map_init_lru(t):
    return (CachedInit(), N[0])[1]


@dataclass
class PostObject:
    x: int
    __post_init__ = Counted()


def map_post_init_object(t):
    return (PostObject(1), N[0])[1]


@dataclass
class PostClass:
    x: int
    made = 0

    @classmethod
    def __post_init__(cls):
        cls.made += 1


def map_post_init_class(t):
    return (PostClass(1), PostClass.made)[1]


def map_post_init_builtin(t):
    return (PostAppend(1), len(PostAppend.log))[1]


@dataclass
class PostAppend:
    x: int
    log = []
    __post_init__ = functools.partial(log.append, 1)


@dataclass
class DataDeep:
    x: object


class DeepCopied:

    def __deepcopy__(self, memo):
        return tick()


def map_asdict_deepcopy(t):
    return dataclasses.asdict(DataDeep(DeepCopied()))['x']


def map_asdict_factory(t):
    return dataclasses.asdict(DataDeep(1), dict_factory=lambda kv: tick())


def map_astuple_factory(t):
    return dataclasses.astuple(DataDeep(1), tuple_factory=tick)


class ItemDunder:
    __class_getitem__ = Counted()


def map_class_getitem_object(t):
    return (ItemDunder[1], N[0])[1]


class ItemStatic:

    @staticmethod
    def __class_getitem__(i):
        return tick()


def map_class_getitem_static(t):
    return ItemStatic[1]


class Wrapped:

    @functools.wraps(Fraction.__add__)
    def __add__(self, o):
        return tick()

    @functools.wraps(Fraction.__eq__)
    def __eq__(self, o):
        return tick() % 3 == 0

    @functools.wraps(Fraction.__hash__)
    def __hash__(self):
        return 1 if tick() else 2

    @functools.wraps(Fraction.__lt__)
    def __lt__(self, o):
        return tick() % 3 == 0

    @functools.wraps(Fraction.__bool__)
    def __bool__(self):
        return tick() % 2 == 0

    @functools.wraps(Fraction.__repr__)
    def __repr__(self):
        return str(tick())

    @functools.wraps(enum.Enum.__format__)
    def __format__(self, s):
        return str(tick())

    @functools.wraps(enum.EnumMeta.__len__)
    def __len__(self):
        return tick()

    @functools.wraps(enum.EnumMeta.__iter__)
    def __iter__(self):
        return iter([tick()])

    @functools.wraps(enum.EnumMeta.__contains__)
    def __contains__(self, o):
        return tick() % 2 == 0

    @functools.wraps(enum.EnumMeta.__getitem__)
    def __getitem__(self, o):
        return tick()

    @functools.wraps(enum.EnumMeta.__call__)
    def __call__(self, *o):
        return tick()

    @functools.wraps(Fraction.__neg__)
    def __neg__(self):
        return tick()


WRAPPED = Wrapped()


def map_wraps_add(t):
    return WRAPPED + 1


def map_wraps_eq(t):
    return WRAPPED == 1


def map_wraps_bool(t):
    return 1 if WRAPPED else 2


def map_wraps_len(t):
    return len(WRAPPED)


def map_wraps_hash(t):
    return (len({WRAPPED}), N[0])[1]


class Traced:

    @reprlib.recursive_repr()
    def __repr__(self):
        return str(tick())


def map_recursive_repr(t):
    return repr(Traced())


class Noting(np.ndarray):
    seen = []

    def note(self, *given, **named):
        self.seen.append(1)
        return len(self.seen)

    mean = sum = note
    size = property(note)


NOTING = np.zeros(3).view(Noting)


def map_array_class_mean(t):
    return NOTING.mean()


def map_array_class_sum(t):
    return NOTING.sum()


def map_array_class_size(t):
    return NOTING.size


def map_array_class_of_result(t):
    return (NOTING + 1).note()


class Finalized(np.ndarray):
    n = 0

    def __array_finalize__(self, other):
        Finalized.n += 1


FINALIZED = np.zeros((3, 3)).view(Finalized)


def map_array_class_slice(t):
    FINALIZED[1:]
    return Finalized.n


def map_array_class_copy(t):
    FINALIZED.copy()
    return Finalized.n


def map_array_class_view(t):
    FINALIZED.T
    return Finalized.n


def map_array_class_rows(t):
    return (len([*FINALIZED]), Finalized.n)[1]


def map_array_class_sqrt(t):
    np.sqrt(FINALIZED)
    return Finalized.n
