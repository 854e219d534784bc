r"""`format`: C's verbs, and those of Sawzall.

>>> formatted("%5.1f|%s|%q|%b", "PST8PDT", (2.25, "x", 'a"', True))
'  2.2|x|"a\\""|true'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from anabranch.ir.types import BOOL, FLOAT, STR, Type
from anabranch.lang.sawzall.running.showing import bool_text, quoted
from anabranch.lang.sawzall.running.times import shown
from anabranch.lang.sawzall.running.undefined import Undefined
from anabranch.lang.sawzall.running.values import WHOLE, rune

VERB = re.compile(r"%([-+ #0']*)(\d*)(\.\d+)?([a-zA-Z%])", re.DOTALL)
UINT, TIME, FINGERPRINT = "uint", "time", "fingerprint"
TAKES = {**dict.fromkeys("diouxX", ("int", UINT)), **dict.fromkeys("ck", ("int", UINT)),
         **dict.fromkeys("eEfFgG", (str(FLOAT),)), **dict.fromkeys("sq", (str(STR),)),
         "b": (str(BOOL),), "p": (FINGERPRINT,), "t": (TIME,)}
WHOLE_NUMBERS = "ouxX"


def problem(pattern: str, types: list[Type]) -> str | None:
    """What is wrong with a format for values of these types, if anything."""
    found = verbs(pattern)
    if "%" in VERB.sub("", pattern):
        return "a verb is not complete"
    if len(found) != len(types):
        return f"the format has {len(found)} verbs, and there are {len(types)} values"
    for (_, verb), kind in zip(found, types):
        if verb != "T" and verb not in TAKES:
            return f"there is no verb %{verb}"
        if verb != "T" and str(kind) not in TAKES[verb]:
            return f"%{verb} does not fit {'string' if kind == STR else kind}"
    return None


def verbs(pattern: str) -> list[tuple[str, str]]:
    """The verbs of a format: flags and letter."""
    return [verb for _, verb in _pieces(pattern) if verb]


def formatted(pattern: str, zone: str, values: tuple) -> str:
    """The text of a format."""
    pieces, out, rest = _pieces(pattern), [], list(values)
    if sum(1 for _, verb in pieces if verb) != len(values):
        raise Undefined(f"the format '{pattern}' does not fit {len(values)} values")
    for literal, verb in pieces:
        out.append(literal)
        if verb:
            out.append(_shown(*verb, rest.pop(0), zone))
    return "".join(out)


@lru_cache(1024)
def _pieces(pattern: str) -> list[tuple[str, tuple[str, str] | None]]:
    """Literal texts, each with the verb that follows: its flags and its letter."""
    pieces, place = [], 0
    for found in VERB.finditer(pattern):
        before = pattern[place:found.start()]
        if found[4] == "%":
            pieces.append((before + "%", None))
        else:
            pieces.append((before, (f"{found[1]}{found[2]}{found[3] or ''}", found[4])))
        place = found.end()
    return [*pieces, (pattern[place:], None)]


def _shown(flags: str, verb: str, value: object, zone: str) -> str:
    how: Callable = SHOWN.get(verb, lambda v, z: v)
    if verb in "diouxXeEfFgG":
        number = value & WHOLE if verb in WHOLE_NUMBERS and isinstance(value, int) else value
        try:
            return f"%{flags}{'d' if verb in 'iu' else verb}" % number
        except (TypeError, ValueError, OverflowError):
            raise Undefined(f"%{verb} does not fit {value!r}") from None
    try:
        return f"%{flags.replace('#', '').replace('0', '', 1)}s" % how(value, zone)
    except (TypeError, AttributeError):
        raise Undefined(f"%{verb} does not fit {value!r}") from None


SHOWN: dict[str, Callable] = {
    "b": lambda v, z: bool_text(v), "c": lambda v, z: rune(v),
    "k": lambda v, z: quoted(rune(v), "'"), "q": lambda v, z: quoted(v),
    "p": lambda v, z: f"0x{v:016x}", "t": shown, "T": lambda v, z: v, "s": lambda v, z: v,
}


