"""Built-in functions, and those that work on functions, iterators and collections."""

from __future__ import annotations

import ast
import bisect
import collections
import contextlib
import copy
import csv
import dataclasses
import datetime
import decimal
import functools
import heapq
import io
import itertools
import operator
import typing
from collections.abc import Callable

import numpy as np

from anabranch.analysis.effects import access, attributes, calls, classes, operations
from anabranch.analysis.effects.environment import (
    are_fixed,
    attributes_in,
    is_a,
    thing_of,
    things_of,
)
from anabranch.analysis.effects.library import modules
from anabranch.analysis.effects.machine import EVERYTHING
from anabranch.analysis.effects.members import (
    KNOWN,
    fields_of_tuple,
    has_own_parts,
    python_method,
)
from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    NONE,
    NOTHING,
    UNKNOWN,
    InnerFunction,
    Object,
    Plain,
    SharedObject,
    Thing,
    Unlikely,
    Value,
    one_of,
    value,
)
from anabranch.analysis.fact import EffectKind
from anabranch.core.source import class_name
from anabranch.ir.records import Record

MODELS: dict[int, Callable] = {}
ANY_ORDER = (sum, any, all, set, frozenset, len, sorted, min, max)


def takes_any_order(found: object) -> bool:
    """Whether the order of what a function is given cannot be seen in what it gives."""
    return any(found is function for function in ANY_ORDER)


def model(*known: object):
    def register(function):
        MODELS.update((id(each), function) for each in known)
        return function
    return register


# Effects

@model(print, open, input, breakpoint)
def _io(w, node, given):
    return modules.has_effect(w, node, EffectKind.IO)


@model(id)
def _identity(w, node, given):
    modules.has_effect(w, node, EffectKind.RANDOM)
    return one_of(int)


@model(hash)
def _hash(w, node, given):
    operations.hashed(w, node, given.all)
    # NaN is hashed by where it lies.
    if not _is_only_looked_up(w, node) and not all(
            isinstance(t, Plain) and t.cls in (int, bool) for t in given.all):
        modules.has_effect(w, node, EffectKind.RANDOM)
    return one_of(int)


def _is_only_looked_up(w, node) -> bool:
    """Whether it is what `__hash__` gives to a dict or a set, which show it to nobody."""
    definition = w.frame.scope.node
    return w.m.hashing and isinstance(definition, ast.FunctionDef) and (
        definition.name == "__hash__") and any(
            isinstance(part, ast.Return) and part.value is node for part in definition.body)


@model(exec)
def _exec(w, node, given):
    _anything(w, node, given)
    return one_of(type(None))


@model(eval, globals, locals, vars, compile, __import__, dir)
def _anything(w, node, given):
    name = calls.shown(node)
    return w.unproved(node, name, f"calls `{name}`, whose source cannot be found",
                        frozenset((EVERYTHING,)))


# Numbers and texts

@model(abs)
def _absolute(w, node, given):
    return operations.unary_named(w, node, "abs", given.get(0))


@model(round)
def _round(w, node, given):
    operations.number(w, node, given.get(0))
    operations.index(w, node, given.get(1, "ndigits"))
    found = operations.special_results(w, node, given.get(0), "__round__",
                                       given.get(1, "ndigits"))
    plain = frozenset(t for t in given.get(0) if isinstance(t, Plain))
    return found | (plain if given.get(1, "ndigits") - {NONE} else NOTHING) | (
        one_of(int) if plain and not given.get(1, "ndigits") - {NONE} else NOTHING)


@model(divmod)
def _divmod(w, node, given):
    own = operations.special_pair(w, node, "divmod", given.get(0), given.get(1))
    if own:
        return own
    parts = [operations.binary_named(w, node, name, given.get(0), given.get(1))
             for name in ("floordiv", "mod")]
    return w.collection(node, tuple, frozenset().union(*parts))


@model(pow)
def _pow(w, node, given):
    if given.get(2, "mod") - {NONE}:
        own = operations.special_results(w, node, given.get(0), "__pow__", given.get(1, "exp"),
                                         given.get(2, "mod"))
        if given.is_exact:
            return own | one_of(int)
    return operations.binary_named(w, node, "pow", given.get(0, "base"), given.get(1, "exp"))


@model(bin, hex, oct)
def _digits(w, node, given):
    operations.index(w, node, given.get(0))
    return one_of(str)


