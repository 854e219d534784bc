"""How values of a type are shown: by `emit`, by `string(x)`, and in the lines of tables."""

from __future__ import annotations

from functools import partial

from anabranch.ir.types import BOOL, BYTES, FLOAT, INT, STR, Type
from anabranch.lang.sawzall.running import showing, times
from anabranch.lang.sawzall.running.showing import Show, shows_list, shows_map
from anabranch.lang.sawzall.running.values import as_int, ordering
from anabranch.lang.sawzall.types import (
    FINGERPRINT,
    TIME,
    UINT,
    ArrayOf,
    Composed,
    FunctionOf,
    MapOf,
    Named,
    TupleOf,
    plain,
)

COMMON = {INT: str, UINT: str, FLOAT: showing.float_text, STR: showing.quoted,
          BOOL: showing.bool_text, FINGERPRINT: showing.fingerprint_literal}
EMITTED = COMMON | {TIME: showing.time_literal, BYTES: showing.emitted_bytes,
                    UINT: lambda value: str(as_int(value))}
IN_TABLES = {INT: str, UINT: str, FLOAT: showing.table_float, STR: str, BOOL: showing.bool_text,
             FINGERPRINT: str, TIME: str, BYTES: showing.table_bytes}


def emitted(kind: Type) -> Show:
    """As `emit` prints a value: maps in the order of their keys, and unsigned integers as if they
    had a sign.

    >>> emitted(MapOf(STR, ArrayOf(STR)))({"b": ["a", "b"], "a": []})
    '{"a": {}, "b": {"a", "b"}}'
    """
    return _show(kind, EMITTED, ("{", "}"), ("{", "}"), ("{", "}"))


def converted(kind: Type, zone: str) -> Show:
    """As `string(x)` gives a value that is no basic one."""
    basic = COMMON | {UINT: showing.uint_literal, BYTES: showing.bytes_literal,
                      TIME: partial(_quoted_time, zone)}
    return _show(kind, basic, ("{ ", " }"), ("{ ", " }"), ("{ ", " }"))


def in_tables(kind: Type) -> Show:
    """As the line of a table shows a value: bare, and a tuple without braces unless it is an item
    of an array or a map.

    >>> in_tables(TupleOf((None, None), (INT, ArrayOf(TupleOf((None,), (STR,))))))((1, [("a",)]))
    '1, { { a } }'
    """
    return _show(kind, IN_TABLES, ("{ ", " }"), ("", ""), ("{ ", " }"))


def _quoted_time(zone: str, time: int) -> str:
    return showing.quoted(times.shown(time, zone))


def _sorted(pairs: dict | tuple) -> tuple:
    return tuple(sorted(pairs.items() if isinstance(pairs, dict) else pairs,
                        key=lambda pair: ordering(pair[0])))


Pair = tuple[str, str]


def _show(kind: Type, basic: dict[Type, Show], array: Pair, tuple_: Pair, map_: Pair) -> Show:
    empty = f"{map_[0]}:{map_[1]}"

    def of(kind: Type, around: Pair = tuple_) -> Show:
        # A type may stand in its own definition, so it is looked at only when it is needed.
        if isinstance(kind, Named) and kind.definition:
            return lambda value: of(plain(kind), around)(value)
        if isinstance(kind, ArrayOf):
            return shows_list(of(kind.item, array), *array)
        if isinstance(kind, (TupleOf, Composed)):
            return shows_list([of(item) for item in kind.items], *around)
        if isinstance(kind, MapOf):
            show = shows_map(of(kind.key, map_), of(kind.value, map_), *map_, empty)
            return show if basic is not EMITTED else lambda value: show(_sorted(value))
        return showing.function_name if isinstance(kind, FunctionOf) else basic[kind]
    return of(kind)
