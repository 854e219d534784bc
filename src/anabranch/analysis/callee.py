"""What calling an object does, judged without calling it."""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import operator
import types
from dataclasses import dataclass

from anabranch.analysis import known, known_arrays
from anabranch.analysis.facts import EffectKind
from anabranch.analysis.objects import has_factories
from anabranch.analysis.shared import is_fixed
from anabranch.analysis.syntax import shown_name
from anabranch.ir.records import Record, State


class Does(enum.Enum):
    COMPUTE = "gives a value that may be one of its arguments"
    COPY = "gives a new collection of its arguments' items"
    SELECT = "gives an argument, or an item of one"
    CHANGE = "changes its first argument"
    MAKE = "gives a new object that holds its arguments"
    RUN = "runs Python code that can be looked at"
    EFFECT = "has an effect"
    UNKNOWN = "is not known"


@dataclass(frozen=True)
class Callee:
    does: Does
    effect: EffectKind | None = None
    function: object = None


COMPUTES, MAKES, UNKNOWN = Callee(Does.COMPUTE), Callee(Does.MAKE), Callee(Does.UNKNOWN)
# By identity: not everything that can be called can be hashed.
LISTED = {
    **{id(f): Callee(Does.EFFECT, effect) for f, effect in known.EFFECTS.items()},
    **{id(f): verdict for functions, verdict in (
        (known.PURE, COMPUTES), (known.COPYING, Callee(Does.COPY)),
        (known.SELECTING, Callee(Does.SELECT)), (known.CHANGING, Callee(Does.CHANGE)),
    ) for f in functions}}


def callee(value: object) -> Callee:
    """What calling `value` does.

    >>> import math, random
    >>> callee(math.sqrt).does.name, callee(random.random).effect.name
    ('COMPUTE', 'RANDOM')
    """
    if id(value) in LISTED:
        return LISTED[id(value)]
    if isinstance(value, type):
        return _class(value)
    if isinstance(value, functools.partial):
        return callee(value.func) if _module_verdict(value.func) else Callee(
            Does.RUN, function=value)
    if isinstance(value, functools._lru_cache_wrapper):
        return callee(value.__wrapped__)
    if isinstance(value, operator.methodcaller):
        return UNKNOWN
    return _module_verdict(value) or _python(value)


def _module_verdict(value: object) -> Callee | None:
    """The verdict on everything in a module of the standard library."""
    module, name = _module(value), shown_name(value)
    effect = known.NAMED_EFFECTS.get((module, name)) or _module_effect(module)
    if effect is not None:
        return Callee(Does.EFFECT, effect)
    if known_arrays.computes(value) or (module in known.PURE_MODULES and not _has_state(value)):
        return COMPUTES
    return None


def _has_state(value: object) -> bool:
    """Whether it is a method of an object that may remember its calls: a hash, an iterator."""
    owner = getattr(value, "__self__", None)
    return owner is not None and not is_fixed(owner)


def _module_effect(module: str) -> EffectKind | None:
    """The effect of a module, or of the package that it is a part of."""
    parts = module.split(".")
    names = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((known.MODULE_EFFECTS[n] for n in names if n in known.MODULE_EFFECTS), None)


def _module(value: object) -> str:
    """The module that a function belongs to, or the type of the object that a method belongs to."""
    owner = getattr(value, "__self__", None)
    if isinstance(owner, types.ModuleType):
        return owner.__name__
    if isinstance(owner, type):
        return owner.__module__
    if owner is not None:
        return type(owner).__module__
    return getattr(value, "__module__", None) or type(value).__module__


def _python(value: object) -> Callee:
    owner = getattr(value, "__self__", None)
    if known_arrays.method_computes(value) or any(owner is t for t in known.TYPES):
        return COMPUTES
    if isinstance(value, types.BuiltinMethodType) and isinstance(owner, known.TYPES):
        changes = value.__name__ in known.CHANGING_METHODS
        return Callee(Does.EFFECT, EffectKind.WRITES) if changes else COMPUTES
    if isinstance(value, types.MethodDescriptorType) and value.__objclass__ in known.TYPES:
        return Callee(Does.CHANGE) if value.__name__ in known.CHANGING_METHODS else COMPUTES
    runs = isinstance(value, (types.FunctionType, types.MethodType)) or isinstance(
        inspect.getattr_static(type(value), "__call__", None), types.FunctionType)
    return Callee(Does.RUN, function=value) if runs else UNKNOWN


def _class(cls: type) -> Callee:
    """What making an instance does."""
    made_by_metaclass = inspect.getattr_static(type(cls), "__call__")
    if isinstance(made_by_metaclass, types.FunctionType) and not issubclass(cls, enum.Enum):
        return Callee(Does.RUN, function=functools.partial(made_by_metaclass, cls))
    if has_factories(cls):
        return UNKNOWN
    for name in ("__init__", "__new__"):
        made_by = getattr(cls, name)
        if isinstance(made_by, types.FunctionType) and not _is_generated(cls, made_by):
            return Callee(Does.MAKE, function=made_by)
    if issubclass(cls, (Record, State, BaseException, enum.Enum, tuple)):
        return MAKES
    if dataclasses.is_dataclass(cls) or cls.__module__ in known.PURE_MODULES:
        return Callee(Does.MAKE, function=getattr(cls, "__post_init__", None))
    if (effect := _module_effect(cls.__module__)) is not None:
        return Callee(Does.EFFECT, effect)
    plain = cls.__init__ is object.__init__ and cls.__new__ is object.__new__
    return MAKES if plain and cls.__module__ != "builtins" else UNKNOWN


def _is_generated(cls: type, made_by: types.FunctionType) -> bool:
    """A constructor that a library wrote, which only stores its arguments."""
    if issubclass(cls, (State, enum.Enum)) and made_by.__module__ in ("anabranch.ir.records",
                                                                      "enum"):
        return True
    generated = made_by.__code__.co_filename.startswith("<string>") or (
        made_by.__module__.startswith("namedtuple_"))
    standard = made_by.__module__ in known.PURE_MODULES
    return standard or (generated and (dataclasses.is_dataclass(cls) or issubclass(cls, tuple)))
