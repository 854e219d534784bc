"""The types, operators, functions and aggregates of CQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, OptionalOf, Type, without_none
from anabranch.lang.common import builtins as common
from anabranch.lang.common.builtins import ORDERED, table
from anabranch.lang.common.terms import Builtin

TYPES = {
    **dict.fromkeys(("int", "integer", "bigint", "smallint", "long"), INT),
    **dict.fromkeys(("float", "real", "double"), FLOAT),
    **dict.fromkeys(("string", "char", "varchar", "text", "byte"), STR),
    **dict.fromkeys(("bool", "boolean"), BOOL),
    **dict.fromkeys(("time", "timestamp", "datetime"), TIMESTAMP),
}

OPERATORS = {
    **common.OPERATORS,
    **table([
        *(Builtin("is null", (t,), BOOL, "({} is None)", for_none="({} is None)") for t in ORDERED),
        Builtin("like", (STR, STR), BOOL, "like({}, {})"),
    ]),
}
# A conversion may be called by any name of its type: cast(x as integer).
FUNCTIONS = {
    **common.FUNCTIONS,
    **{name: common.FUNCTIONS[{INT: "int", FLOAT: "float", STR: "string"}[kind]]
       for name, kind in TYPES.items() if kind in (INT, FLOAT, STR)},
    "substr": common.FUNCTIONS["substring"], "pow": common.FUNCTIONS["power"],
    "ceiling": common.FUNCTIONS["ceil"], "log": common.FUNCTIONS["ln"],
}


@dataclass(frozen=True)
class AggregateRule:
    """What an aggregate takes, and the type of its result; over no rows most give null."""

    takes: tuple[Type, ...]
    result: Callable[[Type], Type]


AGGREGATES = {
    "count": AggregateRule(ORDERED, lambda value: INT),
    "sum": AggregateRule((INT, FLOAT), without_none),
    "avg": AggregateRule((INT, FLOAT), lambda value: FLOAT),
    "min": AggregateRule(ORDERED, without_none),
    "max": AggregateRule(ORDERED, without_none),
}


def aggregate_type(function: str, value: Type, grouped: bool) -> Type:
    """The type of an aggregate's result: a group has a row at least, a whole relation may not."""
    result = AGGREGATES[function].result(value)
    certain = function == "count" or (grouped and not isinstance(value, OptionalOf))
    return result if certain else OptionalOf(result)
