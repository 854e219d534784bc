"""What making an instance of a class does."""

from __future__ import annotations

import ast
import collections
import dataclasses
import enum
import functools
import inspect
import types

import numpy as np

from anabranch.analysis.effects import access, attributes, calls, operations
from anabranch.analysis.effects.environment import PLAIN, is_a, module_of_class, thing_of, things_of
from anabranch.analysis.effects.library import arrays, modules
from anabranch.analysis.effects.members import (
    BASES,
    MISSING,
    base_of,
    defining,
    fields_of_tuple,
    is_built_in,
    is_generated,
    member,
    python_method,
)
from anabranch.analysis.effects.values import (
    ELEMENT,
    KEY,
    NOTHING,
    OF,
    Object,
    Plain,
    SharedObject,
    Value,
    one_of,
    value,
)
from anabranch.core.source import class_name
from anabranch.ir.records import Record, State

CONTAINERS = (list, tuple, set, frozenset, dict, collections.deque, bytearray)


def instantiate(w, node: ast.AST, cls: type, given: calls.Arguments) -> Value:
    kind = thing_of(cls, class_name(cls), f"the class `{class_name(cls)}`")
    if issubclass(cls, enum.Enum):
        return _enum_member(w, node, kind, given)
    if isinstance(vars(type(cls)).get("__call__"), types.FunctionType) or (
            python_method(kind, "__call__") is not None):
        return calls.special(w, node, kind, "__call__", given=given)
    if cls in BASES or module_of_class(cls) in (
            "builtins", "collections", "itertools", "functools"):
        known = _built_in(w, node, cls, given)
        if known is not None:
            return known
    if arrays.is_array(cls):
        return arrays.instance(w, node, cls, given)
    if modules.is_library(cls):
        return modules.call(w, node, cls, given)
    return _made(w, node, kind, cls, given)


def _enum_member(w, node: ast.AST, kind: SharedObject, given: calls.Arguments) -> Value:
    if not kind.value.__members__ or len(given.args) != 1 or not given.is_exact:
        return operations.own_way(w, node, kind.name)
    missing = member(kind.value, "_missing_")
    if isinstance(missing, classmethod) and not calls.is_standard(missing.__func__):
        calls.run(w, node, missing.__func__, given.before(value(kind)))
    operations.hashed(w, node, given.all)
    held = things_of((vars(m).get("_value_") for m in kind.value.__members__.values()), kind)
    operations.equality(w, node, given.all, given.all | held)
    return things_of(kind.value.__members__.values(), kind)


# Built-in classes

def _built_in(w, node: ast.AST, cls: type, given: calls.Arguments) -> Value | None:
    given = given.by_position(cls) if cls in calls.UNSIGNED else given
    if cls is functools.partial:
        thing = w.made(node, cls)
        w.m.heap.put(thing, OF, given.get(0))
        w.m.heap.put(thing, ELEMENT, frozenset().union(
            *given.args[1:], *given.named.values(), given.rest or NOTHING,
            given.named_rest or NOTHING))
        return value(thing)
    if cls in (list, tuple, collections.deque, set, frozenset, bytearray):
        return _collection(w, node, cls, given)
    if issubclass(cls, dict) and module_of_class(cls) in ("builtins", "collections"):
        return _dict(w, node, cls, given)
    if cls in PLAIN:
        return _plain(w, node, cls, given)
    if issubclass(cls, BaseException):
        return w.collection(node, cls, given.all)
    if cls is object:
        return value(w.made(node, object))
    return None


def _collection(w, node: ast.AST, cls: type, given: calls.Arguments) -> Value:
    ordered = cls not in (set, frozenset)
    if cls is bytearray:
        operations.index(w, node, given.get(0))
        access.iterate(w, node, frozenset(t for t in given.get(0) if not isinstance(t, Plain)))
        modules.check_codec(w, node, given, 1)
        return w.collection(node, cls, one_of(int))
    operations.index(w, node, given.get(1, "maxlen"))
    found = access.iterate(w, node, given.get(0), ordered)
    if not ordered:
        operations.hashed(w, node, found)
    return w.collection(node, cls, found)


def _dict(w, node: ast.AST, cls: type, given: calls.Arguments) -> Value:
    thing = w.made(node, cls)
    first = given.args
    if cls is collections.defaultdict:
        w.m.heap.put(thing, OF, given.get(0))
        first = first[1:]
    for source in first[:1] or [given.rest or NOTHING]:
        if cls is collections.Counter and not any(
                t.cls is not None and issubclass(t.cls, dict) for t in source):
            found = access.iterate(w, node, source)
            operations.hashed(w, node, found)
            w.m.heap.put(thing, KEY, found)
            w.m.heap.put(thing, ELEMENT, one_of(int))
        else:
            access.update(w, node, thing, source)
    extra = [*given.named.values(), given.named_rest or NOTHING]
    if any(extra):
        w.m.heap.put(thing, KEY, one_of(str))
        w.m.heap.put(thing, ELEMENT, frozenset().union(*extra))
    return value(thing)


