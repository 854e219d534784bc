"""Items and iteration: what is read from a collection, and what is put into it."""

from __future__ import annotations

import ast
import collections
import contextlib
import enum
import functools
import io
import itertools
import types
from collections.abc import Iterator

from anabranch.analysis.effects import attributes, calls, operations
from anabranch.analysis.effects.environment import (
    OPEN,
    PLAIN,
    attributes_in,
    is_a,
    parts_of,
    things_of,
)
from anabranch.analysis.effects.library import arrays
from anabranch.analysis.effects.machine import SHARED_OBJECTS
from anabranch.analysis.effects.members import MISSING, base_of, member, python_method
from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    KEY,
    NONE,
    NOTHING,
    OF,
    UNKNOWN,
    Bound,
    InnerFunction,
    Method,
    Object,
    Plain,
    SharedObject,
    Thing,
    Value,
    one_of,
    value,
)
from anabranch.analysis.fact import EffectKind
from anabranch.core.source import class_name

GENERATOR = types.GeneratorType
COLLECTIONS = (list, tuple, set, frozenset, dict, collections.deque, bytearray,
               types.MappingProxyType)
CACHED = functools.cached_property  # noqa: TID251
"""What users may have, and we do not use."""
LIST_ITERATOR = type(iter([]))
COMPARING = type(functools.cmp_to_key(len))
CALLING = (functools.partial, COMPARING)
"""Objects of the library that call what they are made of."""
ITERATORS = frozenset((
    GENERATOR, LIST_ITERATOR, enumerate, zip, map, filter, reversed, itertools.chain,
    itertools.islice, itertools.groupby, itertools.count, itertools.cycle, itertools.repeat,
    itertools.accumulate, itertools.starmap, itertools.takewhile, itertools.dropwhile,
    itertools.filterfalse, itertools.compress, itertools.product, itertools.permutations,
    itertools.combinations, itertools.combinations_with_replacement, itertools.zip_longest,
    itertools.pairwise))


# What lies in an object

def put(w, thing: Thing, part: object, found: Value) -> None:
    if isinstance(thing, Object):
        w.m.heap.put(thing, part, found)
        if thing.origin != "made" and any(isinstance(t, (InnerFunction, Bound)) for t in found):
            w.m.unresolved("?", "keeps a function for later", None)


def _parts(w, thing: Thing, part: object) -> Value:
    if isinstance(thing, Object):
        return w.m.heap.get(thing, part)
    return parts_of(thing, part) if isinstance(thing, SharedObject) else NOTHING


def elements(w, thing: Thing) -> Value:
    """The elements of a collection, without iterating it; the keys of a dict."""
    if isinstance(thing, Plain):
        return _plain_elements(thing.cls)
    if thing.cls is None or not isinstance(thing, (Object, SharedObject)):
        return everything_in(w, thing)
    if issubclass(thing.cls, (dict, types.MappingProxyType)):
        return keys(w, thing)
    found = _parts(w, thing, ELEMENT)
    if isinstance(thing, Object):
        found |= frozenset().union(*(v for k, v in w.m.heap.of(thing).items()
                                     if isinstance(k, int) or _is_field(thing, k)))
    return found


def _is_field(thing: Object, part: object) -> bool:
    return issubclass(thing.cls, tuple) and isinstance(part, str) and part not in (
        ELEMENT, KEY, OF)


def keys(w, thing: Thing) -> Value:
    return everything_in(w, thing) if thing.cls is None else _parts(w, thing, KEY)


def values(w, thing: Thing) -> Value:
    return everything_in(w, thing) if thing.cls is None else _parts(w, thing, ELEMENT)


def everything_in(w, thing: Thing) -> Value:
    """All that lies right in an object."""
    if isinstance(thing, Object):
        return frozenset().union(*w.m.heap.of(thing).values())
    if isinstance(thing, SharedObject):
        own = (v for m in thing.members if not is_a(m, OPEN)
               for n, v in attributes_in(m).items() if n != "__objclass__")
        fields = (v for m in thing.members if is_a(m, tuple) for v in tuple.__iter__(m))
        called = (p for m in thing.members if is_a(m, functools.partial)
                  for p in (m.func, *m.args, *m.keywords.values()))
        found = things_of([*own, *fields, *called], thing)
        return found | parts_of(thing, ELEMENT) | parts_of(thing, KEY)
    return NOTHING


