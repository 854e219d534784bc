"""Operators and what Python calls by itself: a user's class has methods for them.

An operation is known for built-in classes alone. On any other object it runs the method of its
class, which is walked; on a value whose class is not known it may do anything.
"""

from __future__ import annotations

import ast
import collections
import datetime
import decimal
import enum
import fractions
import operator
import re
import types
import uuid
import warnings
from functools import lru_cache

import numpy as np

from anabranch.analysis.effects import access, calls
from anabranch.analysis.effects.environment import PLAIN, VIEWS, is_a, things_of
from anabranch.analysis.effects.library import arrays, modules
from anabranch.analysis.effects.machine import EVERYTHING, SHARED_OBJECTS
from anabranch.analysis.effects.members import (
    KNOWN,
    MISSING,
    base_of,
    has_own_equality,
    member,
    python_method,
)
from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    NOTHING,
    UNKNOWN,
    Bound,
    InnerFunction,
    Method,
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

NAMES = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv",
         ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.BitAnd: "and",
         ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
         ast.MatMult: "matmul", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
         ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
SAMPLES: dict[type, tuple] = {
    bool: (True, False), int: (-3, 0, 1, 2, 7), float: (-2.5, 0.0, 0.5, 3.0), complex: (1 + 2j,),
    str: ("a", "", "7"), bytes: (b"a", b""), type(None): (None,), range: (range(3),),
    datetime.datetime: (datetime.datetime(2020, 1, 2), datetime.datetime(
        2020, 1, 2, tzinfo=datetime.UTC)),
    datetime.date: (datetime.date(2020, 1, 2),), datetime.time: (datetime.time(1),),
    datetime.timedelta: (datetime.timedelta(1), datetime.timedelta(0)),
    datetime.timezone: (datetime.UTC,), decimal.Decimal: (decimal.Decimal("1.5"),),
    fractions.Fraction: (fractions.Fraction(3, 2), fractions.Fraction(2)),
    np.str_: (np.str_("a"), np.str_("7")),
    uuid.UUID: (uuid.UUID(int=1),), re.Pattern: (re.compile("a"),), re.Match: (re.match("a", "a"),),
}
CONTAINERS = (list, tuple, set, frozenset, dict, collections.deque, bytearray)


def unknown(w, node: ast.AST, doing: str = "uses") -> Value:
    """An operation on a value of which nothing is known may run any code."""
    text = ast.unparse(node) if isinstance(node, ast.AST) else str(node)
    return w.unproved(node, text, f"{doing} `{text}`, whose type is not known",
                        frozenset((SHARED_OBJECTS,)))


def own_way(w, node: ast.AST, name: str | None = None) -> Value:
    """A class or a module does it in a way of its own, which is not followed."""
    name = name or ast.unparse(node)
    return w.unproved(node, name, f"uses `{name}`, which has a way of its own",
                      frozenset((SHARED_OBJECTS,)))


def behind(w, node: ast.AST, everything: bool = False) -> Value:
    """What lies behind an object: its dictionary, the code of a function, the bases of a class."""
    name = ast.unparse(node)
    return w.unproved(node, name, f"uses `{name}`, which lies behind an object",
                      frozenset((SHARED_OBJECTS, EVERYTHING) if everything else (SHARED_OBJECTS,)))


def later(w, node: ast.AST) -> Value:
    name = ast.unparse(node)
    return w.unproved(node, name, f"uses `{name}`, which is known only when it runs",
                      frozenset((SHARED_OBJECTS,)))


def is_callable_thing(thing: Thing) -> bool:
    return isinstance(thing, (InnerFunction, Bound, Method, Unlikely)) or (
        isinstance(thing, SharedObject) and is_a(thing.value, (
            types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)))


def truth(w, node: ast.AST, found: Value) -> Value:
    for thing in found:
        if thing is ANYTHING:
            unknown(w, node, "tests")
        elif isinstance(thing, (Object, SharedObject)):
            for name in ("__bool__", "__len__"):
                if python_method(thing, name) is not None:
                    index(w, node, calls.special(w, node, thing, name))
                    break
    return one_of(bool)


def index(w, node: ast.AST, found: Value) -> None:
    """A number that is taken as a position or a size."""
    _convert(w, node, found, ("__index__",))


