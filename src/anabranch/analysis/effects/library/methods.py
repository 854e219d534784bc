"""The methods of built-in classes: which change their object, and what they give."""

from __future__ import annotations

import ast
import collections
import datetime
import decimal
import fractions
import io
import itertools
import re
import string
import time
import types
from collections.abc import Iterator

import numpy as np

from anabranch.analysis.effects import access, attributes, calls, classes, operations
from anabranch.analysis.effects.environment import (
    PLAIN,
    VIEWS,
    are_fixed,
    is_a,
    module_of_class,
)
from anabranch.analysis.effects.library import arrays, modules
from anabranch.analysis.effects.members import KNOWN, base_of, fields_of_tuple, reads_by_itself
from anabranch.analysis.effects.values import (
    ANYTHING,
    ELEMENT,
    NONE,
    NOTHING,
    OF,
    UNKNOWN,
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

VERBS = {"append": "appends to", "extend": "appends to", "add": "adds to", "insert": "inserts into",
         "pop": "removes from", "popleft": "removes from", "remove": "removes from",
         "discard": "removes from", "clear": "clears", "sort": "sorts", "update": "updates"}
RENEWING = ("copy", "__copy__")
"""Methods that call the class of their object, where it is one that the user derived."""
STORING = ("append", "appendleft", "insert")
SHOWING = ("substitute", "safe_substitute", "format", "vformat", "pformat", "repr", "writerow",
           "writerows")
"""Methods of objects of the library that make a text of whatever they are given."""
CLOCK_METHODS = ("now", "utcnow", "today")


def _of(result: object, names: str) -> dict[str, object]:
    return dict.fromkeys(names.split(), result)


TEXT = {
    **_of("self", "lower upper strip lstrip rstrip title capitalize casefold swapcase replace join "
          "zfill center ljust rjust removeprefix removesuffix expandtabs translate"),
    **_of(bool, "startswith endswith isdigit isalpha isalnum isupper islower isspace isnumeric "
          "isdecimal isidentifier istitle isascii isprintable"),
    **_of(int, "find rfind index rindex count"),
    **_of(["self"], "split rsplit splitlines partition rpartition")}
ISO = type(datetime.date(2020, 1, 1).isocalendar())
GIVES: dict[type, dict[str, object]] = {
    str: {**TEXT, **_of(str, "format format_map"), "encode": bytes},
    bytes: {**TEXT, **_of(str, "decode hex")},
    int: {**_of(int, "bit_length bit_count conjugate"), "to_bytes": bytes, "is_integer": bool,
          "as_integer_ratio": [int]},
    float: {"is_integer": bool, "hex": str, "as_integer_ratio": [int], "conjugate": float},
    complex: {"conjugate": complex},
    datetime.datetime: {
        **_of(str, "isoformat strftime ctime"), "timestamp": float,
        "tzname": (str, type(None)),
        **_of(int, "weekday isoweekday toordinal"), **_of("self", "replace astimezone"),
        "date": datetime.date, **_of(datetime.time, "time timetz"),
        "isocalendar": [ISO, int], **_of([time.struct_time, int], "timetuple utctimetuple"),
        **_of((datetime.timedelta, type(None)), "utcoffset dst")},
    datetime.date: {**_of(str, "isoformat strftime ctime"), "replace": "self",
                    **_of(int, "weekday isoweekday toordinal"), "isocalendar": [ISO, int],
                    "timetuple": [time.struct_time, int]},
    datetime.time: {**_of(str, "isoformat strftime"), "replace": "self",
                    "tzname": (str, type(None)),
                    **_of((datetime.timedelta, type(None)), "utcoffset dst")},
    datetime.timedelta: {"total_seconds": float},
    decimal.Decimal: {
        **_of("self", "quantize normalize sqrt exp ln log10 copy_abs copy_negate copy_sign "
              "to_integral_value to_integral_exact remainder_near max min fma scaleb shift rotate "
              "next_plus next_minus logb canonical"),
        **_of(bool, "is_nan is_finite is_infinite is_zero is_signed is_qnan is_snan is_normal"),
        "adjusted": int, "to_eng_string": str, "as_integer_ratio": [int], "as_tuple": None},
    fractions.Fraction: {"limit_denominator": "self", "as_integer_ratio": [int],
                         "is_integer": bool},
    re.Pattern: {**_of((re.Match, type(None)), "match search fullmatch"), "sub": str,
                 "subn": [str, int]},
    re.Match: {**_of(int, "start end"), "span": [int], "expand": str},
    range: {"index": int, "count": int},
}
CLASS_METHODS = {
    (int, "from_bytes"): int, (bytes, "fromhex"): bytes, (float, "fromhex"): float,
    (str, "maketrans"): None, (datetime.timedelta, "total_seconds"): float,
    **{(cls, name): cls for cls in (datetime.datetime, datetime.date) for name in (
        "fromisoformat", "fromtimestamp", "utcfromtimestamp", "fromordinal", "strptime", "combine",
        "fromisocalendar")},
    (datetime.time, "fromisoformat"): datetime.time,
    (decimal.Decimal, "from_float"): decimal.Decimal,
}


CALLING = frozenset(("fromkeys", *(name for _, name in CLASS_METHODS)))
"""Methods of classes that call the class."""


def call(w, node: ast.AST, method: Method, given: calls.Arguments) -> Value:
    owner, name, of = method.owner, method.name, method.of
    if isinstance(owner, SharedObject) and is_a(owner.value, type):
        return _class_method(w, node, owner, name, of, given)
    if of is None or owner.cls is None:
        return _library_method(w, node, owner, name, given)
    if name.startswith("__") and name.endswith("__"):
        return _special(w, node, owner, name, of, given)
    if arrays.is_array(of) or arrays.has_method(of, name):
        return arrays.method(w, node, owner, name, given)
    base = base_of(of)
    if name in RENEWING and isinstance(owner, (Object, SharedObject)) and (
            owner.cls not in KNOWN and issubclass(owner.cls, (collections.deque, *DICTS[1:]))):
        return operations.own_way(w, node)
    if issubclass(base, (dict, types.MappingProxyType)):
        return _dict_method(w, node, owner, name, given)
    if base in METHODS:
        return METHODS[base](w, node, owner, name, given)
    if operations.is_renewed(owner) and (base in PLAIN or name in RENEWING):
        return operations.own_way(w, node)
    if base in PLAIN:
        return _plain_method(w, node, base, name, given)
    if base in VIEWS.values():
        return _view_method(w, node, owner, given)
    if isinstance(owner, Object) and issubclass(of, BaseException):
        return _error_method(w, node, owner, given)
    return _other(w, node, owner, name, of, given)


def _error_method(w, node: ast.AST, owner: Object, given: calls.Arguments) -> Value:
    """A group may be parted by a function, and its parts are made by a method of its class."""
    w.m.change(owner, w.at(node), _shown(node))
    inside = frozenset(access.reached(w, value(owner)))
    tests = frozenset(filter(modules.is_function, given.all))
    operations.truth(w, node, calls.invoke(w, node, tests, [inside]))
    return one_of(type(None)) | derived(w, node, inside) | access.library_object(
        w, node, value(owner))


def derived(w, node: ast.AST, errors: Value) -> Value:
    """What groups of errors make of some of their parts."""
    return operations.special_results(w, node, errors, "derive", access.library_object(
        w, node, errors, "parts"))


def of_class(w, node: ast.AST, found: object, given: calls.Arguments) -> Value:
    """A method that is named after its class: `str.lower(text)`."""
    result = NOTHING
    if found.__name__ == "__new__":
        return _new(w, node, given)
    for thing in given.get(0):
        if thing is ANYTHING:
            result |= calls.not_known(w, node, given)
        elif thing.cls is None or issubclass(thing.cls, found.__objclass__):
            result |= call(w, node, Method(found.__objclass__, found.__name__, thing),
                           given.after(1))
    return result


def _shown(node: ast.AST) -> str:
    func = getattr(node, "func", node)
    return ast.unparse(func.value if isinstance(func, ast.Attribute) else func)


def _where(node: ast.AST) -> ast.AST:
    func = getattr(node, "func", node)
    return func.value if isinstance(func, ast.Attribute) else func


def _change(w, node: ast.AST, owner: Thing, name: str) -> None:
    w.m.change(owner, w.at(_where(node)), _shown(node), VERBS.get(name, "changes"))


def _library_method(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    if name == "samples":
        return modules.has_effect(w, node, EffectKind.RANDOM)
    if name in CLOCK_METHODS:
        return modules.has_effect(w, node, EffectKind.CLOCK)
    if name in STORING:
        w.m.heap.put(owner, ELEMENT, given.all)
    elif not modules.check_plain(w, node, given, called_back=True):
        return calls.no_source(w, node, given)
    elif name in SHOWING:
        modules.may_show(w, node, given)
    modules.sees_order(w, node, given)
    w.m.change(owner, w.at(node), _shown(node))
    if "into" in name:
        for thing in given.all:
            w.m.change(thing, w.at(node), _shown(node))
    if name in ("substitute", "safe_substitute", "format", "vformat"):
        operations.looked_up(w, node, given.all)
    texts = {"digest": bytes, "hexdigest": str, "total_seconds": float}
    if name in texts:
        return one_of(texts[name])
    return access.library_object(w, node, value(owner) | given.all)


def _class_method(w, node: ast.AST, owner: SharedObject, name: str, of: type, given: calls.Arguments
                  ) -> Value:
    cls = owner.value
    if name == "__new__":
        return _new(w, node, given)
    if name in CLOCK_METHODS and issubclass(cls, modules.DATE_TIMES):
        return modules.has_effect(w, node, EffectKind.CLOCK)
    if name == "from_iterable" and cls is itertools.chain:
        found = access.iterate(w, node, access.iterate(w, node, given.get(0)))
        return w.collection(node, itertools.chain, found)
    if name in CALLING and cls not in KNOWN and cls not in PLAIN:
        return operations.own_way(w, node, f"{class_name(cls)}.{name}")
    if name == "fromkeys" and issubclass(cls, dict):
        given = given.by_names(OF_ORDERED[name])
        keys = access.iterate(w, node, given.get(0))
        operations.hashed(w, node, keys)
        return w.collection(node, cls, given.get(1) or value(NONE), keys)
    base = base_of(cls)
    if (base, name) in CLASS_METHODS:
        operations.special_results(w, node, given.all, "__bytes__")
        if not modules.check_plain(w, node, given):
            return calls.no_source(w, node, given)
        result = CLASS_METHODS[base, name]
        return w.collection(node, dict, one_of(str, int, type(None)), one_of(int)) \
            if result is None else one_of(result)
    if name in ("__setattr__", "__delattr__"):
        operations.behind(w, node, everything=True)
    if name in ("__setattr__", "__init_subclass__", "__subclasses__", "mro"):
        return calls.no_source(w, node, given)
    return of_class(w, node, vars(base)[name], given) if name in vars(base) and isinstance(
        vars(base)[name], types.MethodDescriptorType | types.WrapperDescriptorType
    ) else calls.no_source(w, node, given)


def _new(w, node: ast.AST, given: calls.Arguments) -> Value:
    result = NOTHING
    for thing in given.get(0):
        if not (isinstance(thing, SharedObject) and is_a(thing.value, type)):
            result |= operations.unknown(w, node, "makes")
        elif arrays.is_array(thing.value):
            result |= arrays.instance(w, node, thing.value, given.after(1))
        else:
            found = classes.new(w, node, thing.value, given.after(1))
            if fields_of_tuple(thing.value):
                parts = access.iterate(w, node, given.get(1))
                for each in found:
                    for name in fields_of_tuple(thing.value):
                        access.put(w, each, name, parts)
            result |= found
    return result


def _plain_method(w, node: ast.AST, cls: type, name: str, given: calls.Arguments) -> Value:
    if name in CLOCK_METHODS:
        return modules.has_effect(w, node, EffectKind.CLOCK)
    if cls in (str, bytes) and name == "join":
        access.iterate(w, node, given.get(0))
        return one_of(cls)
    if cls is str and name in ("format", "format_map"):
        return _formatted(w, node, name, given)
    if cls in (str, bytes) and name == "translate":
        operations.looked_up(w, node, given.all)
        return one_of(cls)
    if "into" in name:
        for thing in given.all:
            w.m.change(thing, w.at(node), _shown(node))
    if name in ("encode", "decode"):
        modules.check_codec(w, node, given, 0)
    if not modules.check_plain(w, node, given, called_back=True):
        if cls not in (str, bytes, int):
            return calls.no_source(w, node, given)
        operations.flag(w, node, given.all)
    modules.used_contexts(w, node, given)
    if cls is re.Pattern and name in ("findall", "finditer", "split"):
        return modules.matches(w, node, name)
    if cls is re.Match and name in ("group", "groups", "groupdict"):
        texts = one_of(str, bytes, type(None)) | given.all
        groups = w.collection(node, tuple, texts, None, "groups")
        return {"group": texts | groups, "groups": groups,
                "groupdict": w.collection(node, dict, texts, one_of(str))}[name]
    if cls is re.Pattern and name == "scanner":
        return access.library_object(w, node, given.all, access.NAMELESS)
    return _given(w, node, cls, GIVES.get(cls, {}).get(name), given)


def _formatted(w, node: ast.AST, name: str, given: calls.Arguments) -> Value:
    """A format may name attributes and items of what it shows."""
    shown = operations.looked_up(w, node, given.all) if name == "format_map" else given.all
    if _looks_inside(node):
        shown = frozenset(access.reached(w, shown))
    operations.text(w, node, shown)
    if any(isinstance(t, (Object, SharedObject)) and t.cls is not None and reads_by_itself(t.cls)
           for t in shown):
        calls.no_source(w, node, given)
    return one_of(str)


def _looks_inside(node: ast.AST) -> bool:
    """Whether a format may name attributes or items: `"{0.x}"`, `"{a[1]}"`."""
    written = getattr(getattr(node, "func", None), "value", None)
    if not (isinstance(written, ast.Constant) and isinstance(written.value, str)):
        return True
    try:
        fields = [field or "" for _, field, _, _ in string.Formatter().parse(written.value)]
    except ValueError:
        return True
    return any("." in field or "[" in field for field in fields)


def _given(w, node: ast.AST, cls: type, result: object, given: calls.Arguments) -> Value:
    if isinstance(result, list) and result == ["self"]:
        result = [cls]
    return one_of(cls) if result == "self" else modules.made(w, node, result, given)


def _compared(w, node: ast.AST, owner: Thing, found: Value) -> None:
    operations.equality(w, node, found, access.elements(w, owner))


def _list_method(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    inside, none = access.elements(w, owner), one_of(type(None))
    cls = base_of(owner.cls)
    if name in ("index", "insert", "pop", "rotate"):
        operations.index(w, node, given.after(1).all if name == "index" else given.all)
    if name in ("index", "count"):
        _compared(w, node, owner, given.get(0))
        if name == "index":
            # The error names what is not found.
            operations.text(w, node, given.get(0) - UNKNOWN)
        return one_of(int)
    if name == "copy":
        return w.collection(node, cls, inside)
    if name not in ("append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft",
                    "remove", "clear", "sort", "reverse", "rotate"):
        return access.library_object(w, node, value(owner) | given.all)
    _change(w, node, owner, name)
    if name in ("append", "appendleft"):
        access.put(w, owner, ELEMENT, given.get(0))
    elif name in ("extend", "extendleft"):
        access.put(w, owner, ELEMENT, access.iterate(w, node, given.get(0)))
    elif name == "insert":
        access.put(w, owner, ELEMENT, given.get(1))
    elif name in ("pop", "popleft"):
        return inside
    elif name == "remove":
        _compared(w, node, owner, given.get(0))
    elif name == "sort":
        operations.flag(w, node, given.keyword("reverse"))
        compared = inside
        if key := given.keyword("key") - {NONE}:
            compared = calls.invoke(w, node, key, [inside])
        operations.equality(w, node, compared, compared, "lt")
    return none


def _tuple_method(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    _compared(w, node, owner, given.get(0))
    operations.index(w, node, given.after(1).all)
    return one_of(int)


def _set_method(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    inside, cls = access.elements(w, owner), base_of(owner.cls)
    if name in ("add", "discard", "remove"):
        _change(w, node, owner, name)
        operations.hashed(w, node, given.get(0))
        operations.equality(w, node, given.get(0), inside)
        if name == "add":
            access.put(w, owner, ELEMENT, given.get(0))
        return one_of(type(None))
    if name in ("pop", "clear"):
        if name == "pop":
            access.iterate(w, _where(node), value(owner))
        _change(w, node, owner, name)
        return inside if name == "pop" else one_of(type(None))
    others = access.iterate(w, node, frozenset().union(*given.args, given.rest or NOTHING), False)
    operations.hashed(w, node, others)
    operations.equality(w, node, others, inside)
    if name.endswith("update"):
        _change(w, node, owner, name)
        access.put(w, owner, ELEMENT, others)
        return one_of(type(None))
    return one_of(bool) if name.startswith("is") else w.collection(node, cls, inside | others)


def _dict_method(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    access.asks_itself(w, node, owner)
    if name in OF_ORDERED:
        given = given.by_names(OF_ORDERED[name])
    held, keys = access.values(w, owner), access.keys(w, owner)
    default = given.get(1, "default")
    if name in ("get", "pop", "setdefault"):
        operations.hashed(w, node, given.get(0))
        operations.equality(w, node, given.get(0), keys)
        if name != "get":
            _change(w, node, owner, name)
        if name == "setdefault":
            access.put_item(w, node, owner, given.get(0), default or value(NONE))
        return held | default | (NOTHING if default or name == "pop" else value(NONE))
    if name in VIEWS:
        return _view(w, node, owner, name, held, keys)
    if name == "popitem":
        _change(w, node, owner, name)
        return _pair(w, node, keys, held)
    if name == "copy":
        copied = w.collection(node, base_of_dict(owner), held, keys)
        for thing in copied:
            w.m.heap.put(thing, OF, w.m.heap.get(owner, OF) if isinstance(owner, Object)
                         else NOTHING)
        return copied
    if name == "most_common":
        operations.counted(w, node, held)
        operations.index(w, node, given.all)
        return w.collection(node, list, _pair(w, node, keys, held))
    if name == "elements":
        return w.collection(node, access.GENERATOR, keys)
    if name == "total":
        return operations.counted(w, node, held)
    if name in ("update", "subtract"):
        _change(w, node, owner, name)
        _take_in(w, node, owner, given)
        return one_of(type(None))
    if name in ("clear", "move_to_end"):
        _change(w, node, owner, name)
        operations.hashed(w, node, given.get(0))
        return one_of(type(None))
    return access.library_object(w, node, value(owner) | given.all)


OF_ORDERED = {"pop": ("key", "default"), "setdefault": ("key", "default"),
              "move_to_end": ("key", "last"), "fromkeys": ("iterable", "value")}
"""Methods of an ordered dict that take their arguments by name, too."""
DICTS = (dict, collections.Counter, collections.OrderedDict, collections.defaultdict)


def base_of_dict(owner: Thing) -> type:
    return next((c for c in owner.cls.__mro__ if c in DICTS), dict)


def _take_in(w, node: ast.AST, owner: Thing, given: calls.Arguments) -> None:
    counting = issubclass(owner.cls, collections.Counter)
    for source in given.args[:1]:
        pairs = frozenset(t for t in source if not counting or (
            t.cls is not None and issubclass(t.cls, dict)))
        access.update(w, node, owner, pairs)
        if counting and source - pairs:
            found = access.iterate(w, node, source - pairs)
            access.put_item(w, node, owner, found, one_of(int))
    if counting:
        operations.counted(w, node, access.values(w, owner))
    extra = frozenset().union(*given.named.values(), given.named_rest or NOTHING)
    if extra:
        access.put_item(w, node, owner, one_of(str), extra)


def _pair(w, node: ast.AST, keys: Value, held: Value) -> Value:
    pair = w.made(node, tuple, "pair")
    w.m.heap.put(pair, ELEMENT, NOTHING)
    w.m.heap.put(pair, 0, keys)
    w.m.heap.put(pair, 1, held)
    return value(pair)


def _view(w, node: ast.AST, owner: Thing, name: str, held: Value, keys: Value) -> Value:
    view = w.made(node, VIEWS[name])
    inside = {"keys": keys, "values": held}.get(name)
    w.m.heap.put(view, ELEMENT, _pair(w, node, keys, held) if inside is None else inside)
    w.m.heap.put(view, OF, value(owner))
    return value(view)


def _view_method(w, node: ast.AST, owner: Thing, given: calls.Arguments) -> Value:
    """Whether it has anything in common with something else."""
    others = access.iterate(w, node, given.all, ordered=False)
    operations.hashed(w, node, others)
    operations.contains(w, node, given.all, access.elements(w, owner))
    operations.equality(w, node, others, access.elements(w, owner))
    return one_of(bool)


def _generator_method(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    _change(w, node, owner, name)
    if isinstance(owner, SharedObject):
        return calls.no_source(w, node, given)
    frame = w.m.generators.get(owner)
    if name == "send" and frame is not None:
        w.m.sends(frame, given.get(0))
    elif name == "throw":
        # It is caught where the generator catches, or comes out again.
        w.m.throws(calls.raised(w, node, frozenset(
            t for t in given.all if not isinstance(t, Plain))))
    return w.m.heap.get(owner, ELEMENT) if name in ("send", "throw") else one_of(type(None))


def _bytes_method(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    if name in ("append", "extend", "insert", "pop", "remove", "clear", "reverse"):
        operations.index(w, node, given.all - UNKNOWN)
        if name == "extend":
            operations.index(w, node, access.iterate(w, node, given.get(0)) - UNKNOWN)
        _change(w, node, owner, name)
        return one_of(int, type(None))
    found, result = _plain_method(w, node, bytes, name, given), GIVES[bytes].get(name)
    if result not in ("self", ["self"]) and name != "copy":
        return found
    # What bytes give as bytes, these give as new ones that can be changed.
    new = w.collection(node, bytearray, one_of(int))
    return new if isinstance(result, str | None) else w.collection(
        node, list, new, None, "parts") | w.collection(node, tuple, new, None, "parts")


METHODS = {list: _list_method, collections.deque: _list_method, tuple: _tuple_method,
           set: _set_method, frozenset: _set_method, types.GeneratorType: _generator_method,
           bytearray: _bytes_method}


def _special(w, node: ast.AST, owner: Thing, name: str, of: type, given: calls.Arguments) -> Value:
    """A special method that is called by its name, mostly of a base: `super().__init__(...)`."""
    base, operation = base_of(owner.cls), name.strip("_")
    if name in BY_NAME:
        return BY_NAME[name](w, node, owner, name, given)
    if operation[:1] == "i" and operation[1:] in BINARY:
        return _in_place(w, node, owner, operation[1:], given)
    if operation not in COMPUTING or not isinstance(owner, (Plain, Object, SharedObject)):
        return calls.no_source(w, node, given.before(value(owner)))
    if base in PLAIN and not all(isinstance(t, Plain) for t in given.all):
        return operations.binary_named(w, node, _plain_name(operation), value(owner), given.get(0))
    if base in PLAIN:
        return _of_number(base, operation, given)
    if not modules.check_plain(w, node, given):
        return calls.no_source(w, node, given)
    return access.library_object(w, node, value(owner) | given.all)


def _of_number(base: type, operation: str, given: calls.Arguments) -> Value:
    if operation in CONVERTING:
        return one_of(*CONVERTING[operation], base)
    if not given.get(0):
        return frozenset(map(Plain, operations.sampled(operation, base)))
    found = frozenset(Plain(c) for t in given.get(0) if t.cls is not None
                      for c in operations.sampled(_plain_name(operation), base, base_of(t.cls)))
    return (found or one_of(base)) | one_of(types.NotImplementedType)


def _initialised(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    """What is filled again loses what it had."""
    if not (isinstance(owner, Object) and owner.origin == "made"):
        _change(w, node, owner, name)
    _initialise(w, node, owner, base_of(owner.cls), given)
    return one_of(type(None))


def _set_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    return _set(w, node, owner, given)


def _changed_item(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    _change(w, node, owner, name)
    operations.index(w, node, given.get(0) - UNKNOWN)
    if name == "__setitem__":
        access.put_item(w, node, owner, given.get(0), given.get(1))
    return one_of(type(None))


def _in_place(w, node, owner: Thing, operation: str, given: calls.Arguments) -> Value:
    _change(w, node, owner, "__i__")
    operations.spread(w, node, owner, given.get(0), operation)
    return value(owner)


def _item_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    base = base_of(owner.cls)
    if issubclass(base, dict):
        if name == "__missing__":
            return access.missing(w, node, owner, given.get(0))
        return access.looked_up(w, node, owner, given.get(0))
    inside = access.elements(w, owner)
    operations.index(w, node, given.get(0) - UNKNOWN)
    operations.hashed(w, node, given.get(0))
    if arrays.is_array(base):
        return arrays.item(w, node, owner)
    return inside | (one_of(base) if base in PLAIN else NOTHING)


def _iterator_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    if owner.cls in access.ITERATORS or (isinstance(owner, SharedObject)
                                         and is_a(owner.value, Iterator)):
        return value(owner)
    inside = access.elements(w, owner) if isinstance(owner, Plain) else access.built_in_elements(
        w, node, owner, True)
    return w.collection(node, access.LIST_ITERATOR, inside)


def _next_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    return access.iterate(w, node, value(owner))


def _text_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    if base_of(owner.cls) in (set, frozenset):
        access.iterate(w, node, value(owner))
    return operations.text(w, node, access.everything_in(w, owner))


def _hash_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    operations.hashed(w, node, access.everything_in(w, owner))
    if not (isinstance(owner, Plain) and owner.cls in (int, bool)):
        modules.has_effect(w, node, EffectKind.RANDOM)
    return one_of(int)


def _number_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    return one_of(int)


def _contains_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    return operations.contains(w, node, value(owner), given.get(0))


def _called_by_name(w, node, owner: Thing, name: str, given: calls.Arguments) -> Value:
    return calls.invoke_with(w, node, value(owner), given)


def _compared_with(w, node: ast.AST, owner: Thing, name: str, given: calls.Arguments) -> Value:
    has_items = isinstance(owner, (Object, SharedObject))
    inside = access.everything_in(w, owner) if has_items else NOTHING
    for found in (given.get(0), *(access.everything_in(w, t) for t in given.get(0))):
        operations.equality(w, node, inside, found)
    return one_of(bool, types.NotImplementedType)


BY_NAME = {
    "__init__": _initialised, "__setattr__": _set_by_name, "__setitem__": _changed_item,
    "__delitem__": _changed_item, "__getitem__": _item_by_name, "__missing__": _item_by_name,
    "__iter__": _iterator_by_name, "__reversed__": _iterator_by_name, "__next__": _next_by_name,
    "__str__": _text_by_name, "__repr__": _text_by_name, "__format__": _text_by_name,
    "__hash__": _hash_by_name, "__len__": _number_by_name, "__index__": _number_by_name,
    "__int__": _number_by_name, "__length_hint__": _number_by_name,
    "__contains__": _contains_by_name, "__call__": _called_by_name,
    **dict.fromkeys(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__bool__"),
                    _compared_with)}
BINARY = frozenset(("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
                    "lshift", "rshift", "matmul"))
CONVERTING = {"float": (float,), "complex": (complex,), "trunc": (int,), "floor": (int,),
              "ceil": (int,), "round": (int,), "bytes": (bytes,)}
COMPUTING = frozenset((*BINARY, *(f"r{name}" for name in BINARY), "neg", "pos", "invert", "abs",
                       *CONVERTING))
"""Special methods that leave their object as it is, and give something new."""


def _plain_name(operation: str) -> str:
    known = set(operations.NAMES.values())
    if operation in known:
        return operation
    return operation[1:] if operation[1:] in known else "add"


def _initialise(w, node: ast.AST, owner: Thing, base: type, given: calls.Arguments) -> None:
    if issubclass(base, dict):
        for part in given.args[:1]:
            access.update(w, node, owner, part)
    elif base in (list, set, collections.deque):
        access.put(w, owner, ELEMENT, access.iterate(w, node, given.get(0)))
    elif issubclass(owner.cls, BaseException):
        access.put(w, owner, ELEMENT, given.all)


def _set(w, node: ast.AST, owner: Thing, given: calls.Arguments) -> Value:
    """`object.__setattr__(x, "name", value)`, in which the name is written down."""
    texts = [text for text in given.texts if text is not None][:1]
    if not texts:
        operations.later(w, node)
        return one_of(type(None))
    if isinstance(owner, SharedObject):
        w.assigned(node, f"{owner.name}.{texts[0]}", are_fixed(owner))
    w.m.change(owner, w.at(node), _shown(node))
    access.put(w, owner, attributes.mangled(w, texts[0]), given.get(1) or given.get(0))
    return one_of(type(None))


def _other(w, node: ast.AST, owner: Thing, name: str, of: type, given: calls.Arguments) -> Value:
    """Objects of other classes that are not written in Python."""
    if isinstance(owner, SharedObject) and is_a(owner.value, io.IOBase):
        w.m.add(EffectKind.IO, owner.name, f"calls `{calls.shown(node)}`, which does input or "
                "output", w.at(node), w.m.identity(owner))
        return one_of(int, str, bytes, type(None))
    if of is np.ufunc and isinstance(owner, SharedObject):
        return arrays.method_of_function(w, node, owner.value, name, given)
    effect = modules.effect_of_module(module_of_class(of))
    if effect is not None:
        return modules.has_effect(w, node, effect)
    if isinstance(owner, SharedObject) and module_of_class(of) in (
            "_hashlib", "_blake2", "_md5", "_sha1"):
        if name == "update":
            _change(w, node, owner, name)
            return one_of(type(None))
        return one_of(bytes, str)
    if of in access.ITERATORS and isinstance(owner, Object):
        _change(w, node, owner, name)
        return w.m.heap.get(owner, ELEMENT)
    return calls.no_source(w, node, given.before(value(owner)))
