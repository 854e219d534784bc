r"""Patterns of Perl as patterns of Python.

>>> translated(r"[[:digit:]x]+\z")
'[0-9x]+\\Z'
>>> import re; re.findall(translated(r"\p{Lu}[\p{Hebrew}-]+"), "aBש-c")
['Bש-']
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from unicodedata import category, name

from anabranch.lang.sawzall.running.undefined import Undefined

POSIX = {"alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
         "space": r"\s", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F", "word": r"\w",
         "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "print": r"\x20-\x7e", "graph": r"\x21-\x7e"}
SPELT = {r"\z": r"\Z", r"\Z": r"(?=\n?\Z)", r"\h": r"[ \t]", r"\R": r"(?:\r\n|\n|\r)",
         "(?<": "(?P<"}
PIECE = re.compile(r"""\\Q(?P<quoted>.*?)(?:\\E|$) | \\(?P<property>[pP](?:\{\^?\w+\}|\w))
                       | \[:(?P<posix>\^?\w+):\] | (?P<open>\[\^?\]?) | \(\?<(?![=!]) | \\. | .""",
                   re.VERBOSE | re.DOTALL)
SCRIPTS = {"Han": "CJK "}


def translated(pattern: str) -> str:
    """The same pattern in Python's notation."""
    pieces, inside = [], False
    for found in PIECE.finditer(pattern):
        text = found[0]
        if found["quoted"] is not None:
            text = re.escape(found["quoted"])
        elif found["property"]:
            text = _property(found["property"], inside)
        elif found["posix"] and inside:
            text = _posix(found["posix"])
        elif found["open"] and not inside:
            inside = True
        elif text == "]":
            inside = False
        elif not inside:
            text = SPELT.get(text, text)
        pieces.append(text)
    return "".join(pieces)


def _posix(word: str) -> str:
    if word not in POSIX:
        raise Undefined(f"the class [:{word}:] is not supported in a regular expression")
    return POSIX[word]


def _property(text: str, inside: bool) -> str:
    r"""`\p{Lu}` as a class, or as a part of one."""
    word = text[1:].strip("{}")
    without = (text[0] == "P") != word.startswith("^")
    ranges = _ranges(word.lstrip("^"), without)
    return ranges if inside else f"[{ranges}]"


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
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _runs(held, not without))


def _runs(held: list[bool], wanted: bool) -> list[tuple[int, int]]:
    runs, first = [], None
    for code, value in enumerate([*held, not wanted]):
        if value == wanted and first is None:
            first = code
        elif value != wanted and first is not None:
            runs.append((first, code - 1))
            first = None
    return runs
