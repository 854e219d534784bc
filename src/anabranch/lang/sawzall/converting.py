"""Conversions `T(x, parameters)`: between basic types, of arrays, and of anything to a string."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anabranch.errors import ProgramError
from anabranch.ir.types import BOOL, BYTES, FLOAT, INT, STR, Type
from anabranch.lang.common.terms import Applied, Builtin, Constant, Term
from anabranch.lang.sawzall import shows
from anabranch.lang.sawzall.types import (
    FINGERPRINT,
    TIME,
    UINT,
    ArrayOf,
    Composed,
    FunctionOf,
    MapOf,
    TupleOf,
    is_composite,
    plain,
    same,
    shown,
)
from anabranch.source import Span


@dataclass(frozen=True)
class Way:
    """The text that converts a value, alone and with a parameter of a type."""

    text: str
    partial: bool = False
    parameter: Type | None = None
    with_parameter: str | None = None
    needs_parameter: bool = False


def _way(text: str, partial: bool = False, parameter: Type | None = None) -> Way:
    """A function that takes the parameter, where there is one, after the value."""
    return Way(f"{text}({{0}})", partial, parameter, f"{text}({{0}}, {{1}})")


def _encoded(text: str) -> Way:
    return Way("", True, STR, f"{text}({{0}}, {{1}})", needs_parameter=True)


SAME, SIGNED, UNSIGNED = Way("{0}"), _way("as_int"), _way("as_uint")
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
    (TIME, STR): Way("times.shown({0}, ZONE)", True, STR, "times.shown({0}, {1} or ZONE)"),
    (FINGERPRINT, INT): SIGNED, (FINGERPRINT, UINT): SAME, (FINGERPRINT, TIME): SAME,
    (FINGERPRINT, STR): _way("fingerprint_text"), (FINGERPRINT, BYTES): Way("({0}).to_bytes(8)"),
    (STR, BOOL): _way("bool_of"), (STR, INT): _way("int_of", True, INT),
    (STR, UINT): _way("uint_of", True, INT), (STR, FLOAT): _way("float_of", True),
    (STR, FINGERPRINT): _way("uint_of", True, INT),
    (STR, TIME): Way("times.time_of({0}, ZONE)", True, STR, "times.time_of({0}, {1} or ZONE)"),
    (STR, BYTES): _way("bytes_of_text", True, STR),
    (BYTES, STR): _way("text_of_bytes", True, STR), (BYTES, INT): _encoded("int_of_bytes"),
    (BYTES, UINT): _encoded("uint_of_bytes"),
    (BYTES, FINGERPRINT): _way("fingerprint_of_bytes", True),
    (BYTES, FLOAT): Way("float_of(text_of_bytes({0}))", True),
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

    def way(self, given: Type, wanted: Type, parametrised: bool = False) -> Way | None:
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
        if isinstance(given, Composed) and given.items:
            given = ArrayOf(given.items[0])
        return self._of_array(given.item, wanted) if isinstance(given, ArrayOf) else \
            self._of_tuple(given, wanted)

    def _to_text(self, given: Type) -> Way | None:
        if not isinstance(given, (ArrayOf, MapOf, TupleOf, Composed, FunctionOf)):
            return None
        return Way(f"{self.named('show', shows.converted(given, self.zone))}({{0}})")

    def _of_array(self, item: Type, wanted: Type) -> Way | None:
        if isinstance(wanted, ArrayOf):
            inner = self.way(item, wanted.item)
            if inner is None:
                return None
            one = _function(inner.text) if inner.text else ""
            two = f"(lambda v: {(inner.with_parameter or '').format('v', '{1}')})"
            return Way(f"list(map({one}, {{0}}))", inner.partial, inner.parameter,
                       f"list(map({two}, {{0}}))", inner.needs_parameter)
        if isinstance(wanted, MapOf):
            keys, values = self.way(item, wanted.key), self.way(item, wanted.value)
            if keys is not None and is_composite(wanted.key):
                keys = replace(keys, text=f"frozen({keys.text})")
            return self._parts("map_of", [keys, values])
        if isinstance(wanted, TupleOf):
            return self._parts("tuple_of", [self.way(item, t) for t in wanted.items])
        return None

    def _parts(self, maker: str, ways: list[Way | None]) -> Way | None:
        if any(way is None or way.needs_parameter for way in ways):
            return None
        return Way(f"{maker}({{0}}, {', '.join(_function(w.text) for w in ways)})", True)

    def _of_tuple(self, given: Type, wanted: Type) -> Way | None:
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
