"""Regular expressions in the notation of Perl, as those of Python; sawing by them.

Regular expressions in the notation of Perl, and sawing texts into pieces.

>>> sawn(1, "abcdef", ((0, "..."), (REST, ""), (0, "..")))
(['abc', 'de'], 'f', ['def'])
>>> sawn(-1, "XYZ", ((0, "Z*"),))[0]
['', '', 'Z']

Saws whose patterns are known before: one search of Python's library for all of them.

>>> sawyer(1, ((0, "[0-9]+"), (SKIP, ":"), (0, "[a-z]+")))("12: 7:ab")
['12', 'ab']
>>> sawyer(-1, ((0, "[^,]+"),))("a,,b")
['a', 'b']

Sets of characters, as they are written inside of the brackets of a pattern.

>>> posix("digit"), all_but("\\x00-\\x08\\x0a-\\U0010ffff")
('0-9', '\\\\U00000009-\\\\U00000009')
>>> property_of("p{Ogham}")
'\\\\U00001680-\\\\U0000169c'

Patterns of Perl as patterns of Python.

>>> translated(r"[[:digit:]x]+\\z"), translated(r"a(?i)b|\\x{e9}")
('[0-9x]+\\\\Z', 'a(?i:b)|(?i:\\\\U000000e9)')
>>> import re; re.findall(translated(r"\\p{Lu}[\\p{Hebrew}-]+"), "aBש-c")
['Bש-']
>>> translated("(?U)a+b*?"), translated(r"(?i)\\w[\\w.]")
('(?:a+?b*)', '(?i:(?a:\\\\w)[a-zA-Z0-9_.])')
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import regex

from anabranch.lang.sawzall.library.values import Undefined

SKIP, SUBMATCH, REST = 1, 2, 4
ENDLESS = sys.maxsize


@lru_cache(4096)
def compiled(pattern: str) -> re.Pattern:
    """The pattern by Python's own library, or by `regex` where it has what only that one knows."""
    for library in (re, regex):
        try:
            return library.compile(translated(pattern), 0 if is_caseless(pattern) else re.ASCII)
        except (re.error, regex.error, OverflowError, RecursionError) as error:
            failure = error
    raise Undefined(f"'{pattern}' is not a regular expression: {failure}")