def reached(w, found: Value, within_iterators: bool = True) -> set[Thing]:
    """The things of a value and all that lies in them, in objects from outside too; of iterators
    what they give, and if wanted what they are made of."""
    seen: set[Thing] = set()
    waiting = list(found)
    while waiting:
        thing = waiting.pop()
        if thing not in seen:
            seen.add(thing)
            passed = not within_iterators and thing.cls in ITERATORS and isinstance(thing, Object)
            waiting.extend([thing.owner] if isinstance(thing, (Bound, Method)) else
                           elements(w, thing) if passed else everything_in(w, thing))
    return seen


def library_object(w, node: ast.AST, holding: Value, *more: object) -> Value:
    """Some object of the standard library that may hold these."""
    thing = w.made(node, None, "library", *more)
    inside = holding | frozenset().union(*(everything_in(w, t) for t in holding))
    w.m.heap.put(thing, ELEMENT, inside - {thing} - {t for t in inside if isinstance(
        t, Object) and t.cls is None and t.site[:2] == thing.site[:2]})
    return value(thing)


NAMELESS = "nameless"
"""In the site of an object of the library: its text says where it lies in memory."""


def is_nameless(thing: Thing) -> bool:
    return isinstance(thing, Object) and thing.cls is None and NAMELESS in thing.site


def _plain_elements(cls: type) -> Value:
    return {str: one_of(str), bytes: one_of(int), range: one_of(int)}.get(cls, NOTHING)


def is_empty(w, thing: Thing) -> bool:
    """Whether it is a collection into which nothing was ever put."""
    return isinstance(thing, (Object, SharedObject)) and thing.cls is not None and issubclass(
        thing.cls, COLLECTIONS) and not everything_in(w, thing)


# Iteration

def iterate(w, node: ast.AST, found: Value, ordered: bool = True) -> Value:
    """What iterating gives. `ordered` says that the order can be seen."""
    return frozenset().union(*(_iterated(w, node, thing, ordered) for thing in found))


def _iterated(w, node: ast.AST, thing: Thing, ordered: bool) -> Value:
    if thing is ANYTHING:
        return operations.unknown(w, node, "goes through")
    if isinstance(thing, Plain):
        return _plain_elements(thing.cls)
    if not isinstance(thing, (Object, SharedObject)):
        return NOTHING
    if isinstance(thing, SharedObject) and is_a(thing.value, type):
        return _members_of_enum(w, node, thing)
    _asked_for_length(w, node, thing)
    if python_method(thing, "__iter__") is not None:
        return _gone_through(w, node, calls.special(w, node, thing, "__iter__"))
    if thing.cls is None:
        w.m.change(thing, w.at(node), ast.unparse(node))
        return everything_in(w, thing) | value(thing)
    if member(thing.cls, "__iter__") is MISSING and python_method(thing, "__getitem__") is not None:
        return calls.special(w, node, thing, "__getitem__", one_of(int))
    return built_in_elements(w, node, thing, ordered)


def _asked_for_length(w, node: ast.AST, thing: Thing) -> None:
    """A list that is made of the elements asks how many there may be."""
    if isinstance(thing, (Object, SharedObject)) and thing.cls is not None:
        operations.length(w, node, value(thing))
        operations.special_results(w, node, value(thing), "__length_hint__")


def _gone_through(w, node: ast.AST, iterators: Value) -> Value:
    found = NOTHING
    for thing in iterators:
        _asked_for_length(w, node, thing)
        if isinstance(thing, (Object, SharedObject)) and (
                python_method(thing, "__next__") is not None):
            found |= calls.special(w, node, thing, "__next__")
        elif thing is ANYTHING:
            found |= operations.unknown(w, node, "goes through")
        elif isinstance(thing, (Object, SharedObject)) and thing.cls is not None and (
                python_method(thing, "__iter__") is None):
            found |= built_in_elements(w, node, thing, True)
        elif thing.cls is None:
            found |= everything_in(w, thing) | value(thing)
    return found


def built_in_elements(w, node: ast.AST, thing: Object | SharedObject, ordered: bool) -> Value:
    if isinstance(thing, SharedObject) and is_a(thing.value, Iterator):
        return goes_on(w, node, thing)
    if thing.cls in ITERATORS:
        w.m.change(thing, w.at(node), ast.unparse(node))
        return _parts(w, thing, ELEMENT)
    if arrays.is_array(thing.cls):
        return arrays.elements(w, node, thing)
    if ordered and issubclass(thing.cls, (set, frozenset)):
        order_seen(w, node, thing)
    if isinstance(thing, SharedObject) and not issubclass(thing.cls, COLLECTIONS):
        return operations.unknown(w, node, "goes through") if hasattr(
            thing.cls, "__iter__") else NOTHING
    return elements(w, thing)


