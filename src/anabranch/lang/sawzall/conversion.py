"""Conversions `T(x, parameters)`, and how values of a type are shown as text.

Basic types, arrays, and anything to a string are converted; text is shown by `emit`, by
`string(x)`, and in the lines of tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import BOOL, BYTES, FLOAT, INT, STR, Type
from anabranch.lang.common.terms import Applied, Builtin, Constant, Term
from anabranch.lang.sawzall.library import times
from anabranch.lang.sawzall.library import values as showing
from anabranch.lang.sawzall.library.values import Show, as_int, ordering, shows_list, shows_map
from anabranch.lang.sawzall.protocol.declared import code_of
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
    is_composite,
    is_message,
    plain,
    same,
    shown,
)


@dataclass(frozen=True)
class ConversionText:
    """The text that converts a value, alone and with a parameter of a type."""

    text: str
    partial: bool = False
    parameter: Type | None = None
    with_parameter: str | None = None
    needs_parameter: bool = False


def _way(text: str, partial: bool = False, parameter: Type | None = None) -> ConversionText:
    """A function that takes the parameter, where there is one, after the value."""
    return ConversionText(f"{text}({{0}})", partial, parameter, f"{text}({{0}}, {{1}})")


def _encoded(text: str) -> ConversionText:
    return ConversionText("", True, STR, f"{text}({{0}}, {{1}})", needs_parameter=True)


SAME, SIGNED, UNSIGNED = ConversionText("{0}"), _way("as_int"), _way("as_uint")
WAYS = {
    (BOOL, INT): _way("int"), (BOOL, UINT): _way("int"), (BOOL, STR): _way("bool_text"),
    (INT, UINT): UNSIGNED, (INT, TIME): UNSIGNED, (INT, FINGERPRINT): UNSIGNED,
    (INT, FLOAT): _way("float"), (INT, STR): _way("int_text", True, INT),
    (INT, BYTES): _encoded("int_bytes"),
    (UINT, INT): SIGNED, (UINT, TIME): SAME, (UINT, FINGERPRINT): SAME,
    (UINT, FLOAT): _way("float"), (UINT, STR): _way("int_text", True, INT),
    (UINT, BYTES): _encoded("uint_bytes"),
    (FLOAT, INT): _way("int_of_float"), (FLOAT, UINT): _way("uint_of_float"),
    (FLOAT, STR): _way("float_text"),
    (TIME, INT): SIGNED, (TIME, UINT): SAME, (TIME, FINGERPRINT): SAME,
    (TIME, STR): ConversionText("times.shown({0}, ZONE)", True, STR,
                                "times.shown({0}, {1} or ZONE)"),
    (FINGERPRINT, INT): SIGNED, (FINGERPRINT, UINT): SAME, (FINGERPRINT, TIME): SAME,
    (FINGERPRINT, STR): _way("fingerprint_text"),
    (FINGERPRINT, BYTES): ConversionText("({0}).to_bytes(8)"),
    (STR, BOOL): _way("bool_of"), (STR, INT): _way("int_of", True, INT),
    (STR, UINT): _way("uint_of", True, INT), (STR, FLOAT): _way("float_of", True),
    (STR, FINGERPRINT): _way("uint_of", True, INT),
    (STR, TIME): ConversionText("times.time_of({0}, ZONE)", True, STR,
                                "times.time_of({0}, {1} or ZONE)"),
    (STR, BYTES): _way("bytes_of_text", True, STR),
    (BYTES, STR): _way("text_of_bytes", True, STR), (BYTES, INT): _encoded("int_of_bytes"),
    (BYTES, UINT): _encoded("uint_of_bytes"),
    (BYTES, FINGERPRINT): _way("fingerprint_of_bytes", True),
    (BYTES, FLOAT): ConversionText("float_of(text_of_bytes({0}))", True),
}
CODES = {(ArrayOf(INT), STR): _encoded("text_of_codes"),
         (STR, ArrayOf(INT)): _encoded("codes_of_text")}


TEN = Constant(INT, None, 10)


def built(kind: Type, span: Span | None, text: str, *parts: Term, partial: bool = False) -> Term:
    """A term of the language's own: its Python text, with a place for each part."""
    return Applied(kind, span, Builtin(text, (), kind, text, partial), parts)


def as_array(term: Term) -> Term:
    """A composite whose parts are all of one type, as an array of them."""
    if isinstance(term.type, Composed) and term.type.items and all(
            same(term.type.items[0], t) for t in term.type.items):
        return replace(term, type=ArrayOf(term.type.items[0]))
    return term


