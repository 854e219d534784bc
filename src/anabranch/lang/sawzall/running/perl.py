r"""Patterns of Perl as patterns of Python.

>>> translated(r"[[:digit:]x]+\z"), translated(r"a(?i)b|\x{e9}")
('[0-9x]+\\Z', 'a(?i:b)|(?i:\\U000000e9)')
>>> import re; re.findall(translated(r"\p{Lu}[\p{Hebrew}-]+"), "aBש-c")
['Bש-']
>>> translated("(?U)a+b*?"), translated(r"(?i)\w[\w.]")
('(?:a+?b*)', '(?i:(?a:\\w)[a-zA-Z0-9_.])')
"""

from __future__ import annotations

import re

from anabranch.lang.sawzall.running.characters import (
    SPACES,
    WORDS,
    all_but,
    posix,
    property_of,
)
from anabranch.lang.sawzall.running.undefined import Undefined

PIECE = re.compile(r"""
      \\Q(?P<quoted>.*?)(?:\\E|$)
    | \\(?P<property>[pP](?:\{\^?[\w&]+\}|\w))
    | \\x(?P<hexadecimal>\{[0-9a-fA-F]+\}|[0-9a-fA-F]{0,2}) | \\o\{(?P<octal>[0-7]+)\}
    | \\c(?P<control>.) | \\g(?P<number>\d+|\{-?\d+\}) | \\[gk][<{'](?P<back>\w+)[>}']
    | (?P<set>\\[dDwWsShHvVN]-?) | \[:(?P<posix>\^?\w+):\] | (?P<open>\[\^?\]?)
    | \(\?(?P<options>[imsxUJ]+(?:-[imsxUJ]+)?|-[imsxUJ]+)\)
    | \(\?(?P<scoped>[imsxUJ]+(?:-[imsxUJ]+)?|-[imsxUJ]+):
    | (?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?) | \(\?P?[<'](?P<name>[A-Za-z_]\w*)[>']
    | (?P<group>\((?!\?)) | (?P<opened>\() | (?P<brace>\{,\d*\})
    | (?P<range>-(?=\\[dDwWsShHvVN])) | \\(?P<escaped>.) | .
    """, re.VERBOSE | re.DOTALL)
SPELT = {"z": r"\Z", "Z": r"(?=\n?\Z)", "G": r"\A", "C": "(?s:.)", "e": r"\x1b",
         "R": r"(?:\r\n|\n|\x0b|\f|\r|\x85|\u2028|\u2029)"}
SETS = {"h": r" \t\xa0", "v": r"\n\x0b\f\r\x85\u2028\u2029", "n": r"\n"}
ASCII = {"d": "0-9", "w": WORDS, "s": SPACES}
PYTHON = frozenset("abBAfnrt0123456789")
MORE = frozenset("KX")
"""What only the library `regex` knows."""
REFUSED = frozenset("LlUu")
CASELESS, JOINS = re.compile(r"\(\?[a-zA-Z]*i"), re.compile(r"\(\?[a-zA-Z]*J")


def is_caseless(pattern: str) -> bool:
    """Whether letters may match others, of all alphabets; but `\\w` and its like stay in ASCII."""
    return CASELESS.search(pattern) is not None


def translated(pattern: str) -> str:
    """The same pattern in Python's notation."""
    return _Translation(pattern).text


