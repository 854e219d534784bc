"""What a class has, found without running any of its code."""

from __future__ import annotations

import collections
import functools
import sys
import types
from collections.abc import Collection
from functools import lru_cache

import numpy as np

from anabranch.analysis.effects.environment import PLAIN, is_a, module_of_class
from anabranch.analysis.effects.values import Thing

MISSING = object()
BASES = PLAIN | {list, tuple, set, frozenset, dict, collections.deque, bytearray, np.ndarray}
KNOWN = BASES | {object, collections.Counter, collections.OrderedDict, collections.defaultdict,
                 BaseException, Exception}
TRUSTED = frozenset((
    "builtins", "abc", "typing", "enum", "dataclasses", "fractions", "decimal",
    "datetime", "uuid", "re", "ipaddress", "zoneinfo", "anabranch.ir.records", "numpy",
    "itertools"))
"""Modules whose classes have special methods that only compute, as far as what is in them does."""


def member(cls: type, name: str) -> object:
    """What the classes of an object have under a name; `MISSING` when they have nothing."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return MISSING


def defining(cls: type, name: str) -> type | None:
    return next((base for base in cls.__mro__ if name in vars(base)), None)


def python_method(thing: Thing, name: str) -> object | None:
    """A special method that is not built in: its code is walked, or it is not known."""
    return None if thing.cls is None else _python_method(thing.cls, name)


@lru_cache(maxsize=8192)
def _python_method(cls: type, name: str) -> object | None:
    base = defining(cls, name)
    if base is None or (base in KNOWN and not has_own_parts(cls)):
        return None
    found = vars(base)[name]
    if is_built_in(found, name):
        return None
    return found if not is_generated(base, found) or has_own_parts(cls) else None


@lru_cache(maxsize=4096)
def has_own_parts(cls: type) -> bool:
    """Whether reading the parts of an object, as generated methods do, runs code of the user's: a
    field that is a property or a descriptor, a named tuple that says what it is made of."""
    if any(_is_written(cls, name) for name in ("__getattribute__", "__getattr__")):
        return True
    tuples = next((base for base in cls.__mro__ if _is_named_tuple(base)), None)
    if tuples is not None and any(defining(cls, name) not in (tuples, tuple, object, None)
                                  for name in OF_NAMED_TUPLES):
        return True
    names = (*getattr(cls, "__dataclass_fields__", ()), *fields_of_tuple(cls))
    return any(_is_asked(member(cls, name)) for name in names) or _changes_what_is_asked(cls)


def _changes_what_is_asked(cls: type) -> bool:
    """Whether a class is derived from one that the library has written in Python, whose methods
    ask for what this one has in a way of its own."""
    asked = {name for base in cls.__mro__ if module_of_class(base) in ASKING for name in vars(base)}
    return any(name in asked - BOOKKEEPING for base in cls.__mro__ for name in vars(base)
               if base is not object and module_of_class(base) not in ASKING)


ASKING = ("fractions", "uuid", "ipaddress")
BOOKKEEPING = {"__module__", "__doc__", "__slots__", "__dict__", "__weakref__", "__qualname__"}


def _is_written(cls: type, name: str) -> bool:
    """Whether a class has a method that neither Python nor a library wrote."""
    base = defining(cls, name)
    return base is not None and not is_built_in(vars(base)[name], name) and not is_generated(
        base, vars(base)[name])


OF_NAMED_TUPLES = ("__iter__", "__getitem__", "__len__", "_fields", "_make", "_repr_fmt",
                   "_field_defaults")
"""What the methods ask for that Python generates for a named tuple."""


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and "_make" in vars(cls) and "_field_defaults" in vars(cls)


def fields_of_tuple(cls: type) -> tuple[str, ...]:
    """The names of a named tuple's or a record's parts; none of any other class."""
    names = member(cls, "_fields")
    named = type(names) is tuple and all(type(name) is str for name in names)
    return names if named and issubclass(cls, tuple) else ()


def _is_asked(found: object) -> bool:
    """Whether a field's value is what code of the user's says."""
    return found is not MISSING and (is_a(found, property) or (
        member(type(found), "__get__") is not MISSING and not is_a(found, PLACES)))


def is_built_in(found: object, name: str) -> bool:
    """Whether it is what a class written in C has under this name, and no other function of it."""
    if is_a(found, types.BuiltinFunctionType):
        return is_a(found.__self__, type)
    if is_a(found, NAMED):
        return found.__name__ == name
    return is_a(found, (types.GetSetDescriptorType, types.MemberDescriptorType, type(None)))


NAMED = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType)


def takes_its_object(found: object) -> bool | None:
    """Whether what a class has is called with the object first; None where a descriptor of the
    user's decides."""
    if is_a(found, (types.FunctionType, functools._lru_cache_wrapper, *NAMED)):
        return True
    getter = member(type(found), "__get__")
    return False if getter is MISSING or is_a(found, types.MethodType | type) else None


def is_generated(base: type, found: object) -> bool:
    """Whether a library wrote the method: of dataclasses, named tuples, enumerations, records. Such
    a method does to the object's parts what it does to the object."""
    found = unguarded(found)
    if not isinstance(found, types.FunctionType):
        return False
    return _is_of(found, TRUSTED) or _is_made(found) or (
        issubclass(base, tuple) and hasattr(base, "_fields") and _is_of(found, ("collections",)))


GUARDS = ("recursive_repr.<locals>.decorating_function.<locals>.wrapper",
          "_recursive_repr.<locals>.wrapper")