class Converter:
    """Converts terms; `scope` gets the objects that the texts of conversions name."""

    def __init__(self, scope: dict[str, object], zone: str):
        self.scope, self.zone = scope, zone

    def convert(self, term: Term, wanted: Type, parameters: tuple[Term, ...], span: Span) -> Term:
        """The term as one of the other type; a `ProgramError` when there is no way."""
        way = self.way(term.type, wanted, bool(parameters))
        if way is None:
            raise ProgramError(f"{shown(term.type)} cannot be converted to {shown(wanted)}", span)
        if not parameters:
            if way.needs_parameter:
                raise ProgramError("this conversion needs the name of an encoding", span,
                                   help='such as "varint" or "fixed64-big"')
            return built(wanted, span, way.text, term, partial=way.partial)
        if len(parameters) > 1 or way.parameter is None or parameters[0].type != way.parameter:
            raise ProgramError("this conversion takes no such parameter", parameters[0].span,
                               expected=shown(way.parameter) if way.parameter else "nothing",
                               got=", ".join(shown(p.type) for p in parameters))
        if way is WAYS[STR, INT] and _is_text_of_bytes(term) and parameters[0] == TEN:
            return built(wanted, span, "decimal({0})", *term.parts, partial=True)
        return built(wanted, span, way.with_parameter, term, *parameters, partial=True)

    def way(self, given: Type, wanted: Type, parametrised: bool = False) -> ConversionText | None:
        """How to convert, if that is possible."""
        if same(given, wanted):
            return SAME
        given, wanted = plain(given), plain(wanted)
        if (given, wanted) in WAYS:
            return WAYS[given, wanted]
        if parametrised and (given, wanted) in CODES:
            return CODES[given, wanted]
        if wanted == STR:
            return self._to_text(given)
        if given == BYTES and is_message(wanted):
            return self._message("decoded", wanted)
        if wanted == BYTES and is_message(given):
            return self._message("encoded", given)
        if isinstance(given, Composed) and given.items:
            given = ArrayOf(given.items[0])
        return self._of_array(given.item, wanted) if isinstance(given, ArrayOf) else \
            self._of_tuple(given, wanted)

    def _message(self, does: str, kind: Type) -> ConversionText:
        code = self.named("code", code_of(kind))
        return ConversionText(f"{does}({{0}}, {code})", True)

    def _to_text(self, given: Type) -> ConversionText | None:
        if not isinstance(given, (ArrayOf, MapOf, TupleOf, Composed, FunctionOf)):
            return None
        return ConversionText(f"{self.named('show', converted(given, self.zone))}({{0}})")

    def _of_array(self, item: Type, wanted: Type) -> ConversionText | None:
        if isinstance(wanted, ArrayOf):
            inner = self.way(item, wanted.item)
            if inner is None:
                return None
            one = _function(inner.text) if inner.text else ""
            two = f"(lambda v: {(inner.with_parameter or '').format('v', '{1}')})"
            return ConversionText(f"list(map({one}, {{0}}))", inner.partial, inner.parameter,
                       f"list(map({two}, {{0}}))", inner.needs_parameter)
        if isinstance(wanted, MapOf):
            keys, values = self.way(item, wanted.key), self.way(item, wanted.value)
            if keys is not None and is_composite(wanted.key):
                keys = replace(keys, text=f"frozen({keys.text})")
            return self._parts("map_of", [keys, values])
        if isinstance(wanted, TupleOf):
            return self._parts("tuple_of", [self.way(item, t) for t in wanted.items])
        return None

    def _parts(self, maker: str, ways: list[ConversionText | None]) -> ConversionText | None:
        if any(way is None or way.needs_parameter for way in ways):
            return None
        return ConversionText(f"{maker}({{0}}, {', '.join(_function(w.text) for w in ways)})", True)

    def _of_tuple(self, given: Type, wanted: Type) -> ConversionText | None:
        """Tuples of the same types are the same, whatever the names of their fields."""
        alike = isinstance(given, TupleOf) and isinstance(wanted, TupleOf) and \
            len(given.items) == len(wanted.items) and all(map(same, given.items, wanted.items))
        return SAME if alike else None

    def named(self, name: str, value: object) -> str:
        """A name in generated text for an object."""
        text = f"{name}__{len(self.scope)}"
        self.scope[text] = value
        return text


def _is_text_of_bytes(term: Term) -> bool:
    return isinstance(term, Applied) and term.builtin.text == WAYS[BYTES, STR].text


def _function(text: str) -> str:
    return f"(lambda v: {text.format('v')})"


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
