"""Objects from outside of a function: what they hold, and who can change them."""

from __future__ import annotations

import ast
import collections
import dataclasses
import datetime
import decimal
import dis
import enum
import fractions
import functools
import gc
import re
import struct
import sys
import types
import uuid
import weakref
import zoneinfo
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    KEY,
    NOTHING,
    Plain,
    SharedObject,
    Thing,
    Value,
)
from anabranch.analysis.syntax import FunctionSyntax
from anabranch.core.source import ParsedFile, package_of, parsed_file

PLAIN = frozenset((
    bool, int, float, complex, str, bytes, type(None), range, slice, type(Ellipsis),
    types.NotImplementedType, datetime.datetime, datetime.date, datetime.time, datetime.timedelta,
    datetime.timezone, zoneinfo.ZoneInfo, decimal.Decimal, fractions.Fraction, uuid.UUID,
    re.Pattern, re.Match, types.GenericAlias, types.UnionType, struct.Struct, np.dtype,
    *(kind for kind in vars(np).values() if isinstance(kind, type)
      and issubclass(kind, np.generic) and kind not in (np.object_, np.void))))
"""Classes of values in which nothing can change, and which have no code of the user's."""
OPEN = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type,
        types.MethodDescriptorType, types.WrapperDescriptorType)
SEQUENCES = (list, tuple, set, frozenset, collections.deque)
MANY = 64
VIEWS = {"keys": type({}.keys()), "values": type({}.values()), "items": type({}.items())}


def is_a(found: object, classes: type | tuple[type, ...]) -> bool:
    """What `isinstance` says, without asking the object for its `__class__`: that runs its code."""
    return issubclass(type(found), classes)


@functools.lru_cache(maxsize=8192)
def module_of_class(cls: type) -> str:
    """The module in which a class stands; what a class of the user's says of itself is not
    believed.

    >>> module_of_class(decimal.Decimal), module_of_class(type("D", (), {"__module__": "decimal"}))
    ('decimal', '')
    """
    said = type.__getattribute__(cls, "__module__")
    if type.__getattribute__(cls, "__flags__") & WRITTEN_IN_C:
        return said
    found: object = sys.modules.get(said) if isinstance(said, str) else None
    for name in type.__getattribute__(cls, "__qualname__").split("."):
        held = vars(found) if is_a(found, (type, types.ModuleType)) else {}
        found = held.get(name)
    return said if found is cls else ""


WRITTEN_IN_C = 1 << 8
"""The flag of classes that cannot be changed."""


def module_of_function(found: types.FunctionType) -> str:
    """The module whose names a function sees; it may say that it is of another one."""
    names = found.__globals__
    said = (names.get("__name__"), getattr(names.get("__spec__"), "name", None))
    return next((name for name in said if isinstance(name, str) and is_a(
        module := sys.modules.get(name), types.ModuleType) and vars(module) is names), "")


def packages_used(call: types.FunctionType) -> set[str]:
    """The installed packages whose modules, classes and functions a function names.

    >>> import regex
    >>> packages_used(lambda text: regex.sub("a", "b", text))
    {'regex'}
    """
    code, names = call.__code__, call.__globals__
    cells = dict(zip(code.co_freevars, call.__closure__ or ()))
    found = [names[name] for name in code.co_names if name in names]
    found += [cell.cell_contents for cell in cells.values() if cell != types.CellType()]
    return {package for each in found if not hides_its_class(each)
            and (package := package_of(_file_of(each)))}


def _file_of(found: object) -> str:
    """The file that a module, a class, a function or an object's class stands in, or nothing."""
    if is_a(found, types.FunctionType):
        return found.__code__.co_filename
    module = found
    if not is_a(found, types.ModuleType):
        module = sys.modules.get(module_of_class(found if is_a(found, type) else type(found)))
    # Another kind of module may answer in a way of its own.
    file = vars(module).get("__file__") if type(module) is types.ModuleType else None
    return file if is_a(file, str) else ""


