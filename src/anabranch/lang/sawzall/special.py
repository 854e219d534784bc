"""Functions that take values of many types, or types: each has a rule of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anabranch.errors import ProgramError
from anabranch.ir.types import BOOL, BYTES, INT, STR, Type
from anabranch.lang.common.syntax import Literal, Name, Node
from anabranch.lang.common.terms import Constant, Term
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.converting import as_array, built
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.running import formats
from anabranch.lang.sawzall.types import (
    FINGERPRINT,
    VOID,
    ArrayOf,
    Composed,
    MapOf,
    is_composite,
    is_ordered,
    plain,
    same,
    shown,
)

if TYPE_CHECKING:
    from anabranch.lang.sawzall.checking import Checker

NO_PROTO = "protocol buffers are not supported"
REFUSED = {
    **dict.fromkeys(("inproto", "clearproto", "inprotocount", "undefproto"), NO_PROTO),
    **dict.fromkeys(("dbconnect", "dbquery", "getadditionalinput", "setadditionalinput",
                     "lockadditionalinput", "getresourcestats", "___raise_segv",
                     "___heapcheck", "___addressof")),
}


def arguments(checker: Checker, node: syntax.Invoke, least: int, most: int | None = None
              ) -> list[Term]:
    """The terms of a call with so many arguments."""
    count(node, least, most)
    return [checker.value(a) for a in node.arguments]


def count(node: syntax.Invoke, least: int, most: int | None = None) -> None:
    most = least if most is None else most
    if not least <= len(node.arguments) <= most:
        raise ProgramError(f"{node.function} takes another number of arguments", node.span,
                           expected=str(least) if least == most else f"{least} to {most}",
                           got=str(len(node.arguments)))


def _wrong(node: syntax.Invoke, term: Term, expected: str) -> ProgramError:
    return ProgramError(f"{node.function} cannot be applied to this", term.span, expected=expected,
                        got=shown(term.type))


def _def(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1)
    value = checker.check(node.arguments[0])
    return built(BOOL, node.span, "is_defined(lambda: {})", value)


def _assert(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1, 2)
    terms = [checker.condition(node.arguments[0])]
    if len(node.arguments) > 1:
        # The message of an assertion that holds is not even computed.
        terms.append(checker.check_as(node.arguments[1], STR))
        return built(VOID, node.span, "{} or asserted(False, {})", *terms, partial=True)
    return built(VOID, node.span, "{} or asserted(False)", *terms, partial=True)


def _len(checker: Checker, node: syntax.Invoke) -> Term:
    [value] = arguments(checker, node, 1)
    kind = plain(value.type)
    if kind not in (STR, BYTES) and not isinstance(kind, (ArrayOf, MapOf, Composed)):
        raise _wrong(node, value, "a string, bytes, an array or a map")
    return built(INT, node.span, "len({})", value)


def _mapped(checker: Checker, node: syntax.Invoke, least: int) -> tuple[Term, MapOf]:
    count(node, least)
    value = checker.value(node.arguments[0])
    if not isinstance(plain(value.type), MapOf):
        raise _wrong(node, value, "a map")
    return value, plain(value.type)


def _haskey(checker: Checker, node: syntax.Invoke) -> Term:
    mapping, kind = _mapped(checker, node, 2)
    key = checker.key(node.arguments[1], kind.key)
    return built(BOOL, node.span, "({1} in {0})", mapping, key)


def _lookup(checker: Checker, node: syntax.Invoke) -> Term:
    mapping, kind = _mapped(checker, node, 3)
    key = checker.key(node.arguments[1], kind.key)
    other = checker.check_as(node.arguments[2], kind.value)
    return built(kind.value, node.span, "{}.get({}, {})", mapping, key, other)


def _keys(checker: Checker, node: syntax.Invoke) -> Term:
    mapping, kind = _mapped(checker, node, 1)
    text = "list(map(thawed, {}))" if is_composite(kind.key) else "list({})"
    return built(ArrayOf(kind.key), node.span, text, mapping)


def _sorted(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1, 2)
    value = as_array(checker.value(node.arguments[0]))
    kind = plain(value.type)
    if not isinstance(kind, ArrayOf) or not is_ordered(kind.item):
        raise _wrong(node, value, "an array of values that can be compared")
    if str(node.function) == "sort":
        return built(value.type, node.span, "sorted({}, key=ordering)", value)
    return built(ArrayOf(INT), node.span,
                 "(lambda a: sorted(range(len(a)), key=lambda i: ordering(a[i])))({})", value)


def _extreme(checker: Checker, node: syntax.Invoke) -> Term:
    left, right = arguments(checker, node, 2)
    if not is_ordered(left.type):
        raise _wrong(node, left, "two values that can be compared")
    if not same(right.type, left.type):
        raise _wrong(node, right, shown(left.type))
    # Of two that are neither less than the other, both functions of szl give a certain one.
    order = "{0}, {1}" if str(node.function) == "max" else "{1}, {0}"
    return built(left.type, node.span, f"{node.function}({order})", left, right)


def _format(checker: Checker, node: syntax.Invoke) -> Term:
    return formatted(checker, node.arguments, node)


def formatted(checker: Checker, given: tuple[Node, ...], node: Node) -> Term:
    """The text of a format and its values."""
    if not given:
        raise ProgramError("format takes a text first", node.span, expected="a string")
    pattern = checker.check_as(given[0], STR)
    terms = [checker.check_as(a, STR) if a == syntax.Composite(a.span, ()) else checker.value(a)
             for a in given[1:]]
    if isinstance(given[0], Literal):
        wrong = formats.problem(given[0].value, [plain(t.type) for t in terms])
        if wrong:
            raise ProgramError(wrong, node.span)
    values = [_typed(given[0], i, t) for i, t in enumerate(terms)]
    inner = ", ".join(["{}"] * len(values)) + ("," if values else "")
    known = formats.as_python(given[0].value) if isinstance(given[0], Literal) else None
    if known is not None:
        return built(STR, node.span, f"({{}} % ({inner}))", Constant(STR, node.span, known),
                     *values)
    return built(STR, node.span, f"formatted({{}}, ZONE, ({inner}))", pattern, *values,
                 partial=True)


def _typed(pattern: Node, position: int, term: Term) -> Term:
    """A value, or its type for the verb %T."""
    if not isinstance(pattern, Literal):
        return term
    verb = formats.verbs(pattern.value)[position]
    if verb[1] != "T":
        return term
    kind = plain(term.type) if "#" in verb[0] else term.type
    return built(STR, term.span, repr(shown(kind)).replace("{", "{{").replace("}", "}}"))


def _fingerprintof(checker: Checker, node: syntax.Invoke) -> Term:
    [value] = arguments(checker, node, 1)
    return built(FINGERPRINT, node.span, "fingerprint_of({})", value)


def _convert(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 2, 3)
    wanted = argument_type(checker, node.arguments[0])
    return conversion(checker, node, wanted, node.arguments[1:])


def conversion(checker: Checker, node: syntax.Invoke, wanted: Type, given: tuple[Node, ...]
               ) -> Term:
    """`T(x, parameters)`."""
    if not 1 <= len(given) <= 2:
        raise ProgramError("a conversion takes a value, and at most one parameter", node.span)
    parameters = tuple(checker.value(p) for p in given[1:])
    if isinstance(given[0], (syntax.Composite, syntax.MapLiteral)) and not parameters \
            and plain(wanted) != STR:
        return checker.check_as(given[0], wanted, converts=True)
    if given[0] == syntax.Composite(given[0].span, ()) and plain(wanted) == STR:
        return checker.check_as(given[0], STR)
    value = checker.value(given[0])
    if parameters:
        value = as_array(value)
    return checker.converter.convert(value, wanted, parameters, node.span)


def argument_type(checker: Checker, node: Node) -> Type:
    """A type as an argument; a tuple of types looks like a composite."""
    if isinstance(node, syntax.Composite):
        parts = tuple(syntax.Part(n.span, None, n) for n in node.items)
        node = syntax.TupleKind(node.span, parts)
    if isinstance(node, syntax.Field):
        node = Name(node.span, tuple(_dotted(node)))
    return checker.generator.types.value(node)


def _dotted(node: Node) -> list[str]:
    if isinstance(node, syntax.Field):
        return [*_dotted(node.value), str(node.name)]
    return [str(node)]


def _new(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1, 3)
    wanted = argument_type(checker, node.arguments[0])
    kind = plain(wanted)
    if isinstance(kind, MapOf):
        return built(wanted, node.span, "dict()")
    count(node, 3)
    size = checker.check_as(node.arguments[1], INT)
    if isinstance(kind, ArrayOf):
        first = checker.check_as(node.arguments[2], kind.item)
        text = "repeated({1}, {0})" if is_composite(kind.item) else "[{1}] * {0}"
        return built(wanted, node.span, text, size, first)
    if kind not in (STR, BYTES):
        raise ProgramError("new makes arrays, strings, bytes and maps", node.span,
                           got=shown(wanted))
    first = checker.check_as(node.arguments[2], INT)
    text = "rune({1}) * {0}" if kind == STR else "bytes(({1} & 255,)) * {0}"
    return built(wanted, node.span, text, size, first, partial=kind == STR)


def _undefine(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1)
    name = node.arguments[0]
    local = checker.names.find(name) if isinstance(name, Name) else None
    if not isinstance(local, Local) or local.static:
        raise ProgramError("this is not a variable", node.span)
    checker.generator.undefine(local, node)
    return built(VOID, node.span, "None")


def _debug(checker: Checker, node: syntax.Invoke) -> Term:
    """`DEBUG("print", format, ...)`, which prints at once."""
    if not node.arguments or getattr(node.arguments[0], "value", None) != "print":
        raise ProgramError("DEBUG can only print", node.span, help='write DEBUG("print", ...)')
    text = formatted(checker, node.arguments[1:], node)
    return built(INT, node.span, "(run.show(1, {}) or 0)", text, partial=True)


FUNCTIONS = {
    "def": _def, "assert": _assert, "len": _len, "haskey": _haskey, "lookup": _lookup,
    "keys": _keys, "sort": _sorted, "sortx": _sorted, "min": _extreme, "max": _extreme,
    "format": _format, "fingerprintof": _fingerprintof, "convert": _convert, "new": _new,
    "___undefine": _undefine, "__undefine": _undefine, "DEBUG": _debug,
}
