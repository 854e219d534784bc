r"""Sets of characters, as they are written inside of the brackets of a pattern.

>>> posix("digit"), all_but("\x00-\x08\x0a-\U0010ffff")
('0-9', '\\U00000009-\\U00000009')
>>> property_of("p{Ogham}")
'\\U00001680-\\U0000169c'
"""

from __future__ import annotations

import sys
from functools import lru_cache

import regex

from anabranch.lang.sawzall.running.undefined import Undefined

SPACES, WORDS = r" \t\n\r\f\x0b", "a-zA-Z0-9_"
POSIX = {"alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
         "space": SPACES, "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F", "word": WORDS,
         "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "print": r"\x20-\x7e", "graph": r"\x21-\x7e",
         "ascii": r"\x00-\x7f"}


def posix(word: str) -> str:
    """`[:alpha:]`, or `[:^alpha:]` for all others."""
    known = POSIX.get(word.removeprefix("^"))
    if known is None:
        raise Undefined(f"the class [:{word}:] is not supported in a regular expression")
    return all_but(known) if word.startswith("^") else known


def property_of(text: str) -> str:
    r"""The characters of a category or a script: of `p{Lu}`, or of `P{Lu}`, all others."""
    word = text[1:].strip("{}")
    letter = "P" if (text[0] == "P") != word.startswith("^") else "p"
    try:
        return _ranges(f"\\{letter}{{{word.lstrip('^')}}}")
    except regex.error:
        raise Undefined(f"the property '{word}' is not supported in a regular expression") from None


def all_but(characters: str) -> str:
    """All characters that are not in a set."""
    return _ranges(f"[^{characters}]")


@lru_cache
def _ranges(pattern: str) -> str:
    """The characters that a pattern matches."""
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    return "".join(f"\\U{run.start():08x}-\\U{run.end() - 1:08x}"
                   for run in regex.finditer(f"{pattern}+", everything))