HOLDING = {
    slice: lambda s: (s.start, s.stop, s.step), re.Match: lambda m: (m.string, m.re.pattern),
    re.Pattern: lambda p: (p.pattern,), datetime.timezone: lambda z: (z.tzname(None),),
    datetime.datetime: lambda t: (t.tzinfo,), datetime.time: lambda t: (t.tzinfo,),
    np.dtype: lambda d: () if d.metadata is None else (d.metadata,)}
"""What values of some classes hold, which may be of any class."""


def is_plain(found: object) -> bool:
    """Whether nothing can change in a value, and it has no code of the user's.

    >>> is_plain(slice(1, 2)), is_plain(slice([], 2))
    (True, False)
    """
    cls = type(found)
    if cls is types.GenericAlias:
        return all(is_a(part, (type, types.GenericAlias)) for part in found.__args__)
    return cls in PLAIN and (cls not in HOLDING or all(map(is_plain, HOLDING[cls](found))))


def hides_its_class(found: object) -> bool:
    """Whether code of the user's would run where its class, or the class that it is, is compared
    with others."""
    meta = type(type(found))
    return (meta is not type and _compares(meta)) or (is_a(found, type) and _compares(type(found)))


def _hides_a_mapping(found: object) -> bool:
    """Whether it shows a mapping that is no dict of Python's own: that one is asked each time."""
    return type(found) is types.MappingProxyType and [
        *map(type, gc.get_referents(found))] != [dict]


def _compares(meta: type) -> bool:
    """Whether classes of a metaclass are hashed or compared in a way of their own."""
    return any(next(base for base in meta.__mro__ if name in vars(base)) is not object
               for name in ("__eq__", "__hash__"))


def thing_of(found: object, name: str, label: str) -> Thing:
    if hides_its_class(found) or _hides_a_mapping(found):
        return ANYTHING
    if type(found) in PLAIN:
        return Plain(type(found)) if is_plain(found) else ANYTHING
    return SharedObject((found,), name, label, found)


def things_of(found: Iterable[object], root: SharedObject) -> Value:
    """Objects that lie in a shared one, which are named after it. Many of one class are as one."""
    things: set[Thing] = set()
    others: dict[type, dict[int, object]] = {}
    for part in found:
        if hides_its_class(part) or _hides_a_mapping(part) or (
                type(part) in PLAIN and not is_plain(part)):
            things.add(ANYTHING)
        elif type(part) in PLAIN:
            things.add(Plain(type(part)))
        else:
            others.setdefault(type(part), {})[id(part)] = part
    for cls, members in others.items():
        parts = tuple(members.values())
        # What runs differs from one class, function or module to the next.
        alone = len(parts) <= MANY or issubclass(cls, OPEN)
        groups = [(part,) for part in parts] if alone else [parts]
        things.update(SharedObject(group, root.name, root.label, root.owner) for group in groups)
    return frozenset(things)


def parts_of(thing: SharedObject, part: object) -> Value:
    """What lies in collections from outside."""
    found = NOTHING
    for member in thing.members:
        if is_a(member, (dict, types.MappingProxyType)):
            inside = member.keys() if part == KEY else member.values() if part == ELEMENT else ()
        elif is_a(member, (*SEQUENCES, bytearray, *VIEWS.values())) and part == ELEMENT:
            inside = member
        elif is_a(member, tuple) and isinstance(part, int):
            inside = member[part:part + 1] if part != -1 else member[-1:]
        else:
            continue
        found |= things_of(inside, thing)
    return found


def attribute_of(thing: SharedObject, attribute: str) -> Value:
    """The values that an attribute of shared objects has now, in their own dictionary or slots."""
    found = []
    for member in thing.members:
        own = dictionary_of(member)
        if attribute in own:
            found.append(own[attribute])
        elif isinstance(slot := _slot(type(member), attribute), types.MemberDescriptorType):
            try:
                found.append(slot.__get__(member))
            except AttributeError:
                continue
    return things_of(found, thing)


