"""The types of calls: built-in functions, methods, records, annotated functions.

Calls that make records and states are checked: `Trade("IBM", 119.5)` and `t.replace(price=1.0)`.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
import sys
import textwrap
from collections.abc import Callable
from datetime import datetime, timedelta
from types import FunctionType, ModuleType

from anabranch.analysis.syntax import UNRESOLVED
from anabranch.analysis.typing import diagnostics
from anabranch.analysis.typing.types import (
    NUMBERS,
    SPAN,
    DictOf,
    ItemsOf,
    ObjectOf,
    SetOf,
    TupleOf,
    element,
    fields_of_class,
    fits,
    is_plain_record,
    is_state,
    joined_all,
    returned,
)
from anabranch.core.source import Span
from anabranch.ir.foreign import is_foreign
from anabranch.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    STR,
    TIMESTAMP,
    ListOf,
    RecordOf,
    Type,
    without_none,
)


def named_value(resolve: Callable[[str], object], node: ast.expr) -> object:
    """The object that `name` or `module.name` or `Class.name` stands for, or `UNRESOLVED`."""
    if isinstance(node, ast.Name):
        return resolve(node.id)
    if isinstance(node, ast.Attribute):
        owner = named_value(resolve, node.value)
        if isinstance(owner, (ModuleType, type)):
            return getattr(owner, node.attr, UNRESOLVED)
    return UNRESOLVED


def call_type(typer, node: ast.Call) -> Type:
    given = [typer.type(a.value if isinstance(a, ast.Starred) else a) for a in node.args]
    named = {k.arg: typer.type(k.value) for k in node.keywords}
    if isinstance(node.func, ast.Name) and node.func.id in typer.variables:
        return ANY
    called = named_value(typer.syntax.resolve, node.func)
    if called is UNRESOLVED:
        return _method(typer, node, given)
    if is_plain_record(called) or is_state(called):
        check_arguments(typer, node, called, given, named)
        return RecordOf(called)
    if is_foreign(called):
        return ObjectOf(called)
    if called is timedelta:
        return SPAN
    if called is datetime:
        return TIMESTAMP if len(given) < TIME_ZONE and "tzinfo" not in named else ANY
    if isinstance(called, FunctionType):
        return returned(called) or LIBRARY.get(called) or _of_html(called)
    if any(isinstance(a, ast.Starred) for a in node.args) or not _known_builtin(called):
        return ANY
    return _builtin(called.__name__, given, named, called)


def _of_html(called: FunctionType) -> Type:
    """Who has `html.escape` has imported its module, with all the names of its characters."""
    known = sys.modules.get("html")
    return STR if known is not None and called is known.escape else ANY


def _known_builtin(called: object) -> bool:
    name = getattr(called, "__name__", None)
    return isinstance(name, str) and any(
        called is getattr(module, name, None) for module in (builtins, math))


TIME_ZONE = 8
LIBRARY = {re.sub: STR, re.escape: STR, textwrap.dedent: STR}
ALWAYS = {"len": INT, "int": INT, "float": FLOAT, "str": STR, "bool": BOOL, "repr": STR,
          "ord": INT, "chr": STR, "hash": INT, "isinstance": BOOL, "hasattr": BOOL,
          "callable": BOOL, "any": BOOL, "all": BOOL, "range": ItemsOf(INT), "format": STR,
          "bytes": BYTES, "id": INT, "hex": STR, "bin": STR, "oct": STR}
WHOLE_NUMBERS = ("floor", "ceil", "trunc", "gcd", "lcm", "factorial", "comb", "perm", "isqrt")
TRUTHS = ("isnan", "isinf", "isfinite", "isclose")
OTHER_MATH = ("prod", "sumprod", "frexp", "modf")


def _builtin(name: str, given: list[Type], named: dict, called: object) -> Type:
    if called is getattr(math, name, None):
        return _math(name)
    if name in ALWAYS:
        return ALWAYS[name]
    if not given and (called is set or called is frozenset):
        return SetOf(ANY)
    if name in RESULTS and given:
        return RESULTS[name](given, named)
    return ANY


def _math(name: str) -> Type:
    if name in OTHER_MATH:
        return ANY
    return INT if name in WHOLE_NUMBERS else BOOL if name in TRUTHS else FLOAT


def _element(found: Type) -> Type:
    return element(found) or ANY


def _absolute(given, named):
    return INT if given[0] in (BOOL, INT) else given[0] if given[0] == FLOAT else ANY


def _extreme(given, named):
    chosen = given if len(given) > 1 else [_element(given[0])]
    return joined_all([*chosen, *(t for n, t in named.items() if n == "default")])


def _rounded(given, named):
    if given[0] not in NUMBERS:
        return ANY
    exact = len(given) == 1 and not named
    return INT if exact else FLOAT if given[0] == FLOAT else ANY


def _sum(given, named):
    item = _element(given[0])
    simple = len(given) == 1 and not named
    return (INT if item == BOOL else item) if simple and item in NUMBERS else ANY


def _zip(given, named):
    return ItemsOf(TupleOf(tuple(map(_element, given))))


RESULTS = {
    "abs": _absolute, "min": _extreme, "max": _extreme, "round": _rounded, "sum": _sum, "zip": _zip,
    "sorted": lambda given, named: ListOf(_element(given[0])),
    "list": lambda given, named: ListOf(_element(given[0])),
    "enumerate": lambda given, named: ItemsOf(TupleOf((INT, _element(given[0])))),
    "reversed": lambda given, named: ItemsOf(_element(given[0])),
    "set": lambda given, named: SetOf(_element(given[0])),
    "frozenset": lambda given, named: SetOf(_element(given[0])),
    "tuple": lambda given, named: ItemsOf(_element(given[0])),
    "iter": lambda given, named: ItemsOf(_element(given[0])) if len(given) == 1 else ANY,
}


def _of(names: str, found: Type) -> dict[str, Type]:
    return dict.fromkeys(names.split(), found)


METHODS: dict[Type, dict[str, Type]] = {
    STR: {
        **_of("lower upper strip lstrip rstrip title capitalize casefold swapcase replace join "
              "format zfill center ljust rjust removeprefix removesuffix expandtabs", STR),
        **_of("startswith endswith isdigit isalpha isalnum isupper islower isspace isnumeric "
              "isdecimal isidentifier istitle isascii isprintable", BOOL),
        **_of("find rfind index rindex count", INT),
        **_of("split rsplit splitlines", ListOf(STR)),
        **_of("partition rpartition", TupleOf((STR, STR, STR))), "encode": BYTES},
    BYTES: {**_of("decode hex", STR), **_of("startswith endswith", BOOL),
            **_of("find index count", INT), **_of("strip lower upper replace join", BYTES)},
    INT: {"bit_length": INT},
    FLOAT: {"is_integer": BOOL, "hex": STR},
    TIMESTAMP: {**_of("isoformat strftime ctime", STR), "timestamp": FLOAT,
                **_of("weekday isoweekday toordinal", INT), "replace": TIMESTAMP},
    SPAN: {"total_seconds": FLOAT},
}
LIST_METHODS = {**_of("index count", INT),
                **_of("append extend insert remove clear sort reverse", NONE)}

SET_METHODS = ("union", "intersection", "difference", "symmetric_difference", "copy")


DICT_METHODS: dict[str, Callable[[DictOf, list[Type]], Type]] = {
    "keys": lambda owner, given: ItemsOf(owner.item),
    "values": lambda owner, given: ItemsOf(owner.value),
    "items": lambda owner, given: ItemsOf(TupleOf((owner.item, owner.value))),
    "most_common": lambda owner, given: ListOf(TupleOf((owner.item, owner.value))),
    "popitem": lambda owner, given: TupleOf((owner.item, owner.value)),
    "copy": lambda owner, given: owner,
    "get": lambda owner, given: joined_all([owner.value, *(given[1:] or [NONE])]),
    "pop": lambda owner, given: joined_all([owner.value, *given[1:]]),
    "setdefault": lambda owner, given: joined_all([owner.value, *(given[1:] or [NONE])]),
}


def _method(typer, node: ast.Call, given: list[Type]) -> Type:
    if not isinstance(node.func, ast.Attribute):
        typer.type(node.func)
        return ANY
    typer.type(node.func)
    owner, name = without_none(typer.types[node.func.value]), node.func.attr
    if isinstance(owner, RecordOf):
        return _record_method(typer, node, owner, name)
    if isinstance(owner, ListOf):
        return owner if name == "copy" else owner.item if name == "pop" else (
            LIST_METHODS.get(name, ANY))
    if isinstance(owner, SetOf):
        return SetOf(ANY) if name in SET_METHODS else ANY
    if isinstance(owner, DictOf):
        return DICT_METHODS[name](owner, given) if name in DICT_METHODS else ANY
    return METHODS.get(owner, {}).get(name, ANY)


def _record_method(typer, node: ast.Call, owner: RecordOf, name: str) -> Type:
    if name in ("replace", "_replace") and is_plain_record(owner.cls):
        check_changes(typer, node, owner.cls)
        return owner
    method = getattr(owner.cls, name, None)
    return (isinstance(method, FunctionType) and returned(method)) or ANY


def check_arguments(typer, node: ast.Call, cls: type, given: list[Type],
                    named: dict[str | None, Type]) -> None:
    """Reports an unknown, missing, superfluous or clashing argument of a constructor."""
    where = typer.syntax.at(node)
    fields = list(cls.__record_fields__)
    if is_state(cls) and node.args:
        typer.report(diagnostics.by_name(where, cls))
        return
    open_ended = None in named or any(isinstance(a, ast.Starred) for a in node.args)
    if not open_ended and len(given) > len(fields):
        typer.report(diagnostics.too_many(where, cls, len(given)))
        return
    positional = _positional(node.args, fields)
    for argument, field in positional:
        _check_value(typer, cls, field, argument)
    _check_keywords(typer, node, cls, {f for _, f in positional})
    lacking = [f for f in fields[len(given):] if f not in named
               and cls.__record_fields__[f] is ...]
    if lacking and not open_ended:
        typer.report(diagnostics.lacking(where, cls, lacking))


def _positional(arguments: list[ast.expr], fields: list[str]) -> list[tuple[ast.expr, str]]:
    """The arguments whose field is certain: those before the first starred one."""
    stars = [i for i, a in enumerate(arguments) if isinstance(a, ast.Starred)]
    return list(zip(arguments[:stars[0] if stars else None], fields))


def check_changes(typer, node: ast.Call, cls: type) -> None:
    """Reports an unknown or clashing field in `t.replace(...)`."""
    if node.args:
        typer.report(diagnostics.by_name(typer.syntax.at(node), cls))
    _check_keywords(typer, node, cls, set())


def _check_keywords(typer, node: ast.Call, cls: type, taken: set[str]) -> None:
    for keyword in node.keywords:
        if keyword.arg is None:
            continue
        if keyword.arg not in cls.__record_fields__:
            typer.report(diagnostics.no_field(_name_span(typer, keyword), cls, keyword.arg))
        elif keyword.arg in taken:
            typer.report(diagnostics.given_twice(_name_span(typer, keyword), cls, keyword.arg))
        else:
            _check_value(typer, cls, keyword.arg, keyword.value)


def _name_span(typer, keyword: ast.keyword) -> Span:
    whole = typer.syntax.at(keyword)
    return Span(whole.file, whole.line, whole.column, whole.line,
                whole.column + len(keyword.arg))


def _check_value(typer, cls: type, field: str, value: ast.expr) -> None:
    check_field(typer, cls, field, typer.types[value], value)


def check_field(typer, cls: type, field: str, given: Type, node: ast.expr) -> None:
    """Reports a value that cannot be the field's."""
    wanted = fields_of_class(cls)[field]
    if not fits(wanted, given):
        typer.report(diagnostics.wrong_field(typer.syntax.at(node), cls, field, wanted, given))