@model(chr)
def _character(w, node, given):
    operations.index(w, node, given.get(0))
    return one_of(str)


@model(ord)
def _code(w, node, given):
    modules.check_plain(w, node, given)
    return one_of(int)


@model(repr, ascii, format)
def _shown(w, node, given):
    return operations.text(w, node, given.all)


@model(len, operator.length_hint)
def _length(w, node, given):
    if ANYTHING in given.get(0):
        operations.unknown(w, node)
    operations.special_results(w, node, given.get(0), "__length_hint__")
    return operations.length(w, node, given.get(0))


# Looking at items

@model(any, all)
def _any(w, node, given):
    return operations.truth(w, node, access.iterate(w, node, given.get(0), ordered=False))


@model(sum)
def _sum(w, node, given):
    found = access.iterate(w, node, given.get(0), ordered=False)
    if any(not isinstance(t, Plain) or t.cls not in (int, bool) for t in found):
        # The order decides how floats are rounded, and in which order objects are added.
        _in_order(w, node, given)
    return _folded(w, node, given.get(1, "start") or one_of(int), lambda total: (
        operations.binary_named(w, node, "add", total, found)))


MOST_STEPS = 30


def _folded(w, node, total: Value, step: Callable[[Value], Value]) -> Value:
    """What comes out of a step that is repeated with what it gave before."""
    for _ in range(MOST_STEPS):
        before = total
        total |= step(total)
        if total == before:
            return total
    return operations.later(w, node)


def _in_order(w, node, given) -> None:
    """Looks at the items of the first argument again, as one who sees their order."""
    if isinstance(node, ast.Call) and node.args:
        access.iterate(w, node.args[0], given.get(0))
        node.args[0].any_order = False
        w.value(node.args[0])


ORDERED = (str, bytes, datetime.datetime, datetime.date, datetime.timedelta)


def _are_put_in_one_order(w, found: Value, depth: int = 3) -> bool:
    """Whether values have one order, in which only what is the same is equal.

    NaN is neither before nor behind a number, and 0.0 is -0.0, as 1 is True.
    """
    classes = {t.cls for t in found if isinstance(t, Plain)}
    inside = [access.everything_in(w, t) for t in found
              if isinstance(t, (Object, SharedObject)) and t.cls in (tuple, list)]
    return (len(inside) + sum(isinstance(t, Plain) for t in found) == len(found)
            and (classes <= {*ORDERED, int, type(None)} or classes == {bool})
            and (not inside or (depth > 0 and all(
                _are_put_in_one_order(w, each, depth - 1) for each in inside))))


@model(min, max)
def _extreme(w, node, given):
    several = len(given.args) > 1 or given.rest is not None
    key = given.keyword("key") - {NONE}
    found = frozenset().union(*given.args, given.rest or NOTHING) if several else NOTHING
    if len(given.args) <= 1:
        found |= access.iterate(w, node.args[0] if getattr(node, "args", None) else node,
                                given.get(0), ordered=bool(key))
        if not key and not _are_put_in_one_order(w, found):
            _in_order(w, node, given)
    _ordered_by(w, node, found, key)
    return found | given.named.get("default", NOTHING)


def _ordered_by(w, node, found: Value, key: Value) -> None:
    compared = calls.invoke(w, node, key, [found]) if key else found
    operations.equality(w, node, compared, compared, "lt")


@model(sorted)
def _sorted(w, node, given):
    operations.flag(w, node, given.keyword("reverse"))
    key = given.keyword("key") - {NONE}
    found = access.iterate(w, node.args[0] if getattr(node, "args", None) else node, given.get(0),
                           ordered=bool(key))
    if not key and not _are_put_in_one_order(w, found):
        _in_order(w, node, given)
    _ordered_by(w, node, found, key)
    return w.collection(node, list, found)


@model(heapq.nlargest, heapq.nsmallest)
def _largest(w, node, given):
    operations.index(w, node, given.get(0, "n"))
    key = given.get(2, "key") - {NONE}
    found = access.iterate(w, node, given.get(1, "iterable"), ordered=False)
    if key or not _are_put_in_one_order(w, found):
        access.iterate(w, node, given.get(1, "iterable"))
    _ordered_by(w, node, found, key)
    return w.collection(node, list, found)


# Iterators

def _iterator(w, node, cls: type, found: Value, given: calls.Arguments) -> Value:
    thing = w.collection(node, cls, found)
    for each in thing:
        w.m.heap.put(each, access.OF, given.all)
    return thing


