"""The operators and functions of Sawzall: of fixed types, of many types, and saws.

Nothing is promoted. A function that takes values of many types, or types, has a rule of its own, as
have those of texts and of patterns.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from anabranch.core.errors import ProgramError
from anabranch.ir.types import BOOL, BYTES, FLOAT, INT, STR, Type
from anabranch.lang.common.syntax import Literal, Name, Node
from anabranch.lang.common.terms import Builtin, Constant, Term, is_partial, table
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.conversion import as_array, built
from anabranch.lang.sawzall.library import (
    conversions,
    messages,
    numbers,
    output,
    regexes,
    texts,
    times,
    values,
)
from anabranch.lang.sawzall.library import conversions as encodings
from anabranch.lang.sawzall.library import numbers as fingerprints
from anabranch.lang.sawzall.library import texts as formats
from anabranch.lang.sawzall.library import values as showing
from anabranch.lang.sawzall.library import values as undefined
from anabranch.lang.sawzall.library.regexes import sawyer
from anabranch.lang.sawzall.library.values import Undefined
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.protocol.declared import code_of
from anabranch.lang.sawzall.types import (
    FINGERPRINT,
    TIME,
    UINT,
    VOID,
    ArrayOf,
    Composed,
    MapOf,
    TupleOf,
    Wire,
    is_composite,
    is_message,
    is_ordered,
    plain,
    same,
    shown,
)

if TYPE_CHECKING:
    from anabranch.lang.sawzall.check import Checker


MODULES = (messages, numbers, regexes, showing, texts, conversions, undefined, values, formats,
           output, encodings, fingerprints, output)
SCOPE = {name: value for module in MODULES for name, value in vars(module).items()
         if not name.startswith("_") and callable(value)} | {
             "math": math, "inf": math.inf, "nan": math.nan, "times": times}
SIGNED = "(({} + 9223372036854775808 & 18446744073709551615) - 9223372036854775808)"
FITS = "(sum_ if -9223372036854775808 <= (sum_ := {}) <= 9223372036854775807 else as_int(sum_))"
"""Most results are within 64 bits, which takes less time to see than to bring them there."""
UNSIGNED = "({} & 18446744073709551615)"
STRINGS, INTS, MANY_BYTES = ArrayOf(STR), ArrayOf(INT), ArrayOf(BYTES)


LITERALS = {INT: str, UINT: values.uint_literal, FLOAT: values.float_text, STR: values.quoted,
            BYTES: values.bytes_literal, BOOL: values.bool_text, TIME: values.time_literal,
            FINGERPRINT: values.fingerprint_literal}
RESOURCES = TupleOf(
    ("initializedavailablemem", "initializedallocatedmem", "initializedusertime",
     "initializedsystemtime", "availablemem", "allocatedmem", "usertime", "systemtime"),
    (INT, INT, TIME, TIME) * 2)


def _one(name: str, parameters: tuple[Type, ...], result: Type, text: str,
         partial: bool = False) -> Builtin:
    return Builtin(name, parameters, result, text, partial)


def _whole(kind: Type, other: Type, result: Type) -> list[Builtin]:
    """Arithmetic of whole numbers, in 64 bits."""
    fit, prefix = (FITS, "int") if result == INT else (UNSIGNED, "uint")
    return [*(_one(n, (kind, other), result, fit.format(f"({{}} {n} {{}})")) for n in "+-*"),
            _one("/", (kind, other), result, f"{prefix}_divided({{}}, {{}})", True),
            _one("%", (kind, other), result, f"{prefix}_modulo({{}}, {{}})", True)]


def _bits(kind: Type) -> list[Builtin]:
    fit = SIGNED if kind == INT else UNSIGNED
    return [*(_one(n, (kind, kind), kind, f"({{}} {n} {{}})") for n in "&|^"),
            *(_one(sign, (kind, by), kind, fit.format(f"shifted_{way}({{}}, {{}})"))
              for sign, way in (("<<", "left"), (">>", "right")) for by in (INT, UINT)),
            _one("~", (kind,), kind, fit.format("(~{})"))]


OPERATORS = table([
    *_whole(INT, INT, INT), *_whole(UINT, UINT, UINT), *_whole(TIME, TIME, TIME),
    *_whole(TIME, INT, TIME), *_whole(INT, TIME, TIME),
    *_bits(INT), *_bits(UINT), *_bits(FINGERPRINT),
    *(_one(n, (FLOAT, FLOAT), FLOAT, f"({{}} {n} {{}})") for n in "+-*"),
    _one("/", (FLOAT, FLOAT), FLOAT, "float_divided({}, {})", True),
    _one("+", (FINGERPRINT, FINGERPRINT), FINGERPRINT, "joined({}, {})"),
    *(_one("+", (t, t), t, "({} + {})") for t in (STR, BYTES)),
    # What is negated is taken from zero: there is no negative zero.
    _one("-", (INT,), INT, SIGNED.format("(-{})")), _one("-", (FLOAT,), FLOAT, "(0.0 - {})"),
    _one("-", (UINT,), UINT, UNSIGNED.format("(-{})")),
    *(_one("+", (t,), t, "{}") for t in (INT, FLOAT, UINT)),
    _one("and", (BOOL, BOOL), BOOL, "({} and {})"), _one("or", (BOOL, BOOL), BOOL, "({} or {})"),
    _one("strict and", (BOOL, BOOL), BOOL, "({} & {})"),
    _one("strict or", (BOOL, BOOL), BOOL, "({} | {})"),
    _one("not", (BOOL,), BOOL, "(not {})"),
])


def _zoned(name: str, before: tuple[Type, ...], result: Type, text: str) -> list[Builtin]:
    """A function of a time, in the usual time zone or in one that is given."""
    given = text.replace("ZONE", f"({{{len(before)}}} or ZONE)")
    return [_one(name, before, result, text, True),
            _one(name, (*before, STR), result, given, True)]


PARTS = (("yearof", "year"), ("monthof", "month"), ("dayofmonth", "day"), ("hourof", "hour"),
         ("minuteof", "minute"), ("secondof", "second"), ("dayofweek", "isoweekday()"),
         ("dayofyear", "timetuple().tm_yday"))
UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
STEPS = (("addday", "days={1}"), ("addweek", "days=7 * {1}"), ("addmonth", "months={1}"),
         ("addyear", "months=12 * {1}"))
TIMES = [
    *(b for n, part in PARTS for b in _zoned(n, (TIME,), INT, f"times.moment({{0}}, ZONE).{part}")),
    *(b for unit in UNITS
      for b in _zoned(f"truncto{unit}", (TIME,), TIME, f"times.truncated({{0}}, ZONE, '{unit}')")),
    *(b for n, step in STEPS
      for b in _zoned(n, (TIME, INT), TIME, f"times.added({{0}}, ZONE, {step})")),
    *(_one(n, (TIME,), TIME, f"times.added({{0}}, ZONE, {step.replace('{1}', '1')})", True)
      for n, step in STEPS),
    *_zoned("formattime", (STR, TIME), STR, "times.formatted_time({0}, {1}, ZONE)"),
    _one("now", (), TIME, "NOW"),
]
TURNED = ("sin", "cos", "tan", "asin", "acos", "atan", "cosh", "sinh", "tanh", "acosh", "asinh",
          "atanh", "exp")
NUMBERS = [
    _one("abs", (INT,), INT, SIGNED.format("abs({})")),
    *(_one(n, (FLOAT,), FLOAT, "abs({})") for n in ("abs", "fabs")),
    *(_one(n, (FLOAT,), FLOAT, f"whole(math.{n}, {{}})") for n in ("floor", "ceil", "trunc")),
    _one("round", (FLOAT,), FLOAT, "rounded({})"), _one("sqrt", (FLOAT,), FLOAT, "root({})"),
    _one("ln", (FLOAT,), FLOAT, "logarithm({})"), _one("log10", (FLOAT,), FLOAT, "logarithm10({})"),
    _one("pow", (FLOAT, FLOAT), FLOAT, "power({}, {})"),
    *(_one(n, (FLOAT,), FLOAT, f"answered(math.{n}, {{}})") for n in TURNED),
    _one("atan2", (FLOAT, FLOAT), FLOAT, "math.atan2({}, {})"),
    *(_one(n, (FLOAT,), BOOL, f"math.{n}({{}})") for n in ("isnan", "isinf", "isfinite")),
    _one("isnormal", (FLOAT,), BOOL, "is_normal({})"),
    *(_one("highbit", (t,), INT, "high_bit({})") for t in (INT, UINT)),
    _one("rand", (), FLOAT, "next(chance_of(run))"),
    _one("nrand", (INT,), INT, "below({}, chance_of(run))", True),
]
TEXTS = [
    _one("lowercase", (STR,), STR, "lowercase({})"),
    _one("uppercase", (STR,), STR, "uppercase({})"),
    *(_one(f"{n}{find}", (t, t), INT, f"{{1}}.{find}({{0}})")
      for n, t in (("str", STR), ("bytes", BYTES)) for find in ("find", "rfind")),
    _one("strreplace", (STR, STR, STR, BOOL), STR, "replaced({}, {}, {}, {})"),
    _one("match", (STR, STR), BOOL, "matches({}, {})", True),
    _one("matchstrs", (STR, STR), STRINGS, "match_strings({}, {})", True),
    _one("matchposns", (STR, STR), INTS, "match_positions({}, {})", True),
    _one("splitcsvline", (BYTES,), MANY_BYTES, "split_csv_line({})"),
    _one("splitcsv", (BYTES, INTS), MANY_BYTES, "split_csv({}, {})", True),
    _one("tobase64", (BYTES, BOOL), BYTES, "to_base64({}, {})"),
    _one("frombase64", (BYTES, BOOL), BYTES, "from_base64({}, {})", True),
    _one("gzip", (BYTES,), BYTES, "gzip({})"), _one("gunzip", (BYTES,), BYTES, "gunzip({})", True),
    _one("zlibcompress", (BYTES, BOOL), BYTES, "zlib_compress({}, {})"),
    _one("zlibuncompress", (BYTES, BOOL), BYTES, "zlib_uncompress({}, {})", True),
    _one("load", (STR,), BYTES, "loaded({})", True),
    _one("getenv", (STR,), STR, "environment({})", True),
    _one("getresourcestats", (), RESOURCES, "resources()"),
]
FUNCTIONS = table([*TIMES, *NUMBERS, *TEXTS])
CONSTANTS = {
    "true": (BOOL, "True"), "false": (BOOL, "False"), "PI": (FLOAT, repr(math.pi)),
    "Inf": (FLOAT, "inf"), "inf": (FLOAT, "inf"), "NaN": (FLOAT, "nan"), "nan": (FLOAT, "nan"),
    **dict.fromkeys(("SECOND", "SEC"), (TIME, "1000000")),
    **dict.fromkeys(("MINUTE", "MIN"), (TIME, "60000000")),
    **dict.fromkeys(("HOUR", "HR"), (TIME, "3600000000")),
}


REFUSED = {
    **dict.fromkeys(("dbconnect", "dbquery", "getadditionalinput", "setadditionalinput",
                     "lockadditionalinput", "___raise_segv", "___heapcheck")),
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
    if value.type == VOID and not checker.is_table(node.arguments[0]):
        raise ProgramError("this has no value", node.arguments[0].span)
    if isinstance(node.arguments[0], syntax.Item) and not is_partial(value):
        return Constant(BOOL, node.span, True)
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
        wrong = texts.problem(given[0].value, [plain(t.type) for t in terms])
        if wrong:
            raise ProgramError(wrong, node.span)
    values = [_typed(given[0], i, t) for i, t in enumerate(terms)]
    inner = ", ".join(["{}"] * len(values)) + ("," if values else "")
    known = texts.as_python(given[0].value) if isinstance(given[0], Literal) else None
    if known is not None:
        return built(STR, node.span, f"({{}} % ({inner}))", Constant(STR, node.span, known),
                     *values)
    return built(STR, node.span, f"formatted({{}}, ZONE, ({inner}))", pattern, *values,
                 partial=True)


def _typed(pattern: Node, position: int, term: Term) -> Term:
    """A value, or its type for the verb %T."""
    if not isinstance(pattern, Literal):
        return term
    verb = texts.verbs(pattern.value)[position]
    if verb[1] != "T":
        return term
    text = expanded(term.type) if "#" in verb[0] else shown(term.type)
    return built(STR, term.span, repr(text).replace("{", "{{").replace("}", "}}"))


def expanded(kind: Type) -> str:
    """A type with what its name stands for; a tuple with all that is declared in it."""
    found = plain(kind)
    if not isinstance(found, TupleOf) or not (found.wires or found.members):
        return shown(found)
    parts = [shown(TupleOf((name,), (item,)))[1:-1] + _wire(wire, item)
             for name, item, wire in zip(found.names, found.items,
                                         found.wires or (None,) * len(found.items))]
    return f"{{{', '.join([*parts, *(_member(n, m) for n, m in found.members.items())])}}}"


def _wire(wire: Wire | None, kind: Type) -> str:
    if wire is None:
        return ""
    default = "" if wire.default is None else f" = {LITERALS[plain(kind)](wire.default)}"
    return f"{default} @ {wire.tag}" + (f": {wire.form}" if wire.form else "")


def _member(name: str, meaning: object) -> str:
    if not isinstance(meaning, Local):
        return f"type {name} = {expanded(meaning.type)}"
    known = meaning.literal is not None
    value = f" = {LITERALS[plain(meaning.type)](meaning.literal)}" if known else ""
    return f"static {name}: {shown(meaning.type)}{value}"


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
    if isinstance(given[0], (syntax.Composite, syntax.MapLiteral)) and not parameters:
        return checker.check_as(given[0], wanted, converts=True)
    value = checker.value(given[0])
    if parameters:
        value = as_array(value)
    return checker.converter.convert(value, wanted, parameters, node.span)


def argument_type(checker: Checker, node: Node) -> Type:
    """A type as an argument; a tuple of types looks like a composite."""
    if isinstance(node, syntax.MapLiteral):
        named = [(k if isinstance(k, Name) else None, v) for k, v in node.pairs]
        node = syntax.TupleKind(node.span, tuple(syntax.Part(v.span, k, v) for k, v in named))
    if isinstance(node, syntax.Composite):
        parts = tuple(syntax.Part(n.span, None, n) for n in node.items)
        node = syntax.TupleKind(node.span, parts)
    if isinstance(node, syntax.Field):
        node = Name(node.span, tuple(syntax.dotted(node)))
    return checker.generator.types.value(node)


def _new(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1, 3)
    wanted = argument_type(checker, node.arguments[0])
    kind = plain(wanted)
    if isinstance(kind, MapOf):
        return built(wanted, node.span, "dict()")
    count(node, 3)
    size = checker.check_as(node.arguments[1], INT)
    unsure = not (isinstance(size, Constant) and size.value >= 0)
    many = "counted({0})" if unsure else "{0}"
    if isinstance(kind, ArrayOf):
        first = checker.check_as(node.arguments[2], kind.item)
        text = "repeated({1}, {0})" if is_composite(kind.item) else "[{1}] * {0}"
        return built(wanted, node.span, text.replace("{0}", many), size, first, partial=unsure)
    if kind not in (STR, BYTES):
        raise ProgramError("new makes arrays, strings, bytes and maps", node.span,
                           got=shown(wanted))
    first = checker.check_as(node.arguments[2], INT)
    text = "rune({1}) * {0}" if kind == STR else "bytes(({1} & 255,)) * {0}"
    return built(wanted, node.span, text.replace("{0}", many), size, first,
                 partial=unsure or kind == STR)


def _undefine(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1)
    name = node.arguments[0]
    local = checker.names.find(name) if isinstance(name, Name) else None
    if not isinstance(local, Local) or local.static or local.quantifies:
        raise ProgramError("this is not a variable", node.span)
    checker.generator.undefine(local, node)
    return built(VOID, node.span, "None")


def _debug(checker: Checker, node: syntax.Invoke) -> Term:
    """`DEBUG("print", format, ...)`, which prints at once, and `DEBUG("ref", x)`, how many share a
    value: of ours, nobody does."""
    known = getattr(node.arguments[0], "value", None) if node.arguments else None
    if known == "ref" and len(node.arguments) == 2 and not isinstance(node.arguments[1], Literal):
        return built(INT, node.span, "(({}) is None or 1)", checker.value(node.arguments[1]))
    if known != "print":
        raise ProgramError("DEBUG prints, or counts references", node.span,
                           help='write DEBUG("print", format, ...) or DEBUG("ref", variable)')
    text = formatted(checker, node.arguments[1:], node)
    return built(INT, node.span, "(run.show(1, {}) or 0)", text, partial=True)


def _field(checker: Checker, node: syntax.Invoke) -> Term:
    """`inproto(t.x)`, and `clearproto(t.x)`."""
    count(node, 1)
    [argument] = node.arguments
    owner = checker.place(argument.value) if isinstance(argument, syntax.Field) else None
    if owner is None or not is_message(owner.type):
        raise ProgramError(f"{node.function} takes a field of a message", argument.span,
                           expected="message.field")
    position = checker.position(argument, owner.type)
    does = "is_present" if str(node.function) == "inproto" else "cleared"
    if does == "is_present":
        owner = checker.value(argument.value)
    return built(BOOL, node.span, f"{does}({{}}, {position})", owner)


def _inprotocount(checker: Checker, node: syntax.Invoke) -> Term:
    [value] = arguments(checker, node, 1)
    if not is_message(value.type):
        raise _wrong(node, value, "a message")
    code = checker.converter.named("code", code_of(value.type))
    return built(INT, node.span, f"present({{}}, {code})", value)


def _addressof(checker: Checker, node: syntax.Invoke) -> Term:
    [value] = arguments(checker, node, 1)
    return built(INT, node.span, "id({})", value)


POLYMORPHIC = {
    "___addressof": _addressof,
    "inproto": _field, "clearproto": _field, "inprotocount": _inprotocount,
    "def": _def, "assert": _assert, "len": _len, "haskey": _haskey, "lookup": _lookup,
    "keys": _keys, "sort": _sorted, "sortx": _sorted, "min": _extreme, "max": _extreme,
    "format": _format, "fingerprintof": _fingerprintof, "convert": _convert, "new": _new,
    "___undefine": _undefine, "__undefine": _undefine, "DEBUG": _debug,
}


def _regex(checker: Checker, node: syntax.Invoke) -> Term:
    count(node, 1, 2)
    wanted = plain(argument_type(checker, node.arguments[0]))
    if wanted == FLOAT and len(node.arguments) == 1:
        return Constant(STR, node.span, regexes.FLOAT)
    if wanted != INT:
        raise ProgramError("regex knows int and float", node.span, got=shown(wanted))
    bases = [getattr(a, "value", None) for a in node.arguments[1:]] or [0]
    if bases[0] not in regexes.INTEGERS:
        raise ProgramError("regex knows integers in some bases", node.span,
                           expected="the literal 0, 8, 10 or 16")
    return Constant(STR, node.span, regexes.INTEGERS[bases[0]])


def _saw(checker: Checker, node: syntax.Invoke) -> Term:
    """`saw`, `sawn` and `sawzall`, whose arguments are patterns."""
    given = list(node.arguments)
    times = {"saw": "1", "sawzall": "-1"}.get(str(node.function))
    terms = [] if times else [checker.check_as(given.pop(0), INT)] if given else []
    if len(given) < 2:
        raise ProgramError(f"{node.function} takes a text and patterns", node.span)
    text = checker.check_as(given.pop(0), STR)
    rest = given.pop() if isinstance(given[-1], syntax.Rest) else None
    between = [p.target for p in given if isinstance(p, syntax.Rest)]
    if between and times != "1":
        raise ProgramError(f"'rest' stands at the end of {node.function}", between[0].span)
    patterns = [_pattern(checker, p) for p in given]
    if times and not between and rest is None and \
            all(isinstance(pattern, Constant) for _, pattern in patterns):
        return _known(checker, node, int(times), text, patterns)
    places = "".join(f"({mode}, {{}}), " for mode, _ in patterns)
    call = f"sawn({times or '{}'}, {{}}, ({places}))"
    parts = (*terms, text, *(p for _, p in patterns))
    targets = [*between, *([] if rest is None else [rest.target])]
    setter = checker.generator.setter(targets, rest is not None) if targets else ""
    return built(ArrayOf(STR), node.span, f"{setter}({call})[0]", *parts, partial=True)


def _known(checker: Checker, node: syntax.Invoke, times: int, text: Term,
           patterns: list[tuple[int, Term]]) -> Term:
    """A saw whose patterns are all written down."""
    made = sawyer(times, tuple((mode, pattern.value) for mode, pattern in patterns))
    return built(ArrayOf(STR), node.span, f"{checker.converter.named('saw', made)}({{}})", text)


def _pattern(checker: Checker, node: Node) -> tuple[int, Term]:
    if isinstance(node, syntax.Rest):
        return regexes.REST, built(STR, node.span, "''")
    modes, value = (node.modes, node.value) if isinstance(node, syntax.Pattern) else ((), node)
    check_pattern(value)
    mode = regexes.SKIP * ("skip" in modes) | regexes.SUBMATCH * ("submatch" in modes)
    return mode, checker.check_as(value, STR)


def check_pattern(node: Node) -> None:
    """Refuses a literal that is not a regular expression."""
    if isinstance(node, Literal) and node.type == STR:
        try:
            regexes.compiled(node.value)
        except Undefined as error:
            raise ProgramError(error.what, node.span) from None


SAWS = {"regex": _regex, "saw": _saw, "sawn": _saw, "sawzall": _saw}