class _Translation:
    """A pattern under way. `levels` has, for each group that is open, the options that were set in
    it: Python has options only at the beginning of a group; `lazy` whether repetitions in it are
    as short as they can be."""

    def __init__(self, pattern: str):
        self.inside, self.groups, self.caseless = False, 0, is_caseless(pattern)
        self.names: list[str] = []
        self.joins = JOINS.search(pattern) is not None
        self.levels: list[list[str]] = [[]]
        self.lazy = [False]
        self.text = "".join(map(self._piece, PIECE.finditer(pattern))) + self._closed()
        self._check_names()

    def _piece(self, found: re.Match) -> str:
        if found.lastgroup is None:
            return self._plain(found[0])
        return getattr(self, f"_{found.lastgroup}")(found[found.lastgroup])

    def _plain(self, text: str) -> str:
        """A character; outside of brackets it may end a group, or part it into alternatives."""
        if self.inside:
            self.inside = text != "]"
        elif text == ")":
            text = f"{self._closed()})"
            del self.levels[max(1, len(self.levels) - 1):], self.lazy[max(1, len(self.lazy) - 1):]
        elif text == "|":
            text = f"{self._closed()}|{''.join(self.levels[-1])}"
        return text

    def _closed(self) -> str:
        # The end of a line ends a comment, which may stand where blanks mean nothing.
        return "".join("\n)" if "x" in options.partition("-")[0] else ")"
                       for options in self.levels[-1])

    def _quoted(self, text: str) -> str:
        return re.escape(text)

    def _bracketed(self, characters: str) -> str:
        return characters if self.inside else f"[{characters}]"

    def _property(self, text: str) -> str:
        return self._bracketed(property_of(text))

    def _hexadecimal(self, digits: str) -> str:
        return f"\\U{int(digits.strip('{}') or '0', 16):08x}"

    def _octal(self, digits: str) -> str:
        return f"\\U{int(digits, 8):08x}"

    def _control(self, letter: str) -> str:
        return f"\\x{ord(letter.upper()) & 127 ^ 64:02x}"

    def _number(self, text: str) -> str:
        number = int(text.strip("{}"))
        return f"(?:\\{number if number > 0 else self.groups + 1 + number})"

    def _back(self, name: str) -> str:
        return f"(?P={name})"

    def _set(self, text: str) -> str:
        r"""`\d` and its like; a dash behind it is a dash, not a range."""
        letter, dash = text[1], "\\-" if len(text) > 2 else ""
        known = (ASCII if self.caseless and self.inside else SETS).get(letter.lower())
        if known is None:
            return (f"(?a:\\{letter})" if self.caseless else f"\\{letter}") + dash
        return self._bracketed(known if letter.islower() else all_but(known)) + dash

    def _posix(self, word: str) -> str:
        return posix(word) if self.inside else f"[:{word}:]"

    def _open(self, text: str) -> str:
        """A bracket; inside of others it is a character, and may stand before their end."""
        inner, self.inside = self.inside, not (self.inside and text.endswith("]"))
        return f"\\{text}" if inner else text

    def _options(self, letters: str) -> str:
        if self.inside:
            return f"(?{letters})"
        self.levels[-1].append(f"(?{self._known(letters, len(self.lazy) - 1)}:")
        return self.levels[-1][-1]

    def _scoped(self, letters: str) -> str:
        if self.inside:
            return f"(?{letters}:"
        self._opened("(")
        return f"(?{self._known(letters, len(self.lazy) - 1)}:"

    def _known(self, letters: str, level: int) -> str:
        """The options that Python knows, too; `U` is left to the repetitions, `J` to the names."""
        on, _, off = letters.replace("J", "").partition("-")
        if "U" in letters:
            self.lazy[level] = "U" in on
        off = off.replace("U", "")
        return on.replace("U", "") + (f"-{off}" if off else "")

    def _repeat(self, text: str) -> str:
        if self.inside or not self.lazy[-1] or (text.endswith("+") and len(text) > 1):
            return text
        return text[:-1] if text.endswith("?") and len(text) > 1 else f"{text}?"

    def _name(self, name: str) -> str:
        """A group with a name; of several with the same one, which `(?J)` allows, one has it."""
        if self.inside:
            return f"(?<{name}>"
        again, self.names = self.joins and name in self.names, [*self.names, name]
        return self._group("(") + f"?P<{name}>" * (not again)

    def _check_names(self) -> None:
        for name in self.names:
            if self.names.count(name) > 1 and f"(?P={name})" in self.text:
                raise Undefined(f"several groups are called '{name}': a reference to it is not "
                                "supported")

    def _group(self, text: str) -> str:
        self.groups += not self.inside
        return self._opened(text)

    def _opened(self, text: str) -> str:
        if not self.inside:
            self.levels.append([])
            self.lazy.append(self.lazy[-1])
        return text

    def _brace(self, text: str) -> str:
        return text if self.inside else f"\\{text}"

    def _range(self, text: str) -> str:
        return "\\-"

    def _escaped(self, letter: str) -> str:
        """Any other escape: what no library knows is the letter itself."""
        if letter in REFUSED:
            raise Undefined(f"'\\{letter}' is not supported in a regular expression")
        if letter in MORE and not self.inside:
            return f"\\{letter}"
        if letter in "bB" and self.caseless and not self.inside:
            return f"(?a:\\{letter})"
        if letter in SPELT and (letter == "e" or not self.inside):
            return SPELT[letter]
        known = letter in PYTHON or not (letter.isascii() and letter.isalnum())
        return f"\\{letter}" if known else letter