def _tuple(w, node, parts: list[Value], *more: object) -> Value:
    thing = w.made(node, tuple, "item", *more)
    w.m.heap.put(thing, ELEMENT, NOTHING)
    for number, part in enumerate(parts):
        w.m.heap.put(thing, number, part)
    return value(thing)


def _each(w, node, given: calls.Arguments) -> list[Value]:
    parts = [*given.args, *([given.rest] if given.rest is not None else [])]
    return [access.iterate(w, node, part) for part in parts]


@model(iter)
def _iter(w, node, given):
    if given.rest is not None:
        return calls.no_source(w, node, given)
    if len(given.args) > 1:
        found = calls.invoke(w, node, given.get(0), [])
        operations.equality(w, node, found, given.get(1))
        return _iterator(w, node, access.LIST_ITERATOR, found, given)
    own = NOTHING
    for thing in given.get(0):
        if isinstance(thing, (Object, SharedObject)) and thing.cls is not None and (
                python_method(thing, "__iter__") is not None):
            own |= calls.special(w, node, thing, "__iter__")
        elif thing.cls in access.ITERATORS:
            own |= value(thing)
    rest = frozenset(t for t in given.get(0) if t.cls not in access.ITERATORS and not (
        isinstance(t, (Object, SharedObject)) and python_method(t, "__iter__") is not None))
    found = access.iterate(w, node, rest)
    return own | (_iterator(w, node, access.LIST_ITERATOR, found, given) if rest else NOTHING)


@model(next)
def _next(w, node, given):
    found = given.get(1)
    for thing in given.get(0):
        if isinstance(thing, (Object, SharedObject)) and thing.cls is not None and (
                python_method(thing, "__next__") is not None):
            found |= calls.special(w, node, thing, "__next__")
        elif thing is ANYTHING:
            found |= operations.unknown(w, node)
        elif isinstance(thing, SharedObject) or thing.cls in access.ITERATORS or thing.cls is None:
            found |= access.iterate(w, node.args[0] if getattr(node, "args", None) else node,
                                    value(thing))
    return found


@model(enumerate)
def _enumerate(w, node, given):
    operations.index(w, node, given.get(1, "start"))
    found = access.iterate(w, node, given.get(0))
    return _iterator(w, node, enumerate, _tuple(w, node, [one_of(int), found]), given)


@model(zip, itertools.zip_longest)
def _zip(w, node, given):
    operations.flag(w, node, given.keyword("strict"))
    parts = _each(w, node, given)
    if given.rest is not None:
        return _iterator(w, node, zip, w.collection(
            node, tuple, frozenset().union(*parts) | value(NONE), None, "row"), given)
    filled = given.named.get("fillvalue", value(NONE)) if parts else NOTHING
    return _iterator(w, node, zip, _tuple(w, node, [p | filled for p in parts]), given)


@model(map)
def _map(w, node, given):
    found = calls.invoke(w, node, given.get(0), _each(w, node, given.after(1)))
    return _iterator(w, node, map, found, given)


@model(itertools.starmap)
def _starmap(w, node, given):
    parts = [access.iterate(w, node, p) for p in _each(w, node, given.after(1))]
    found = calls.invoke_with(w, node, given.get(0), calls.Arguments(
        [], rest=frozenset().union(*parts)))
    return _iterator(w, node, map, found, given)


@model(filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile)
def _filter(w, node, given):
    found = access.iterate(w, node, given.get(1))
    test = given.get(0) - {NONE}
    operations.truth(w, node, calls.invoke(w, node, test, [found]) if test else found)
    return _iterator(w, node, filter, found, given)


@model(reversed)
def _reversed(w, node, given):
    found = NOTHING
    for thing in given.get(0):
        known = isinstance(thing, (Object, SharedObject)) and thing.cls is not None
        if known and python_method(thing, "__reversed__") is not None:
            found |= access.iterate(w, node, calls.special(w, node, thing, "__reversed__"))
        elif known and python_method(thing, "__getitem__") is not None:
            operations.length(w, node, value(thing))
            found |= calls.special(w, node, thing, "__getitem__", one_of(int))
        else:
            found |= access.iterate(w, node, value(thing))
    return _iterator(w, node, reversed, found, given)