def unguarded(found: object) -> object:
    """The function of a method, also of one that is kept from showing an object within itself; what
    a function says that it wraps is not believed."""
    if type(found) in (staticmethod, classmethod):
        return unguarded(found.__func__)
    if is_a(found, types.FunctionType) and found.__code__.co_qualname in GUARDS and _is_of(
            found, ("reprlib", "dataclasses")):
        cells = dict(zip(found.__code__.co_freevars, found.__closure__ or ()))
        return cells["user_function"].cell_contents
    return found


def _is_of(function: types.FunctionType, modules: Collection[str]) -> bool:
    """Whether a function stands in one of the modules, whatever it says of itself."""
    return any(vars(sys.modules[name]) is function.__globals__
               for name in modules if name in sys.modules)


def _is_made(function: types.FunctionType) -> bool:
    """Whether dataclasses or named tuples have put its text together."""
    code, module = function.__code__, function.__globals__.get("__name__", "")
    return code.co_filename == "<string>" and (
        code.co_qualname.startswith("__create_fn__.<locals>.")
        or str(module).startswith("namedtuple_"))


@lru_cache(maxsize=8192)
def base_of(cls: type) -> type:
    """The built-in class that an object's class is, or comes from; itself when there is none."""
    return next((base for base in cls.__mro__ if base in BASES), cls)


@lru_cache(maxsize=8192)
def has_own_equality(cls: type) -> bool:
    """Whether objects of a class are compared by what is in them, not by which object it is."""
    return member(cls, "__eq__") is not vars(object)["__eq__"]


@lru_cache(maxsize=8192)
def has_finalizer(cls: type) -> bool:
    """Whether `__del__` of the user's runs some time, when an object is not needed any more."""
    found = member(cls, "__del__")
    return found is not MISSING and not is_built_in(found, "__del__")


def is_function(found: object) -> bool:
    return is_a(found, types.FunctionType)


@lru_cache(maxsize=4096)
def special_methods(cls: type) -> tuple[str, ...]:
    """The special methods of a class that are the user's."""
    names = {n for base in cls.__mro__ if base is not object for n in vars(base)
             if n.startswith("__") and n.endswith("__") and n not in NOT_BY_THEMSELVES}
    return tuple(sorted(n for n in names if _python_method(cls, n) is not None))


NOT_BY_THEMSELVES = frozenset((
    "__init__", "__new__", "__init_subclass__", "__class_getitem__", "__set_name__", "__module__",
    "__doc__", "__qualname__", "__annotations__", "__slots__", "__dict__", "__weakref__",
    "__match_args__", "__orig_bases__", "__parameters__", "__post_init__", "__getstate__",
    "__setstate__", "__hash__", "__static_attributes__", "__firstlineno__", "__orig_class__",
    "__dataclass_fields__", "__dataclass_params__", "__record_fields__", "__record_scope__",
    "__record_places__", "__record_initial__", "__abstractmethods__", "__classcell__",
    "__replace__", "__field_types__", "__annotations_found__"))


def is_users(cls: type | None) -> bool:
    """Whether objects of the class may run code of the user's behind the back of a library."""
    return cls is not None and cls not in KNOWN and (
        bool(special_methods(cls)) or reads_by_itself(cls) or _overrides(cls)
        or _can_be_asked(cls))


@lru_cache(maxsize=4096)
def _can_be_asked(cls: type) -> bool:
    """Whether a library that asks an object for methods by their names finds some of the user's: of
    a class that is derived from one of Python's, those that this one has."""
    own = {name for base in cls.__mro__ if not _is_standard(base) and base not in KNOWN
           and module_of_class(base) not in TRUSTED for name, found in vars(base).items()
           if not name.startswith("__") and (callable(found) or hasattr(type(found), "__get__"))
           and not is_a(found, PLACES[3:])}
    derived = [base for base in cls.__mro__ if base is not object and (
        base in KNOWN or _is_standard(base))]
    return bool(own & {n for base in derived for n in vars(base)} if derived else own)


BINDING = (property, classmethod, staticmethod, functools.partial, functools.partialmethod,
           functools.cached_property, functools._lru_cache_wrapper)  # noqa: TID251


def binds_in_its_way(found: object) -> bool:
    """Whether it is of a class derived from one of those that bind or call functions."""
    return is_a(found, BINDING) and type(found) not in BINDING and not _is_standard(type(found))


@lru_cache(maxsize=4096)
def reads_by_itself(cls: type) -> bool:
    """Whether reading an attribute or an item of an object runs code of the user's."""
    if cls in KNOWN:
        return False
    return any(_python_method(cls, n) for n in ("__getattr__", "__getattribute__", "__getitem__")
               ) or any(is_a(found, property) or (member(type(found), "__get__") is not MISSING
                        and not is_a(found, PLACES))
                        for base in cls.__mro__ if module_of_class(base) not in TRUSTED
                        and base not in KNOWN for found in vars(base).values())


PLACES = (types.FunctionType, classmethod, staticmethod, types.MemberDescriptorType,
          types.GetSetDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType,
          types.BuiltinFunctionType, type, type(collections.namedtuple("_", "x").x))


@lru_cache(maxsize=4096)
def _overrides(cls: type) -> bool:
    """Whether the class changes methods of a class of the standard library."""
    own = {n for base in cls.__mro__ if not _is_standard(base) for n in vars(base)}
    return any(base is not object and base not in KNOWN and own & set(vars(base))
               - NOT_BY_THEMSELVES for base in cls.__mro__ if _is_standard(base))


def _is_standard(base: type) -> bool:
    return module_of_class(base).split(".")[0] in sys.stdlib_module_names