def _plain(w, node: ast.AST, cls: type, given: calls.Arguments) -> Value:
    """Numbers, texts and times from values of the user's call their methods."""
    if cls in (str, bytes) and (len(given.args) > 1 or given.named):
        modules.check_codec(w, node, given, 1)
    if cls is str:
        return operations.text(w, node, given.all)
    if cls is bool:
        operations.truth(w, node, given.all)
    elif cls is slice:
        return operations.sliced(w, node, given.all)
    elif cls in (bytes, range):
        for found in (*given.args, given.rest or NOTHING, given.named_rest or NOTHING):
            operations.special_results(w, node, found, "__bytes__")
            operations.index(w, node, found)
            if cls is bytes:
                access.iterate(w, node, frozenset(t for t in found if t.cls not in (
                    int, bool, bytes, str)))
    elif cls in (int, float, complex):
        operations.number(w, node, given.all)
    elif cls is np.datetime64:
        arrays.times_of_texts(w, node, given)
        if not modules.check_plain(w, node, given):
            return calls.no_source(w, node, given)
    elif issubclass(cls, np.generic) and not all(isinstance(t, Plain) for t in given.all):
        # A list becomes an array; an object is asked what it is.
        return arrays.converted(w, node, given) | one_of(cls)
    else:
        if not modules.check_plain(w, node, given):
            return calls.no_source(w, node, given)
        modules.used_contexts(w, node, given)
        return frozenset((*one_of(cls), *one_of(type(None)))) if class_name(cls) == "Match" else \
            one_of(cls)
    return one_of(cls)


# Classes of the user's

def _made(w, node: ast.AST, kind: SharedObject, cls: type, given: calls.Arguments) -> Value:
    if not cls.__flags__ & attributes.HEAP_TYPE and cls not in BASES:
        return calls.no_source(w, node, given)
    if _is_made_by_library(cls) and not modules.check_plain(w, node, given):
        return calls.no_source(w, node, given)
    made_by = member(cls, "__new__")
    made_by = made_by.__func__ if isinstance(made_by, staticmethod) else made_by
    base = defining(cls, "__new__")
    if isinstance(made_by, types.FunctionType) and not is_generated(base, made_by):
        found = calls.run(w, node, made_by, given.before(value(kind)))
    elif not is_built_in(made_by, "__new__") and not is_a(made_by, types.FunctionType):
        found = operations.own_way(w, node, class_name(cls))
    else:
        found = new(w, node, cls, given)
    own = frozenset(t for t in found if t.cls is not None and issubclass(t.cls, cls))
    for thing in own:
        initialise(w, node, thing, cls, given)
    return found


@functools.lru_cache(maxsize=4096)
def _is_made_by_library(cls: type) -> bool:
    """Whether code of the library that is not walked makes or fills an instance."""
    for name in ("__new__", "__init__"):
        base = defining(cls, name)
        if base in BASES or base is object or issubclass(base, BaseException) or (
                not calls.is_standard(base)):
            continue
        made_by = getattr(vars(base)[name], "__func__", vars(base)[name])
        if not is_a(made_by, types.FunctionType) or is_generated(base, made_by):
            return True
    return False


def new(w, node: ast.AST, cls: type, given: calls.Arguments) -> Value:
    """A new object of the class, with what its built-in bases take in."""
    thing = w.made(node, cls)
    base = base_of(cls)
    if issubclass(cls, Record):
        _fields(w, thing, cls, list(cls.__record_fields__), given)
        _defaults(w, node, thing, cls.__record_fields__, given)
    elif names := fields_of_tuple(cls):
        _fields(w, thing, cls, list(names), given)
        _defaults(w, node, thing, getattr(cls, "_field_defaults", {}), given)
    elif base in (tuple, frozenset):
        w.m.heap.put(thing, ELEMENT, access.iterate(w, node, given.get(0)))
    elif issubclass(cls, BaseException):
        w.m.heap.put(thing, ELEMENT, given.all)
    elif base in PLAIN:
        _plain(w, node, base, given)
    return value(thing)


def _fields(w, thing: Object, cls: type, names: list[str], given: calls.Arguments) -> None:
    for number, name in enumerate(names):
        found = given.get(number, name)
        access.put(w, thing, name, found)