@model(itertools.chain, itertools.cycle)
def _chain(w, node, given):
    return _iterator(w, node, itertools.chain, frozenset().union(*_each(w, node, given)), given)


@model(itertools.islice)
def _islice(w, node, given):
    for position in (*given.args[1:], given.rest or NOTHING):
        operations.index(w, node, position)
    return _chain(w, node, calls.Arguments(given.args[:1], rest=given.rest))


@model(itertools.compress)
def _compress(w, node, given):
    operations.truth(w, node, access.iterate(w, node, given.get(1, "selectors")))
    found = access.iterate(w, node, given.get(0, "data"))
    return _iterator(w, node, itertools.compress, found, given)


@model(itertools.repeat)
def _repeat(w, node, given):
    operations.index(w, node, given.get(1, "times"))
    return _iterator(w, node, itertools.repeat, given.get(0), given)


@model(itertools.count)
def _count(w, node, given):
    return _iterator(w, node, itertools.count, one_of(int) | given.all, given)


@model(itertools.product, itertools.permutations, itertools.combinations,
       itertools.combinations_with_replacement, itertools.pairwise)
def _product(w, node, given):
    operations.index(w, node, given.all)
    found = frozenset().union(*_each(w, node, calls.Arguments(
        [a for a in given.args if not all(isinstance(t, Plain) and t.cls is int for t in a)],
        rest=given.rest)))
    return _iterator(w, node, itertools.product, w.collection(node, tuple, found, None, "row"),
                     given)


@model(itertools.groupby)
def _groupby(w, node, given):
    found = access.iterate(w, node, given.get(0))
    key = given.get(1, "key") - {NONE}
    keys = calls.invoke(w, node, key, [found]) if key else found
    operations.equality(w, node, keys, keys)
    group = w.collection(node, access.LIST_ITERATOR, found, None, "group")
    return _iterator(w, node, itertools.groupby, _tuple(w, node, [keys, group]), given)


@model(itertools.accumulate)
def _accumulate(w, node, given):
    found = access.iterate(w, node, given.get(0)) | given.named.get("initial", NOTHING)
    function = given.get(1, "func") - {NONE}
    total = _folded(w, node, found, lambda total: (
        calls.invoke(w, node, function, [total, found]) if function else
        operations.binary_named(w, node, "add", total, found)))
    return _iterator(w, node, itertools.accumulate, total, given)


@model(itertools.tee)
def _tee(w, node, given):
    operations.index(w, node, given.get(1, "n"))
    found = access.iterate(w, node, given.get(0))
    return w.collection(node, tuple, w.collection(node, access.LIST_ITERATOR, found, None, "tee"))


@model(functools.reduce)
def _reduce(w, node, given):
    found = access.iterate(w, node, given.get(1))
    return _folded(w, node, given.get(2) | found, lambda total: (
        calls.invoke(w, node, given.get(0), [total, found])))


# Attributes and classes

@model(isinstance, issubclass)
def _isinstance(w, node, given):
    calls.instances(w, node, given.get(0), given.get(1))
    return one_of(bool)


@model(callable)
def _callable(w, node, given):
    return one_of(bool)


@model(type)
def _type(w, node, given):
    if len(given.args) != 1 or given.named or not given.is_exact:
        return operations.later(w, node)
    found = set()
    for thing in given.get(0):
        if thing is ANYTHING or (thing.cls is None and not isinstance(thing, Object)):
            found.add(ANYTHING)
        elif thing.cls is None:
            # Some class of the library, as of an error that was caught.
            found |= access.library_object(w, node, NOTHING, "class")
        else:
            cls = thing.cls
            found.add(SharedObject((cls,), class_name(cls), f"the class `{class_name(cls)}`"))
    return frozenset(found)


@model(getattr)
def _getattr(w, node, given):
    name = given.text(1)
    found = _any_attribute(w, node, given.get(0)) if name is None else (
        attributes.get_attribute(w, node, given.get(0), name))
    return found | given.get(2)


@model(hasattr)
def _hasattr(w, node, given):
    _getattr(w, node, given)
    return one_of(bool)


def _any_attribute(w, node, owners: Value) -> Value:
    """An attribute whose name is known only when it runs: of a record it is one of its fields, or
    what else its class has."""
    found = NOTHING
    for thing in owners:
        cls = thing.cls
        if isinstance(thing, Object) and cls is not None and issubclass(cls, Record):
            own = {name for base in cls.__mro__[:cls.__mro__.index(Record)] for name in vars(base)
                   if not (name.startswith("__") and name.endswith("__"))}
            for name in sorted(own - OF_NAMED_TUPLES):
                found |= frozenset(map(_perhaps, attributes.get_attribute(
                    w, node, value(thing), name)))
        else:
            found |= operations.later(w, node)
    return found