def matches(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None


def match_strings(pattern: str, text: str) -> list:
    """The match and its groups; nothing when there is no match."""
    found = compiled(pattern).search(text)
    return [] if found is None else [found[0], *groups_of(found.groups())]


def match_positions(pattern: str, text: str) -> list:
    """Where the match and its groups begin and end; a group that matched nothing is at 0."""
    found = compiled(pattern).search(text)
    if found is None:
        return []
    groups = range(_matched(found.groups()) + 1)
    return [max(place, 0) for group in groups for place in found.span(group)]


def _matched(groups: tuple[str | None, ...]) -> int:
    """The number of the last group that took part; the library of `szl` knows of none after it."""
    return max((n for n, group in enumerate(groups, 1) if group is not None), default=0)


def groups_of(groups: tuple[str | None, ...]) -> list[str]:
    """What groups have matched, up to the last one that took part."""
    if None not in groups:
        return list(groups)
    return [group or "" for group in groups[:_matched(groups)]]


Patterns = Sequence[tuple[int, str]]


def sawn(times: int, text: str, patterns: Patterns) -> tuple[list, str, list]:
    """What the patterns match one after another, so many times, or over and over for -1; the rest
    of the text; and what was left where patterns ask for that. `^` is where the last match ended.
    """
    found: list[str] = []
    rests: list[str] = []
    section: list[tuple[int, str]] = []
    for mode, pattern in (*patterns, (REST, "")):
        if mode != REST:
            section.append((mode, pattern))
            continue
        if section:
            text = _saw(ENDLESS if times < 0 else times, text, section, found)
        rests.append(text)
        section = []
    return found, text, rests[:-1]


def _saw(times: int, text: str, patterns: Patterns, found: list[str]) -> str:
    """Adds what is matched to `found`, and gives the rest of the text."""
    place, last = 0, None
    for _ in range(times):
        start, kept = place, len(found)
        for mode, pattern in patterns:
            match, place = _next(pattern, text, place, last if len(patterns) == 1 else None)
            if match is None:
                return text[place:]
            place = last = place + match.end()
            if not mode & SKIP:
                found += (mode & SUBMATCH and groups_of(match.groups())) or [match[0]]
        if len(patterns) > 1 and start == place:
            del found[kept:]
            break
    return text[place:]


def _next(pattern: str, text: str, place: int, last: int | None) -> tuple[re.Match | None, int]:
    """The next match, and where the text begins that it was found in: one character on if it would
    be empty just where the last one ended."""
    match = compiled(pattern).search(text[place:])
    if match is None or place + match.end() != last:
        return match, place
    if place == len(text):
        return None, place
    return compiled(pattern).search(text[place + 1:]), place + 1


INTEGERS = {0: "([-+]?(0x[0-9a-fA-F]+|0[0-7]+|[0-9]+))", 8: "([-+]?[0-7]+)",
            10: "([-+]?[0-9]+)", 16: "([-+]?(0x)?[0-9a-fA-F]+)"}
FLOAT = r"([-+]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?))"
"""The patterns of `regex`, with groups where `submatch` finds them."""


FREE = re.compile(r"""(?: \\(?:[dDwWsSnrtfv]|[^\w]|x[0-9a-f]{2}|U[0-9a-f]{8})
    | \[\^?\]?(?:\\.|[^\]\\])*\] | \((?!\?) | \(\?: | [^\\^(\[] )+""", re.VERBOSE | re.DOTALL)
"""Patterns that ask for nothing before their match, and name no groups."""
ALL_BUT_ONE = re.compile(r"\[\^([^\\\]\[^-])\]\+")
Sawyer = Callable[[str], list]


def sawyer(times: int, patterns: Patterns) -> Sawyer:
    """What saws a text: once, or over and over for -1."""
    if not all(mode != REST and FREE.fullmatch(translated(p)) for mode, p in patterns):
        return partial(_step_by_step, times, patterns)
    if len(patterns) > 1 or times == 1:
        return _joined(times, patterns)
    [(mode, pattern)] = patterns
    if mode or compiled(pattern).match(""):
        return partial(_step_by_step, times, patterns)
    return _every(pattern)


def _step_by_step(times: int, patterns: Patterns, text: str) -> list:
    return sawn(times, text, patterns)[0]


def _every(pattern: str) -> Sawyer:
    """What finds all that one pattern matches."""
    others = ALL_BUT_ONE.fullmatch(pattern)
    if others is not None:
        # Parting a text takes less than half the time of a search. A match could not travel.
        separator = others[1]
        return lambda text: list(filter(None, text.split(separator)))
    known = compiled(pattern)
    return known.findall if not known.groups else \
        lambda text: [found[0] for found in known.finditer(text)]


def _joined(times: int, patterns: Patterns) -> Sawyer:
    """One pattern for a turn of all. Each takes what it finds first, and never gives it back."""
    found = re.compile("".join(f"(?>(?s:.*?)({translated(p)}))" for _, p in patterns), re.ASCII)
    taken = _taken(patterns)

    def once(text: str) -> list:
        match = found.match(text)
        return taken(match) if match is not None and match.end() else sawn(1, text, patterns)[0]

    def again(text: str) -> list:
        pieces, place = [], 0
        while (match := found.match(text, place)) is not None and match.end() > place:
            pieces += taken(match)
            place = match.end()
        return pieces + sawn(times, text[place:], patterns)[0]
    return once if times == 1 else again


def _taken(patterns: Patterns) -> Callable[[re.Match], list]:
    """What gives the pieces of a match that are asked for."""
    places, group = [], 1
    for mode, pattern in patterns:
        behind = group + 1 + compiled(pattern).groups
        if not mode & SKIP:
            places.append((group, behind if mode & SUBMATCH else group + 1))
        group = behind
    if all(behind == first + 1 for first, behind in places):
        return _plain(tuple(first for first, _ in places))
    return lambda match: [piece for first, behind in places for piece in
                          groups_of(match.groups()[first:behind - 1]) or [match[first]]]


def _plain(groups: tuple[int, ...]) -> Callable[[re.Match], list]:
    if len(groups) < 2:
        return lambda match: [match[group] for group in groups]
    return lambda match: list(match.group(*groups))


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
GROUPS = frozenset({"scoped", "name", "group", "opened"})
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
        self.text = "".join(self._pieces(pattern)) + self._closed()
        self._check_names()

    def _pieces(self, pattern: str) -> list[str]:
        """The pieces in turn; what is repeated more than once becomes a group for each time."""
        pieces: list[str] = []
        groups, first, repeats = [], 0, False
        for found in PIECE.finditer(pattern):
            was_inside, kind = self.inside, found.lastgroup
            if kind == "repeat" and not was_inside and repeats:
                pieces.insert(first, "(?:")
                pieces.append(")")
            elif not was_inside and kind in GROUPS:
                groups.append(len(pieces))
            elif not was_inside and found[0] == ")":
                first = groups.pop() if groups else 0
            elif not was_inside and kind != "repeat":
                first = len(pieces)
            repeats = kind == "repeat" and not was_inside
            pieces.append(self._piece(found))
        return pieces

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
