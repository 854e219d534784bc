"""The operators and functions of Sawzall whose types are fixed; nothing is promoted."""

from __future__ import annotations

import math

from anabranch.ir.types import BOOL, BYTES, FLOAT, INT, STR, Type
from anabranch.lang.common.builtins import table
from anabranch.lang.common.terms import Builtin
from anabranch.lang.sawzall.running import (
    conversions,
    emitting,
    encodings,
    fingerprints,
    formats,
    numbers,
    places,
    regexes,
    showing,
    texts,
    times,
    undefined,
    values,
)
from anabranch.lang.sawzall.types import FINGERPRINT, TIME, UINT, ArrayOf

MODULES = (numbers, regexes, showing, texts, conversions, undefined, values, formats, emitting,
           encodings, fingerprints, places)
SCOPE = {name: value for module in MODULES for name, value in vars(module).items()
         if not name.startswith("_") and callable(value)} | {
             "math": math, "inf": math.inf, "nan": math.nan, "times": times}
SIGNED = "(({} + 9223372036854775808 & 18446744073709551615) - 9223372036854775808)"
FITS = "(sum_ if -9223372036854775808 <= (sum_ := {}) <= 9223372036854775807 else as_int(sum_))"
"""Most results are within 64 bits, which takes less time to see than to bring them there."""
UNSIGNED = "({} & 18446744073709551615)"
WHOLE_TYPES = (UINT, TIME, FINGERPRINT)
STRINGS, INTS, MANY_BYTES = ArrayOf(STR), ArrayOf(INT), ArrayOf(BYTES)


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
    _one("-", (INT,), INT, SIGNED.format("(-{})")), _one("-", (FLOAT,), FLOAT, "(-{})"),
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
]
FUNCTIONS = table([*TIMES, *NUMBERS, *TEXTS])
CONSTANTS = {
    "true": (BOOL, "True"), "false": (BOOL, "False"), "PI": (FLOAT, repr(math.pi)),
    "Inf": (FLOAT, "inf"), "inf": (FLOAT, "inf"), "NaN": (FLOAT, "nan"), "nan": (FLOAT, "nan"),
    **dict.fromkeys(("SECOND", "SEC"), (TIME, "1000000")),
    **dict.fromkeys(("MINUTE", "MIN"), (TIME, "60000000")),
    **dict.fromkeys(("HOUR", "HR"), (TIME, "3600000000")),
}