OF_NAMED_TUPLES = set(vars(collections.namedtuple("Empty", "")))


def _perhaps(thing: Thing) -> Thing:
    """A method or a function of a class is not likely what a computed name stands for."""
    return Unlikely(thing) if modules.is_function(thing) else thing


@model(setattr)
def _setattr(w, node, given):
    name = given.text(1)
    if name is None:
        _sets_some(w, node, given)
    else:
        attributes.set_attribute(w, node, given.get(0), name, given.get(2))
    return one_of(type(None))


@model(delattr)
def _delattr(w, node, given):
    name = given.text(1)
    if name is None:
        _sets_some(w, node, given)
    else:
        attributes.delete_attribute(w, node, given.get(0), name)
    return one_of(type(None))


def _sets_some(w, node, given) -> None:
    for thing in given.get(0):
        operations.later(w, node)
        if isinstance(thing, SharedObject) and are_fixed(thing):
            w.assigned(node, thing.name, everything=True)
        w.m.change(thing, w.at(node), ast.unparse(node))


@model(copy.copy)
def _copy(w, node, given):
    found = set()
    for thing in given.get(0):
        if not isinstance(thing, (Object, SharedObject)) or thing.cls is None or (
                modules.is_shared_in_copies(thing)):
            found.add(thing)
            continue
        if modules.copies_itself(thing):
            calls.no_source(w, node, given)
        copied = w.made(node, thing.cls, "copy")
        parts = w.m.heap.of(thing) if isinstance(thing, Object) else {
            ELEMENT: access.values(w, thing) if is_a(thing.value, dict)
            else access.elements(w, thing), access.KEY: access.keys(w, thing),
            **_attributes_of(thing)}
        for key, part in list(parts.items()):
            w.m.heap.put(copied, key, part)
        found.add(copied)
    return frozenset(found)


def _attributes_of(thing: SharedObject) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for member in thing.members if not issubclass(thing.cls, type) else ():
        for name, held in attributes_in(member).items():
            found[name] = found.get(name, NOTHING) | things_of([held], thing)
    return found


@model(copy.deepcopy)
def _deepcopy(w, node, given):
    modules.check_copies(w, node, given.get(0))
    return modules.deep_copy(w, (node, w.frame), given.get(0))


@model(dataclasses.replace)
def _replace(w, node, given):
    found = NOTHING
    for thing in given.get(0):
        if not isinstance(thing, (Object, SharedObject)) or not dataclasses.is_dataclass(thing.cls):
            found |= operations.unknown(w, node)
            continue
        kept = {n: attributes.get_attribute(w, node, value(thing), n)
                for n, f in thing.cls.__dataclass_fields__.items() if f.init}
        found |= classes.instantiate(w, node, thing.cls, calls.Arguments(
            [], kept | given.named, None, given.named_rest))
    return found


@model(dataclasses.asdict)
def _as_dict(w, node, given):
    found = w.collection(node, dict, _deep_parts(w, node, given), one_of(str))
    return _as_made_by(w, node, given.keyword("dict_factory"), found)


@model(dataclasses.astuple)
def _as_tuple(w, node, given):
    found = w.collection(node, tuple, _deep_parts(w, node, given))
    return _as_made_by(w, node, given.keyword("tuple_factory"), found)


def _as_made_by(w, node, factory: Value, found: Value) -> Value:
    """What is given to the function that makes the collection: pairs or items."""
    parts = frozenset().union(*(access.everything_in(w, t) for t in found))
    pair = w.collection(node, tuple, parts, None, "pair")
    return calls.invoke(w, node, factory, [w.collection(
        node, list, pair | parts, None, "pairs")]) if factory else found