def flag(w, node: ast.AST, found: Value) -> None:
    """What a function of Python's takes for true or false; some ask for a number."""
    index(w, node, found)
    truth(w, node, found)


def sliced(w, node: ast.AST, bounds: Value) -> Value:
    """A slice. What is no plain value can be taken out of it."""
    index(w, node, bounds)
    plain = all(isinstance(t, Plain) for t in bounds)
    return one_of(slice) if plain else one_of(slice) | UNKNOWN


def number(w, node: ast.AST, found: Value) -> None:
    """Whatever is made a number of."""
    _convert(w, node, found, ("__float__", "__int__", "__index__", "__trunc__", "__complex__",
                              "__floor__", "__ceil__", "__round__", "__abs__"))


def _convert(w, node: ast.AST, found: Value, names: tuple[str, ...]) -> Value:
    result = NOTHING
    for thing in found:
        if thing is ANYTHING:
            unknown(w, node)
        elif isinstance(thing, (Object, SharedObject)):
            for name in names:
                if python_method(thing, name) is not None:
                    result |= calls.special(w, node, thing, name)
    return result


def looked_up(w, node: ast.AST, found: Value) -> Value:
    """What a text that is formatted, or translated, takes out of a mapping."""
    mappings = frozenset(t for t in found if isinstance(t, (Object, SharedObject))
                         and t.cls is not None
                         and (issubclass(t.cls, dict)
                              or python_method(t, "__getitem__") is not None))
    return access.get_item(w, node, mappings, one_of(str, int))


def special_results(w, node: ast.AST, found: Value, name: str, *given: Value) -> Value:
    """What a special method of the user's gives."""
    return frozenset().union(*(
        calls.special(w, node, thing, name, *given) for thing in found
        if isinstance(thing, (Object, SharedObject)) and python_method(thing, name) is not None))


def length(w, node: ast.AST, found: Value) -> Value:
    """How many there are in something: its method may give an object that is asked for it."""
    index(w, node, special_results(w, node, found, "__len__"))
    return one_of(int)


def text(w, node: ast.AST, found: Value, seen: set[Thing] | None = None) -> Value:
    """Whatever is shown as a text, with all that lies in it. What a method of the user's gives may
    be of a class of theirs."""
    seen = set() if seen is None else seen
    result = one_of(str)
    for thing in found - seen:
        seen.add(thing)
        if thing is ANYTHING:
            unknown(w, node, "shows")
        elif isinstance(thing, SharedObject) and is_a(thing.value, type):
            result |= _own_text(w, node, thing)
        elif isinstance(thing, Unlikely):
            continue
        elif is_callable_thing(thing):
            _by_identity(w, node, "shows")
        elif isinstance(thing, (Object, SharedObject)):
            result |= _text_of(w, node, thing, seen)
    return result


SHOWING = ("__str__", "__repr__", "__format__")
SHOWING_TIME = ("isoformat", "strftime")
"""What Python's own text of a time calls."""


def _own_text(w, node: ast.AST, thing: Object | SharedObject) -> Value:
    """What the user's methods show of an object, or those of its metaclass of a class."""
    timed = issubclass(thing.cls, (datetime.date, datetime.time)) if thing.cls else False
    return frozenset().union(*(
        calls.special(w, node, thing, name, *([] if name in ("__str__", "__repr__") else [
            one_of(str)]))
        for name in (*SHOWING, *(SHOWING_TIME if timed else ()))
        if python_method(thing, name) is not None))


def _text_of(w, node: ast.AST, thing: Object | SharedObject, seen: set[Thing]) -> Value:
    own = [n for n in SHOWING if python_method(thing, n) is not None]
    result = _own_text(w, node, thing)
    if thing.cls is not None and issubclass(thing.cls, (set, frozenset)) and not own:
        access.order_seen(w, node, thing)
    nameless = thing.cls is not None and not own and (
        member(thing.cls, "__repr__") is object.__repr__
        and member(thing.cls, "__str__") is object.__str__)
    if nameless or thing.cls in access.ITERATORS or access.is_nameless(thing):
        _by_identity(w, node, "shows")
    elif set(own) <= {"__format__"} or _is_data(thing):
        text(w, node, access.everything_in(w, thing), seen)
    return result


def _is_data(thing: Thing) -> bool:
    return hasattr(thing.cls, "__dataclass_fields__") or hasattr(thing.cls, "__record_fields__")