def goes_on(w, node: ast.AST, thing: SharedObject) -> Value:
    """An iterator from outside gives something else with every use."""
    kind = EffectKind.IO if is_a(thing.value, io.IOBase) else EffectKind.WRITES
    w.m.add(kind, thing.name, f"uses the {class_name(thing.cls)} `{thing.name}`, which goes on "
            "with every use", w.at(node), w.m.changing(thing))
    return one_of(int) if type(thing.value) is itertools.count else UNKNOWN


def order_seen(w, node: ast.AST, thing: Object | SharedObject) -> None:
    """Sets whose order can be seen: that of texts and most objects differs from run to run.

    So does that of floats: NaN is hashed by where it lies.
    """
    numbers = all(isinstance(t, Plain) and t.cls in (bool, int) for t in elements(w, thing))
    moved = isinstance(thing, Object) and thing.origin != "made"
    if not numbers or moved:
        shown = ast.unparse(node)
        w.m.add(EffectKind.RANDOM, shown, f"goes through `{shown}`, a set, whose order differs "
                "from run to run", w.at(node))


def _members_of_enum(w, node: ast.AST, thing: SharedObject) -> Value:
    if issubclass(thing.value, enum.Enum) and type(thing.value) is enum.EnumMeta:
        return things_of(thing.value.__members__.values(), thing)
    if member(type(thing.value), "__iter__") is not MISSING:
        return operations.own_way(w, node)
    return NOTHING


def unpacked(w, node: ast.AST, found: Value, number: int) -> Value:
    """The part at a position of what is unpacked."""
    result = NOTHING
    for thing in found:
        if isinstance(thing, Object) and thing.cls is tuple and number in w.m.heap.of(thing):
            result |= w.m.heap.get(thing, number) | w.m.heap.get(thing, ELEMENT)
        elif isinstance(thing, SharedObject) and type(thing.value) is tuple:
            result |= parts_of(thing, number)
        else:
            result |= _iterated(w, node, thing, True)
    return result


def in_sequence(w, node: ast.AST, found: Value) -> Value:
    """What the pattern of a sequence looks at."""
    things = frozenset(t for t in found if not (isinstance(t, Plain) and t.cls in (str, bytes)))
    for thing in things:
        for name in ("__len__", "__getitem__"):
            if isinstance(thing, (Object, SharedObject)) and python_method(thing, name) is not None:
                calls.special(w, node, thing, name, *([one_of(int)] if name != "__len__" else []))
    return iterate(w, node, things)


# Items

def get_item(w, node: ast.AST, found: Value, position: Value, text: ast.expr | None = None
             ) -> Value:
    operations.index(w, node, frozenset(t for t in position if t is not ANYTHING))
    return frozenset().union(*(_item(w, node, thing, position, text) for thing in found))


def _item(w, node: ast.AST, thing: Thing, position: Value, text: ast.expr | None) -> Value:
    if thing is ANYTHING:
        return operations.unknown(w, node, "looks up")
    sliced = Plain(slice) in position
    if isinstance(thing, Plain):
        if thing.cls is bytes:
            return one_of(bytes) if sliced else one_of(int)
        return {str: one_of(str), range: one_of(int, range)}.get(thing.cls) or (
            one_of(str, type(None)) if thing.cls.__name__ == "Match" else one_of(types.GenericAlias)
            if thing.cls is types.GenericAlias else NOTHING)
    if not isinstance(thing, (Object, SharedObject)):
        return NOTHING
    if isinstance(thing, SharedObject) and is_a(thing.value, type):
        return _class_item(w, node, thing, position)
    if python_method(thing, "__getitem__") is not None:
        return calls.special(w, node, thing, "__getitem__", position)
    if thing.cls is None:
        return everything_in(w, thing) | value(thing)
    if arrays.is_array(thing.cls):
        return arrays.item(w, node, thing)
    base = base_of(thing.cls)
    if base is dict or base is types.MappingProxyType:
        return looked_up(w, node, thing, position)
    if base is str or base is bytes:
        return one_of(base, int)
    if sliced:
        return w.collection(node, base, elements(w, thing))
    if base not in (list, tuple, collections.deque, bytearray):
        return operations.unknown(w, node, "looks up") if member(
            thing.cls, "__getitem__") is not MISSING else NOTHING
    number = text.value if isinstance(text, ast.Constant) and type(text.value) is int else None
    if base is tuple and number is not None:
        return _place(w, thing, number)
    return elements(w, thing)


def _place(w, thing: Object | SharedObject, number: int) -> Value:
    if isinstance(thing, SharedObject):
        return parts_of(thing, number) if number >= -1 else elements(w, thing)
    if number in w.m.heap.of(thing):
        return w.m.heap.get(thing, number) | w.m.heap.get(thing, ELEMENT)
    return elements(w, thing)