def dictionary_of(member: object) -> dict:
    try:
        own = object.__getattribute__(member, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return own if is_a(own, (dict, types.MappingProxyType)) else {}


def _slot(cls: type, attribute: str) -> object:
    return next((vars(base)[attribute] for base in cls.__mro__ if attribute in vars(base)), None)


def identity_of(thing: SharedObject) -> frozenset:
    """The objects that it is, and all that lie in it."""
    found: frozenset = frozenset()
    for member in thing.members[:MANY]:
        found |= frozenset(map(id, reached(member)))
    if len(thing.members) > MANY:
        found |= frozenset(map(id, reached(thing.owner)))
    return found


def concerns_everything(thing: SharedObject) -> bool:
    """Whether others look at it without being given it: a context of decimals, and what modules
    of the library keep for themselves; or whether it runs code of its own when it goes on."""
    held = _held_by_the_library(len(sys.modules))
    return any(is_a(member, decimal.Context) or id(member) in held
               or (is_a(member, Iterator) and bool(named_by(member))) for member in thing.members)


@functools.lru_cache(maxsize=1)
def _held_by_the_library(loaded: int) -> frozenset[int]:
    """Asked again when more modules have been loaded."""
    return frozenset(
        id(found) for name, module in [*sys.modules.items()]
        if name.split(".")[0] in sys.stdlib_module_names and type(module) is types.ModuleType
        and name != "__main__" for found in vars(module).values() if type(found) not in SIMPLE)


SIMPLE = PLAIN | {type, types.FunctionType}


def reached(value: object) -> Iterator[object]:
    """The object and all that lies in it, through collections and attributes; numbers, texts,
    classes and functions are passed over.

    >>> import itertools
    >>> any(isinstance(part, itertools.count) for part in reached({"ids": [itertools.count()]}))
    True
    """
    seen, waiting = set(), [value]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen and (type(part) not in SIMPLE or part is value):
            seen.add(id(part))
            yield part
            waiting.extend(p for p in _inside(part) if not _is_simple(p))


def _is_simple(value: object) -> bool:
    """A quick test for what most tables hold."""
    kind = type(value)
    return kind in SIMPLE or (kind is tuple and all(type(v) in SIMPLE for v in value))


def _inside(value: object) -> Iterable[object]:
    if is_a(value, dict):
        return chain(dict.keys(value), dict.values(value))
    if is_a(value, SEQUENCES):
        # Their own `__iter__` may be code of the user's.
        return next(base for base in SEQUENCES if is_a(value, base)).__iter__(value)
    if is_a(value, functools.partial):
        return [value.func, *value.args, value.keywords]
    if is_a(value, types.MethodType | types.BuiltinFunctionType):
        return [value.__self__]
    if is_a(value, OPEN):
        return ()
    if is_a(value, np.ndarray):
        return [value.base]
    if module_of_class(type(value)) in ("builtins", "itertools", "functools"):
        # An iterator or a view: what it looks into can be seen from here alone.
        return [part for part in gc.get_referents(value)
                if not is_a(part, OPEN) or is_a(part, types.BuiltinFunctionType)]
    return attributes_in(value).values()


def attributes_in(value: object) -> dict[str, object]:
    """What lies in an object's own dictionary and in its slots."""
    held = {}
    for base in type(value).__mro__:
        for name, slot in vars(base).items() if "__slots__" in vars(base) else ():
            if is_a(slot, types.MemberDescriptorType):
                try:
                    held[name] = slot.__get__(value)
                except (AttributeError, TypeError):
                    continue
    return held | dictionary_of(value)


def is_fixed(value: object) -> bool:
    """Whether neither the object nor anything in it can be changed.

    >>> is_fixed((1, "a")), is_fixed(([],)), is_fixed({})
    (True, False, False)
    """
    if is_a(value, types.BuiltinFunctionType):
        return value.__self__ is None or is_fixed(value.__self__)
    if type(value) in PLAIN or is_a(value, OPEN):
        return True
    if type(value) in (tuple, frozenset):
        return all(map(is_fixed, value))
    if is_a(value, (list, dict, set, collections.deque, bytearray, np.ndarray)):
        return False
    if is_a(value, enum.Enum):
        return all(map(is_fixed, (v for n, v in dictionary_of(value).items()
                                  if n not in ("__objclass__",))))
    parameters = _slot(type(value), "__dataclass_params__")
    if is_a(parameters, dataclasses._DataclassParams) and parameters.frozen:
        return all(map(is_fixed, _inside(value)))
    if is_a(value, tuple) and _slot(type(value), "_fields") is not None:
        return all(map(is_fixed, tuple.__iter__(value))) and not dictionary_of(value)
    if is_a(value, functools.partial):
        return False
    return callable(value) and module_of_class(type(value)) in ("operator", "numpy", "functools")


def are_fixed(thing: SharedObject) -> bool:
    """Whether none of the objects that it is can be changed."""
    return all(map(is_fixed, thing.members))


def named_by(iterable: object) -> dict[str, object]:
    """What can change, by its name, that the code of a generator or an iterator has: what lies in
    it, what its code and the functions that it calls name, and which names they assign. Where there
    is no code, nothing is changed."""
    if type(iterable) in (*SEQUENCES, dict):
        return {}
    found: dict[str, object] = {}
    codes: set[types.CodeType] = set()
    seen: set[int] = set()
    waiting: list[tuple[str, object, dict]] = [("its source", iterable, {})]
    while waiting and len(seen) < MOST_NAMED:
        name, part, names = waiting.pop()
        if id(part) in seen or type(part) in PLAIN or is_a(part, types.ModuleType):
            continue
        seen.add(id(part))
        if is_a(part, types.CodeType):
            codes.add(part)
            waiting.extend((name, c, names) for c in part.co_consts if is_a(c, types.CodeType))
            waiting.extend((n, names[n], names) for n in part.co_names if n in names)
            found |= dict.fromkeys(_assigned_in(part))
        elif is_a(part, types.GeneratorType):
            frame = part.gi_frame
            if frame is not None:
                waiting.append((name, part.gi_code, frame.f_globals))
                waiting.extend((n, p, names) for n, p in frame.f_locals.items())
        elif is_a(part, types.FunctionType):
            waiting.append((name, part.__code__, part.__globals__))
            waiting.extend((name, p, names) for p in (*(part.__defaults__ or ()), *(
                part.__kwdefaults__ or {}).values(), *(part.__closure__ or ())))
        elif is_a(part, type):
            if module_of_class(part).split(".")[0] not in sys.stdlib_module_names:
                waiting.extend((n, p, names) for n, p in vars(part).items()
                               if is_a(p, types.FunctionType) or not n.startswith("__"))
        else:
            if part is not iterable and not is_fixed(part):
                found[name] = part
            waiting.extend((name, p, names) for p in _held(part))
    return found if codes else {}


MOST_NAMED = 2_000


def _held(part: object) -> list[object]:
    """What lies in an object, and its class."""
    if is_a(part, (*SEQUENCES, dict)) and all(map(_is_simple, _inside(part))):
        return []
    called = gc.get_referents(part) if is_a(part, Iterator) else ()
    return [*_inside(part), *called, type(part)]


def _assigned_in(code: types.CodeType) -> set[str]:
    """The names, of variables and of attributes of what is no variable of its own, that code
    assigns."""
    steps = [*dis.get_instructions(code)]
    return {step.argval for before, step in zip([None, *steps], steps)
            if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")
            or (step.opname in ("STORE_ATTR", "DELETE_ATTR") and before.opname != "LOAD_FAST")}


_REASSIGNED: weakref.WeakKeyDictionary[ParsedFile, frozenset] = weakref.WeakKeyDictionary()


def reassigned(file: str) -> frozenset[str]:
    """The names that some function of a file declares global or nonlocal: those may change while
    the program runs, whatever their value."""
    parsed = parsed_file(file)
    if parsed not in _REASSIGNED:
        _REASSIGNED[parsed] = frozenset(
            n for node in ast.walk(parsed.tree) if isinstance(node, (ast.Global, ast.Nonlocal))
            for n in node.names)
    return _REASSIGNED[parsed]


def origin_of(syntax: FunctionSyntax, name: str) -> str:
    return "enclosing" if name in syntax.code.co_freevars else "global"