def _by_identity(w, node: ast.AST, doing: str) -> None:
    shown = ast.unparse(node)
    w.m.add(EffectKind.RANDOM, shown, f"{doing} `{shown}` by where it lies in memory",
            w.at(node))


def hashed(w, node: ast.AST, found: Value, seen: set[Thing] | None = None) -> None:
    """Whatever becomes a key of a dict or an item of a set."""
    seen = set() if seen is None else seen
    for thing in found - seen:
        seen.add(thing)
        if thing is ANYTHING:
            unknown(w, node, "hashes")
        elif isinstance(thing, (Object, SharedObject)) and thing.cls is not None:
            if python_method(thing, "__hash__") is not None:
                w.m.hashing, before = True, w.m.hashing
                calls.special(w, node, thing, "__hash__")
                w.m.hashing = before
            if python_method(thing, "__eq__") is not None:
                truth(w, node, calls.special(w, node, thing, "__eq__", value(thing)))
            w.m.carry(value(thing))
            if issubclass(thing.cls, (tuple, frozenset)) or _is_data(thing):
                hashed(w, node, access.everything_in(w, thing), seen)
            elif _is_seen_elsewhere(thing) and not has_own_equality(thing.cls):
                _by_identity(w, node, "hashes")


def _is_seen_elsewhere(thing: Thing) -> bool:
    """Whether it may be a copy in another place: an item, a state, an object from outside."""
    if isinstance(thing, SharedObject):
        return not is_a(thing.value, (enum.Enum, type, types.FunctionType, types.ModuleType,
                                            types.BuiltinFunctionType))
    return isinstance(thing, Object) and thing.origin != "made"


def equality(w, node: ast.AST, left: Value, right: Value, name: str = "eq",
             seen: set | None = None) -> Value:
    """`==`, `<` and the like, with all that is compared within."""
    seen = set() if seen is None else seen
    if not left or not right or (left, right) in seen:
        return NOTHING
    seen.add((left, right))
    result = one_of(bool)
    for side, others, mirrored in ((left, right, False), (right, left, True)):
        for thing in side:
            result |= _compared(w, node, thing, others, name, mirrored)
    # Sorting, searching and chains of comparisons test what a comparison gives.
    truth(w, node, result - UNKNOWN)
    inside = [frozenset().union(*(_inside(w, t) for t in side)) for side in (left, right)]
    if all(inside):
        equality(w, node, *inside, name, seen)
    return result


def _inside(w, thing: Thing) -> Value:
    if isinstance(thing, (Object, SharedObject)) and thing.cls is not None and (
            issubclass(thing.cls, COMPARED) or _is_data(thing)):
        return access.everything_in(w, thing)
    return NOTHING


COMPARED = (*CONTAINERS, types.MappingProxyType, types.SimpleNamespace,
            *VIEWS.values())
"""Classes whose objects are compared by what is in them."""


def _compared(w, node: ast.AST, thing: Thing, others: Value, name: str, mirrored: bool) -> Value:
    if thing is ANYTHING:
        return unknown(w, node, "compares")
    if isinstance(thing, Plain) and issubclass(thing.cls, np.generic):
        return arrays.compared(w, node, thing, others)
    if not isinstance(thing, (Object, SharedObject)) or thing.cls is None:
        return NOTHING
    if arrays.is_array(thing.cls):
        return arrays.compared(w, node, thing, others)
    own = f"__{MIRRORED[name] if mirrored else name}__"
    if name == "ne" and python_method(thing, own) is None:
        own = "__eq__"
    if python_method(thing, own) is not None:
        return calls.special(w, node, thing, own, others)
    if name in ("eq", "ne") and not has_own_equality(thing.cls) and _is_seen_elsewhere(thing):
        same = [o for o in others if isinstance(o, (Object, SharedObject)) and o.cls is not None
                and not has_own_equality(o.cls)]
        if same:
            _by_identity(w, node, "compares")
    return NOTHING