def _defaults(w, node: ast.AST, thing: Object, defaults: dict[str, object],
              given: calls.Arguments) -> None:
    """What instances share with each other when they are made without it."""
    places = list(getattr(thing.cls, "__record_fields__", fields_of_tuple(thing.cls)))
    for name, default in defaults.items():
        if default is not ... and name not in given.named and len(
                given.args) <= places.index(name):
            label = f"{class_name(thing.cls)}.{name}"
            access.put(w, thing, name, value(calls.seen(w, node, thing_of(
                default, label, f"the default value of `{label}`"))))


def initialise(w, node: ast.AST, thing: Object, cls: type, given: calls.Arguments) -> None:
    if issubclass(cls, State):
        initial_state(w, thing, cls)
    found, base = member(cls, "__init__"), defining(cls, "__init__")
    if is_a(found, types.FunctionType) and not is_generated(base, found):
        calls.run(w, node, found, given.before(value(thing)))
    elif not is_a(found, (types.FunctionType, types.WrapperDescriptorType)):
        operations.own_way(w, node, class_name(cls))
    elif issubclass(cls, State):
        names = list(cls.__record_fields__)
        for name, new_value in [*zip(names, given.args), *given.named.items()]:
            attributes.set_attribute(w, node, value(thing), name, new_value)
        for extra in filter(None, (given.rest, given.named_rest)):
            for name in names:
                attributes.set_attribute(w, node, value(thing), name, extra)
    elif dataclasses.is_dataclass(cls):
        _dataclass(w, node, thing, cls, given)
    elif base_of(cls) in (list, set, collections.deque, bytearray):
        w.m.heap.put(thing, ELEMENT, access.iterate(w, node, given.get(0)))
    elif base_of(cls) is dict:
        access.asks_itself(w, node, thing)
        for part in given.args[:1]:
            access.update(w, node, thing, part)
        if given.named or given.named_rest:
            w.m.heap.put(thing, KEY, one_of(str))
            w.m.heap.put(thing, ELEMENT, frozenset().union(*given.named.values(),
                                                           given.named_rest or NOTHING))


def initial_state(w, thing: Object, cls: type) -> None:
    """The fields of a new state. What can be hashed is shared, anything else is a deep copy."""
    for name, initial, own in cls.__record_initial__:
        label = f"{class_name(cls)}.{name}"
        found = value(thing_of(initial, label, f"the default value of `{label}`"))
        if own:
            modules.check_copies(w, w.scope.node, found)
            found = modules.deep_copy(w, (thing, name), found, thing.origin)
        access.put(w, thing, name, found)


def _dataclass(w, node: ast.AST, thing: Object, cls: type, given: calls.Arguments) -> None:
    try:
        parameters = [p.name for p in inspect.signature(cls.__init__).parameters.values()
                      if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
    except (TypeError, ValueError):
        calls.no_source(w, node, given)
        return
    for name, field in cls.__dataclass_fields__.items():
        place = parameters.index(name) if name in parameters else len(given.args) + 99
        found = given.get(place, name) if field.init else NOTHING
        certain = place < len(given.args) or name in given.named
        if not certain:
            found |= _default(w, node, cls, field)
        _stored(w, node, thing, name, found)
    after = member(cls, "__post_init__")
    if isinstance(after, types.FunctionType):
        rest = [given.get(parameters.index(n), n) for n in _init_only(cls) if n in parameters]
        calls.run(w, node, after, calls.Arguments([value(thing), *rest]))
    elif after is not MISSING:
        operations.own_way(w, node, class_name(cls))


def _stored(w, node: ast.AST, thing: Object, name: str, found: Value) -> None:
    slot = member(thing.cls, name)
    described = is_a(slot, property) or isinstance(
        member(type(slot), "__set__"), types.FunctionType)
    if described or python_method(thing, "__setattr__") is not None:
        attributes.set_attribute(w, node, value(thing), name, found)
    else:
        access.put(w, thing, name, found)


def _init_only(cls: type) -> list[str]:
    return [n for n, f in cls.__dataclass_fields__.items()
            if f._field_type is dataclasses._FIELD_INITVAR]


def _default(w, node: ast.AST, cls: type, field: dataclasses.Field) -> Value:
    label = f"{class_name(cls)}.{field.name}"
    if field.default is not dataclasses.MISSING:
        return value(calls.seen(w, node, thing_of(
            field.default, label, f"the default value of `{label}`")))
    if field.default_factory is not dataclasses.MISSING:
        factory = value(thing_of(field.default_factory, label, f"what makes `{label}`"))
        return calls.invoke(w, node, factory, [])
    return NOTHING
