r"""Sets of characters, as they are written inside of the brackets of a pattern.

>>> posix("digit"), all_but("\x00-\x08\x0a-\U0010ffff")
('0-9', '\\U00000009-\\U00000009')
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from unicodedata import category, name

from anabranch.lang.sawzall.running.undefined import Undefined

POSIX = {"alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
         "space": r"\s", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F", "word": r"\w",
         "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "print": r"\x20-\x7e", "graph": r"\x21-\x7e",
         "ascii": r"\x00-\x7f"}
SCRIPTS = {"Han": "CJK "}


def posix(word: str) -> str:
    """`[:alpha:]`, or `[:^alpha:]` for all others."""
    known = POSIX.get(word.removeprefix("^"))
    if known is None:
        raise Undefined(f"the class [:{word}:] is not supported in a regular expression")
    return all_but(known) if word.startswith("^") else known


def property_of(text: str) -> str:
    r"""The characters of `p{Lu}`, or of `P{Lu}`."""
    word = text[1:].strip("{}")
    return _ranges(word.lstrip("^"), (text[0] == "P") != word.startswith("^"))


@lru_cache
def all_but(characters: str) -> str:
    """All characters that are not in a set."""
    within = re.compile(f"[{characters}]", re.ASCII)
    return _written([within.match(chr(code)) is None for code in range(sys.maxunicode + 1)])


@lru_cache
def _ranges(word: str, without: bool) -> str:
    """The characters of a category or of a script, which their names tell."""
    if len(word) <= 2:
        held = [category(chr(code)).startswith(word) for code in range(sys.maxunicode + 1)]
    else:
        start = SCRIPTS.get(word, f"{word.upper()} ")
        held = [name(chr(code), "").startswith(start) for code in range(sys.maxunicode + 1)]
    if not any(held):
        raise Undefined(f"the property '{word}' is not supported in a regular expression")
    return _written([value != without for value in held])


def _written(held: list[bool]) -> str:
    runs, first = [], None
    for code, value in enumerate([*held, False]):
        if value and first is None:
            first = code
        elif not value and first is not None:
            runs.append(f"\\U{first:08x}-\\U{code - 1:08x}")
            first = None
    return "".join(runs)