def _deep_parts(w, node, given) -> Value:
    modules.check_copies(w, node, given.get(0))
    for thing in access.reached(w, given.get(0)):
        if thing.cls not in KNOWN and isinstance(thing, (Object, SharedObject)) and any(
                python_method(thing, n) is not None for n in ("__new__", "__init__")) and (
                thing.cls is not None and issubclass(thing.cls, (list, tuple, dict))):
            operations.own_way(w, node, class_name(thing.cls))
        if isinstance(thing, (Object, SharedObject)) and thing.cls is not None and (
                has_own_parts(thing.cls)):
            operations.own_way(w, node, class_name(thing.cls))
    return modules.deep_copy(w, (node, w.frame), frozenset().union(
        *(access.everything_in(w, t) for t in given.get(0))))


@model(Record.replace)
def replaced(w, node, given):
    """A copy of a record with some fields changed."""
    found = NOTHING
    for thing in given.get(0):
        if not isinstance(thing, (Object, SharedObject)) or thing.cls is None:
            found |= operations.unknown(w, node)
            continue
        names = fields_of_tuple(thing.cls)
        copied = w.made(node, thing.cls, "replaced")
        for name in names:
            own = given.named.get(name)
            kept = attributes.own_field(w, thing, name)
            w.m.heap.put(copied, name, (kept if own is None else own) | (
                given.named_rest or NOTHING))
        found |= value(copied)
    return found


@model(typing.cast)
def _cast(w, node, given):
    return given.get(1)


@model(contextlib.suppress, contextlib.nullcontext)
def _harmless(w, node, given):
    if given.all and w.m.called is not None and w.m.called.value is contextlib.suppress:
        # It asks whether an error is of these classes.
        calls.instances(w, node, access.library_object(w, node, NOTHING, "error"), given.all)
    return access.library_object(w, node, given.all)


@model(io.StringIO, io.BytesIO, csv.reader, csv.writer, csv.DictReader)
def _of_texts(w, node, given):
    """It is given texts, or what has them, and a place to write to."""
    if not modules.check_plain(w, node, given):
        return calls.no_source(w, node, given)
    return access.library_object(w, node, given.all, access.NAMELESS)


@model(decimal.localcontext, np.errstate)
def _context(w, node, given):
    """How numbers are computed within a `with`, and as before behind it; a generator would leave
    it on for others."""
    if not getattr(node, "is_entered", False) or given.keyword("call"):
        return modules.has_effect(w, node, EffectKind.WRITES)
    if not modules.check_plain(w, node, calls.Arguments([*given.named.values()])):
        return calls.no_source(w, node, given)
    return access.library_object(w, node, NOTHING)


# Functions of functions

@model(functools.cmp_to_key)
def _cmp_to_key(w, node, given):
    """What is called with an item; there the function is called with pairs of them."""
    thing = w.made(node, access.COMPARING)
    w.m.heap.put(thing, access.OF, given.get(0))
    return value(thing)


@model(functools.wraps)
def _wraps(w, node, given):
    thing = w.made(node, functools.partial, "wraps")
    w.m.heap.put(thing, access.OF, value(thing_of(functools.update_wrapper, "wraps",
                                                  "a decorator")))
    return value(thing)


@model(functools.update_wrapper)
def _wrapper(w, node, given):
    """It gives names and attributes of one function to another; a shared one is changed."""
    for thing in given.get(0, "wrapper"):
        if not isinstance(thing, InnerFunction):
            operations.later(w, node)
    return given.get(0, "wrapper")


@model(functools.lru_cache, functools.cache)
def _lru_cache(w, node, given):
    """A memory that is made anew at each call remembers nothing from before."""
    functions = frozenset(t for t in given.all if not isinstance(t, Plain))
    return functions or value(thing_of(_identity_function, "lru_cache", "a decorator"))


def _identity_function(function):
    return function


@model(operator.itemgetter, operator.attrgetter, operator.methodcaller)
def _getters(w, node, given):
    texts = [a.value if isinstance(a, ast.Constant) else None for a in getattr(node, "args", ())]
    made_by = w.static(node.func) if isinstance(node, ast.Call) else None
    if made_by is None or None in texts or given.named or given.named_rest or (
            made_by is operator.methodcaller and len(texts) > 1):
        return calls.no_source(w, node, given)
    return value(_made_getter(node, made_by, tuple(texts)))


@functools.lru_cache(maxsize=1024)
def _made_getter(node: ast.AST, made_by: Callable, texts: tuple) -> SharedObject:
    return thing_of(made_by(*texts), ast.unparse(node), f"`{ast.unparse(node)}`")