def looked_up(w, node: ast.AST, thing: Object | SharedObject, position: Value) -> Value:
    operations.hashed(w, node, position)
    operations.equality(w, node, position, keys(w, thing))
    found = values(w, thing)
    if issubclass(thing.cls, collections.Counter):
        found |= one_of(int)
    if python_method(thing, "__missing__") is not None:
        found |= calls.special(w, node, thing, "__missing__", position)
    elif issubclass(thing.cls, collections.defaultdict):
        found |= missing(w, node, thing, position)
    return found


def missing(w, node: ast.AST, thing: Object | SharedObject, position: Value) -> Value:
    """A defaultdict is asked for a key that it may not have: it is changed."""
    asks_itself(w, node, thing)
    w.m.change(thing, w.at(node), ast.unparse(node))
    made = calls.invoke(w, node, factories(w, thing), [])
    if isinstance(thing, SharedObject):
        return made
    put(w, thing, KEY, position)
    put(w, thing, ELEMENT, made)
    return made


def factories(w, thing: Thing) -> Value:
    """What a defaultdict calls for a key that it does not have."""
    if thing.cls is None or not issubclass(thing.cls, collections.defaultdict):
        return NOTHING
    if isinstance(thing, Object):
        return w.m.heap.get(thing, OF)
    found = [m.default_factory for m in thing.members if m.default_factory is not None]
    return frozenset().union(*map(attributes.function_of, found))


def _class_item(w, node: ast.AST, thing: SharedObject, position: Value) -> Value:
    cls = thing.value
    if issubclass(cls, enum.Enum):
        return things_of(cls.__members__.values(), thing)
    found = member(cls, "__class_getitem__")
    if type(found) is classmethod and isinstance(found.__func__, types.FunctionType):
        if not calls.is_standard(found.__func__):
            return calls.run(w, node, found.__func__, calls.Arguments([value(thing), position]))
    elif found is not MISSING and not is_a(found, types.ClassMethodDescriptorType):
        return operations.own_way(w, node)
    if member(type(cls), "__getitem__") is not MISSING:
        return operations.own_way(w, node)
    if any(not isinstance(t, Plain) and not is_a(getattr(t, "value", None), type)
           and t.cls is not tuple for t in position):
        return operations.later(w, node)
    return one_of(types.GenericAlias)


def set_item(w, node: ast.AST, found: Value, position: Value, new: Value) -> None:
    owner = node.value if isinstance(node, ast.Subscript) else node
    for thing in found:
        if isinstance(thing, (Object, SharedObject)) and (
                python_method(thing, "__setitem__") is not None):
            calls.special(w, node, thing, "__setitem__", position, new)
        elif not isinstance(thing, Plain):
            w.m.change(thing, w.at(owner), ast.unparse(owner))
            operations.index(w, node, frozenset(t for t in position if t is not ANYTHING))
            several = Plain(slice) in position and thing.cls is not None
            put_item(w, node, thing, position, iterate(w, node, new) if several and not (
                arrays.is_array(thing.cls)) else new)


def put_item(w, node: ast.AST, thing: Thing, position: Value, new: Value) -> None:
    if thing.cls is not None and isinstance(thing, (Object, SharedObject)) and issubclass(
            thing.cls, dict):
        operations.hashed(w, node, position)
        operations.equality(w, node, position, keys(w, thing))
        put(w, thing, KEY, position)
    elif thing.cls is not None and issubclass(thing.cls, bytearray):
        operations.index(w, node, new - UNKNOWN)
    elif arrays.is_array(thing.cls):
        arrays.taken_in(w, node, new)
    put(w, thing, ELEMENT, new)


def delete_item(w, node: ast.AST, found: Value, position: Value) -> None:
    owner = node.value if isinstance(node, ast.Subscript) else node
    for thing in found:
        if isinstance(thing, (Object, SharedObject)) and (
                python_method(thing, "__delitem__") is not None):
            calls.special(w, node, thing, "__delitem__", position)
        elif not isinstance(thing, Plain):
            if thing.cls is not None and isinstance(thing, (Object, SharedObject)) and issubclass(
                    thing.cls, dict):
                operations.hashed(w, node, position)
                operations.equality(w, node, position, keys(w, thing))
            w.m.change(thing, w.at(owner), ast.unparse(owner), "removes from")


def is_mapped_in_its_way(thing: Object | SharedObject) -> bool:
    """Whether code of the user's says which keys and values it has."""
    return any(python_method(thing, n) is not None for n in ("keys", "__getitem__", "__iter__"))