def compare(w, node: ast.Compare, op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(op, (ast.In, ast.NotIn)):
        return contains(w, node, right, left)
    if isinstance(op, (ast.Is, ast.IsNot)):
        return identical(w, node, left, right)
    return equality(w, node, left, right, NAMES[type(op)])


SINGLE = (type(None), bool, type(Ellipsis), types.NotImplementedType)


def identical(w, node: ast.AST, left: Value, right: Value) -> Value:
    """`is` tells copies apart, unless one side exists only once wherever it is."""
    if not (_is_single(left) or _is_single(right)):
        _by_identity(w, node, "compares")
    return one_of(bool)


def _is_single(found: Value) -> bool:
    return all((isinstance(t, Plain) and t.cls in SINGLE) or (
        isinstance(t, SharedObject) and is_a(t.value, (type, enum.Enum, types.ModuleType)))
        or (isinstance(t, Object) and t.origin == "made") for t in found)


def contains(w, node: ast.AST, container: Value, item: Value) -> Value:
    result = one_of(bool)
    for thing in container:
        if thing is ANYTHING:
            unknown(w, node)
        elif isinstance(thing, (Object, SharedObject)):
            if thing.cls is not None and issubclass(thing.cls, enum.Flag) and python_method(
                    thing, "__contains__") is None:
                continue
            if python_method(thing, "__contains__") is not None:
                truth(w, node, calls.special(w, node, thing, "__contains__", item))
            else:
                found = access.iterate(w, node, value(thing), ordered=False)
                equality(w, node, item, found)
                if thing.cls is not None and issubclass(thing.cls, (dict, set, frozenset)):
                    hashed(w, node, item)
        if isinstance(thing, Plain) and ANYTHING in item:
            unknown(w, node)
        elif isinstance(thing, Plain):
            equality(w, node, item, access.elements(w, thing))
        if thing.cls is bytes or (thing.cls is not None and issubclass(thing.cls, bytearray)):
            index(w, node, item - UNKNOWN)
    return result


def binary(w, node: ast.AST, op: ast.operator, left: Value, right: Value) -> Value:
    return binary_named(w, node, NAMES[type(op)], left, right)


def binary_named(w, node: ast.AST, name: str, left: Value, right: Value) -> Value:
    if not (left and right):
        # The other side does not come about, as far as is known: a method of the user's is walked.
        _convert(w, node, left, (f"__{name}__",))
        return _convert(w, node, right, (f"__r{name}__",))
    return frozenset().union(*(_pair(w, node, name, a, b) for a in left for b in right))


def special_pair(w, node: ast.AST, name: str, left: Value, right: Value) -> Value:
    """What the user's methods for an operation with two operands give."""
    return special_results(w, node, left, f"__{name}__", right) | special_results(
        w, node, right, f"__r{name}__", left)


def _pair(w, node: ast.AST, name: str, left: Thing, right: Thing) -> Value:
    if left is ANYTHING or right is ANYTHING:
        return unknown(w, node, "computes")
    found, own = NOTHING, False
    for thing, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        if isinstance(thing, (Object, SharedObject)) and python_method(thing, method) is not None:
            found, own = found | calls.special(w, node, thing, method, value(other)), True
    if own and not (isinstance(left, Plain) or isinstance(right, Plain)):
        return found
    return found | built_in(w, node, name, left, right)


def built_in(w, node: ast.AST, name: str, left: Thing, right: Thing) -> Value:
    """What the operator does with values of built-in classes."""
    first = left.cls and base_of(left.cls)
    if _makes_its_own_kind(left, right):
        return own_way(w, node)
    if name == "mod" and first in (str, bytes, bytearray):
        shown = value(right) | looked_up(w, node, value(right))
        text(w, node, shown)
        inside = frozenset(access.reached(w, shown))
        number(w, node, inside - UNKNOWN)
        special_results(w, node, inside, "__bytes__")
        return one_of(first) if first is not bytearray else w.collection(node, first, one_of(int))
    if is_callable_thing(left) or is_callable_thing(right):
        return one_of(types.UnionType) if name == "or" else NOTHING
    if left.cls is None or right.cls is None:
        return access.library_object(w, node, value(left, right))
    second = base_of(right.cls)
    if arrays.takes(left, right):
        return arrays.binary(w, node, left, right)
    if name == "mul" and {first, second} & {str, bytes, *CONTAINERS}:
        index(w, node, value(left, right))
    if {first, second} & {VIEWS["keys"], VIEWS["items"]} and name in ("or", "and", "sub", "xor"):
        return _of_views(w, node, left, right)
    if first in CONTAINERS or second in CONTAINERS:
        return _containers(w, node, name, left, right, first, second)
    if any(_has_operator(thing, name) for thing in (left, right)):
        return _of_library(w, node, left, right)
    if not (_samples(first) and _samples(second)):
        return library_result(w, node, value(left, right))
    return frozenset(map(Plain, sampled(name, first, second)))


RENEWED = (datetime.date, datetime.time, collections.deque, collections.OrderedDict,
           collections.defaultdict)
"""Classes of which operations give an object of the class that the user derived from them."""


def _makes_its_own_kind(*things: Thing) -> bool:
    """Whether the result is made by calling a class of the user's."""
    return any(is_renewed(thing) for thing in things)


def is_renewed(thing: Thing) -> bool:
    return isinstance(thing, (Object, SharedObject)) and thing.cls is not None and (
        thing.cls not in KNOWN and thing.cls not in PLAIN) and issubclass(thing.cls, RENEWED)


def _has_operator(thing: Thing, name: str) -> bool:
    """Whether a class that is not built in has the operator, from a library."""
    return base_of(thing.cls) not in PLAIN and any(
        member(thing.cls, method) is not MISSING and python_method(thing, method) is None
        for method in (f"__{name}__", f"__r{name}__"))


def _of_library(w, node: ast.AST, *things: Thing) -> Value:
    """What an operator of a library's class gives: of flags, flags of the same class."""
    found = NOTHING
    for thing in things:
        if isinstance(thing, SharedObject) and is_a(thing.value, enum.Flag):
            missing = member(thing.cls, "_missing_")
            if not isinstance(missing, classmethod) or not calls.is_standard(missing.__func__):
                found |= own_way(w, node)
            found |= value(thing) | things_of(thing.cls.__members__.values(), thing)
    return found or access.library_object(w, node, value(*things))


def _containers(w, node, name: str, left: Thing, right: Thing, first: type, second: type) -> Value:
    kind, both = (first, first is second) if first in CONTAINERS else (second, False)
    if name == "mul":
        if {first, second} & {int, bool} and kind in (list, tuple, collections.deque, bytearray):
            thing = left if first in CONTAINERS else right
            return w.collection(node, kind, access.elements(w, thing))
        return NOTHING
    sets = {first, second} <= {set, frozenset}
    known = (name == "add" and both and kind in (list, tuple, collections.deque, bytearray)) or (
        sets and name in ("or", "and", "sub", "xor")) or (name == "or" and both and kind is dict)
    counters = all(issubclass(t.cls, collections.Counter) for t in (left, right))
    if not known and not counters:
        return NOTHING
    elements = access.elements(w, left) | access.elements(w, right)
    if kind is dict:
        keys = access.keys(w, left) | access.keys(w, right)
        cls = collections.Counter if counters else dict
        made_by = access.factories(w, left) | access.factories(w, right)
        if made_by:
            thing = w.made(node, collections.defaultdict)
            w.m.heap.put(thing, access.OF, made_by)
            access.put_item(w, node, thing, access.keys(w, left) | access.keys(w, right),
                            access.values(w, left) | access.values(w, right))
            return value(thing)
        if counters:
            for thing in (left, right):
                access.asks_itself(w, node, thing)
            counted(w, node, access.values(w, left) | access.values(w, right))
        return w.collection(node, cls, access.values(w, left) | access.values(w, right), keys)
    equality(w, node, elements, elements)
    return w.collection(node, kind, elements)


def counted(w, node: ast.AST, found: Value) -> Value:
    """The numbers of a Counter are added, taken from each other and compared."""
    found |= one_of(int)
    total = found
    for name in ("add", "sub"):
        total |= binary_named(w, node, name, found, found)
    for name in ("lt", "gt"):
        equality(w, node, found, found, name)
    return total


def _of_views(w, node, left: Thing, right: Thing) -> Value:
    """Views of a dict are sets, and so is what is made of them and anything that has items."""
    found = frozenset().union(*(access.iterate(w, node, frozenset((t,)), ordered=False)
                                for t in (left, right)))
    hashed(w, node, found)
    equality(w, node, found, found)
    return w.collection(node, set, found)


def library_result(w, node: ast.AST, given: Value) -> Value:
    """What an operation gives on values of which there are no samples: some object of the library.
    Those of the user's have their own methods for it, or none."""
    return access.library_object(w, node, given) if modules.check_plain(
        w, node, calls.Arguments([given])) else NOTHING


@lru_cache(maxsize=4096)
def sampled(name: str, *classes: type) -> frozenset[type]:
    """The classes that an operation gives, found by trying it on values of these classes; none
    where Python refuses it."""
    call = getattr(operator, {"and": "and_", "or": "or_"}.get(name, name))
    found = set()
    samples = [_samples(cls) for cls in classes]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for first in samples[0]:
            for rest in (samples[1] if len(samples) > 1 else (None,)):
                try:
                    found.add(type(call(first) if len(samples) == 1 else call(first, rest)))
                except (ArithmeticError, TypeError, ValueError):
                    continue
    return frozenset(found & PLAIN)


def _samples(cls: type) -> tuple:
    if cls in SAMPLES:
        return SAMPLES[cls]
    return (cls(1),) if isinstance(cls, type) and issubclass(cls, np.number | np.bool_) else ()


def unary(w, node: ast.AST, op: ast.unaryop, found: Value) -> Value:
    if isinstance(op, ast.Not):
        return truth(w, node, found)
    return unary_named(w, node, NAMES[type(op)], found)


def unary_named(w, node: ast.AST, name: str, found: Value) -> Value:
    result = NOTHING
    for thing in found:
        if thing is ANYTHING:
            result |= unknown(w, node, "computes")
        elif isinstance(thing, Plain):
            result |= frozenset(map(Plain, sampled(name, thing.cls))) if _samples(
                thing.cls) else access.library_object(w, node, NOTHING)
        elif isinstance(thing, (Object, SharedObject)):
            if python_method(thing, f"__{name}__") is not None:
                result |= calls.special(w, node, thing, f"__{name}__")
            elif thing.cls is None:
                result |= access.library_object(w, node, value(thing))
            elif arrays.is_array(thing.cls):
                result |= arrays.fresh(w, node)
            elif base_of(thing.cls) in PLAIN:
                result |= frozenset(map(Plain, sampled(name, base_of(thing.cls))))
            elif issubclass(thing.cls, collections.Counter):
                counted(w, node, access.values(w, thing))
                result |= w.collection(node, collections.Counter, access.values(w, thing),
                                       access.keys(w, thing))
            elif member(thing.cls, f"__{name}__") is not MISSING:
                result |= _of_library(w, node, thing)
    return result


def augmented(w, node: ast.AugAssign, op: ast.operator, before: Value, given: Value) -> Value:
    """`x op= y`: the new value of x, which may be the changed object."""
    return in_place(w, node, node.target, NAMES[type(op)], before, given)


def in_place(w, node: ast.AST, target: ast.AST, name: str, before: Value, given: Value) -> Value:
    result, shown = NOTHING, ast.unparse(target)
    for thing in before:
        if isinstance(thing, (Object, SharedObject)) and not is_callable_thing(thing):
            if python_method(thing, f"__i{name}__") is not None:
                result |= calls.special(w, node, thing, f"__i{name}__", given)
                continue
            if thing.cls is None or member(thing.cls, f"__i{name}__") is not MISSING:
                w.m.change(thing, w.at(target), shown,
                           "appends to" if name == "add" else "changes")
                spread(w, node, thing, given, name)
                result |= value(thing)
                continue
        result |= frozenset().union(*(_pair(w, node, name, thing, other) for other in given)) \
            if given else NOTHING
    return result


def spread(w, node: ast.AST, thing: Thing, given: Value, name: str) -> None:
    """What an operation in place puts into its object."""
    if name == "mul":
        index(w, node, given - UNKNOWN)
        return
    if thing.cls is None or arrays.is_array(thing.cls):
        return
    if issubclass(thing.cls, dict):
        if issubclass(thing.cls, collections.Counter):
            counted(w, node, access.values(w, thing) | frozenset().union(*(
                access.values(w, t) for t in given)))
        access.update(w, node, thing, given)
        return
    found = access.iterate(w, node, given, ordered=not issubclass(thing.cls, set))
    if issubclass(thing.cls, set):
        hashed(w, node, found)
    if issubclass(thing.cls, bytearray):
        index(w, node, found - UNKNOWN)
    access.put(w, thing, ELEMENT, found)