def getter(w, node, found: object, given: calls.Arguments) -> Value:
    """Calls an itemgetter, attrgetter or methodcaller."""
    made_by, arguments = found.__reduce__()[:2]
    if made_by is not type(found):
        return calls.no_source(w, node, given)
    parts = []
    for argument in arguments:
        if is_a(found, operator.itemgetter):
            position = value(thing_of(argument, "?", "a position"))
            parts.append(access.get_item(w, node, given.get(0), position, ast.Constant(argument)))
        elif is_a(found, operator.attrgetter):
            owner = given.get(0)
            for name in argument.split("."):
                owner = attributes.get_attribute(w, node, owner, name)
            parts.append(owner)
        else:
            break
    if is_a(found, operator.methodcaller):
        method = attributes.get_attribute(w, node, given.get(0), arguments[0])
        return calls.invoke(w, node, method, [
            value(thing_of(a, "?", "an argument")) for a in arguments[1:]])
    return parts[0] if len(parts) == 1 else _tuple(w, node, parts, "getter")


def _operator(name: str):
    def call(w, node, given):
        return operations.binary_named(w, node, name, given.get(0), given.get(1))
    return call


def _in_place(name: str):
    def call(w, node, given):
        first = node.args[0] if getattr(node, "args", None) else node
        return operations.in_place(w, node, first, name, given.get(0), given.get(1))
    return call


def _comparison(name: str):
    def call(w, node, given):
        return operations.equality(w, node, given.get(0), given.get(1), name)
    return call


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift",
              "matmul", "and", "or", "xor"):
    _function = {"and": "and_", "or": "or_"}.get(_name, _name)
    model(getattr(operator, _function))(_operator(_name))
    model(getattr(operator, f"i{_name}"))(_in_place(_name))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    model(getattr(operator, _name))(_comparison(_name))
model(operator.concat)(_operator("add"))
model(operator.iconcat)(_in_place("add"))


def _unary(name: str):
    def call(w, node, given):
        return operations.unary_named(w, node, name, given.get(0))
    return call


for _name in ("neg", "pos", "invert", "abs"):
    model(getattr(operator, _name))(_unary(_name))


@model(operator.index)
def _index(w, node, given):
    operations.index(w, node, given.get(0))
    return one_of(int)


@model(operator.is_, operator.is_not)
def _is(w, node, given):
    return operations.identical(w, node, given.get(0), given.get(1))


@model(operator.truth, operator.not_)
def _truth(w, node, given):
    return operations.truth(w, node, given.get(0))


@model(operator.contains)
def _contains(w, node, given):
    return operations.contains(w, node, given.get(0), given.get(1))


@model(operator.getitem)
def _getitem(w, node, given):
    return access.get_item(w, node, given.get(0), given.get(1))


def _first(node) -> ast.AST:
    return node.args[0] if getattr(node, "args", None) else node


@model(operator.setitem)
def _setitem(w, node, given):
    access.set_item(w, _first(node), given.get(0), given.get(1), given.get(2))
    return one_of(type(None))


@model(operator.delitem)
def _delitem(w, node, given):
    access.delete_item(w, _first(node), given.get(0), given.get(1))
    return one_of(type(None))


@model(heapq.heappush, heapq.heappop, heapq.heapify, heapq.heappushpop, heapq.heapreplace,
       bisect.insort, bisect.insort_left, bisect.insort_right)
def _heap(w, node, given):
    found = NOTHING
    for thing in given.get(0):
        if not isinstance(thing, Plain):
            w.m.change(thing, w.at(_first(node)), ast.unparse(_first(node)))
            access.put(w, thing, ELEMENT, given.get(1))
            found |= UNKNOWN if thing is ANYTHING else access.elements(w, thing)
    found |= given.get(1)
    _ordered_by(w, node, found, given.named.get("key", NOTHING) - {NONE})
    return found | value(NONE)


@model(bisect.bisect, bisect.bisect_left, bisect.bisect_right)
def _bisect(w, node, given):
    found = access.iterate(w, node, given.get(0))
    key = given.named.get("key", NOTHING) - {NONE}
    compared = calls.invoke(w, node, key, [found]) if key else found
    operations.equality(w, node, compared | given.get(1), compared | given.get(1), "lt")
    return one_of(int)


@model(heapq.merge)
def _merge(w, node, given):
    found = frozenset().union(*_each(w, node, given))
    _ordered_by(w, node, found, given.named.get("key", NOTHING) - {NONE})
    return _iterator(w, node, access.GENERATOR, found, given)