def asks_itself(w, node: ast.AST, thing: Thing) -> bool:
    """Whether methods of a dict call others of it that are the user's; that is noted."""
    own = isinstance(thing, (Object, SharedObject)) and thing.cls is not None and issubclass(
        thing.cls, ASKING) and any(python_method(thing, name) is not None for name in ASKED)
    if own:
        operations.own_way(w, node, class_name(thing.cls))
    return own


ASKING = (collections.OrderedDict, collections.Counter, collections.defaultdict)
ASKED = ("__setitem__", "__getitem__", "__delitem__", "__contains__", "__iter__", "__len__", "get",
         "items", "keys", "values", "update", "pop", "setdefault")


def update(w, node: ast.AST, thing: Thing, given: Value) -> None:
    """All that a dict or pairs hold is put into a dict."""
    asks_itself(w, node, thing)
    for other in given:
        if other is ANYTHING:
            operations.unknown(w, node)
            put(w, thing, KEY, UNKNOWN)
            put(w, thing, ELEMENT, UNKNOWN)
        elif isinstance(other, (Object, SharedObject)):
            if is_mapped_in_its_way(other):
                operations.own_way(w, node)
            elif other.cls is not None and issubclass(other.cls, dict):
                put_item(w, node, thing, keys(w, other), values(w, other))
            else:
                pairs = iterate(w, node, value(other))
                put_item(w, node, thing, unpacked(w, node, pairs, 0), unpacked(w, node, pairs, 1))


# With, and patterns

def enter(w, node: ast.AST, found: Value) -> Value:
    """`with` calls methods of the object."""
    result, shown = NOTHING, ast.unparse(node)
    for thing in found:
        if isinstance(thing, Object) and thing.cls is contextlib._GeneratorContextManager:
            # It goes on behind the block, or takes the error: all of it is walked already.
            result |= iterate(w, node, w.m.heap.get(thing, "gen"))
        elif isinstance(thing, (Object, SharedObject)) and thing.cls is not None and (
                python_method(thing, "__enter__") is not None):
            result |= calls.special(w, node, thing, "__enter__")
            operations.truth(w, node, calls.special(w, node, thing, "__exit__", *[library_object(
                w, node, NOTHING, "error") | value(NONE)] * 3))
        elif isinstance(thing, Object) and thing.cls is None:
            result |= value(thing) | everything_in(w, thing)
        else:
            result |= w.unproved(node, shown, f"enters `{shown}`, whose methods are not known",
                                   frozenset((SHARED_OBJECTS,)))
    return result


def mapped(w, node: ast.AST, found: Value, wanted: list[Value]) -> Value:
    """What the pattern of a mapping takes out: it asks for the length, and then by `get`."""
    result = NOTHING
    for thing in found:
        if thing is ANYTHING:
            result |= operations.unknown(w, node, "looks into")
        elif isinstance(thing, (Object, SharedObject)) and thing.cls is not None:
            result |= _mapped(w, node, thing, wanted)
    return result


def _mapped(w, node: ast.MatchMapping, thing: Object | SharedObject, wanted: list[Value]) -> Value:
    operations.length(w, node, value(thing))
    own = [name for name in ("__getitem__", "get", "keys") if _of_user(thing, name)]
    if node.rest and is_mapped_in_its_way(thing):
        operations.own_way(w, node)
    result = NOTHING
    for name in own:
        result |= calls.special(w, node, thing, name, *(
            [frozenset().union(*wanted), UNKNOWN] if name == "get" else
            [frozenset().union(*wanted)] if name == "__getitem__" else []))
    if issubclass(thing.cls, (dict, types.MappingProxyType)):
        for position in wanted:
            result |= looked_up(w, node, thing, position)
    return result


def _of_user(thing: Object | SharedObject, name: str) -> bool:
    return member(thing.cls, name) is not MISSING and python_method(thing, name) is not None


def matched(w, node: ast.AST, subject: Value, classes: Value, number: int) -> Value:
    """What a positional part of a class pattern is compared with."""
    result = NOTHING
    for thing in classes:
        cls = thing.value if isinstance(thing, SharedObject) and is_a(thing.value, type) else None
        if cls is None:
            return operations.unknown(w, node, "looks into")
        if base_of(cls) in PLAIN | {list, tuple, dict, set, frozenset, bytearray} and (
                member(cls, "__match_args__") is MISSING):
            result |= subject
            continue
        names = member(cls, "__match_args__")
        if not isinstance(names, tuple):
            result |= operations.own_way(w, node)
        elif number < len(names):
            result |= attributes.get_attribute(w, node, subject, names[number])
    return result
