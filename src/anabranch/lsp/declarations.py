"""What a text declares: for the outline, and to find where a name comes from.

They are found by what declarations look like, so that half-written programs have them too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

NAME = r"[^\W\d]\w*"

TYPE_ARROW = rf"->\s*{NAME}[\[\]\w]*\s+"

FORMS: dict[str, tuple[tuple[str, str], ...]] = {
    ".py": (
        ("class", rf"^class\s+({NAME})"),
        ("function", rf"^[ \t]*(?:async\s+)?def\s+({NAME})"),
        ("field", rf"^[ \t]+({NAME})\s*:(?!=)"),
        ("variable", rf"^({NAME})\s*(?::[^=\n]+)?=(?!=)")),
    ".cql": (
        ("stream", rf"(?i)^\s*(?:register|create)\s+(?:stream|relation|view|query)\s+({NAME})"),
        ("stream", rf"^\s*({NAME})\s*:?=?\s*\{{"),
        ("query", rf"^\s*({NAME})\s*(?::=|:|=)(?!\s*\{{)"),
        ("field", rf"[{{(,]\s*{NAME}\s+({NAME})\s*(?=[,)}}])"),
        ("field", rf"[{{(,]\s*({NAME})\s*:\s*{NAME}\s*(?=[,)}}])")),
    ".szl": (
        ("type", rf"^\s*type\s+({NAME})"),
        ("table", rf"^\s*({NAME})\s*:\s*table\b"),
        ("function", rf"^\s*(?:static\s+)?({NAME})\s*:\s*function\b"),
        ("variable", rf"^\s*(?:static\s+)?({NAME})\s*:(?!:)")),
    ".str": (
        ("struct", rf"^\s*struct\s+({NAME})"),
        ("helper", rf"^\s*(?:helper|native)\s+({NAME})"),
        ("filter", rf"{TYPE_ARROW}(?:stateful\s+)?filter\s+({NAME})"),
        ("composite", rf"{TYPE_ARROW}(?:pipeline|splitjoin|feedbackloop)\s+({NAME})"),
        ("handler", rf"^\s*handler\s+({NAME})"),
        ("variable", r"^\s+(?:int|float|bit|boolean|complex|double|portal\s*<[^>]*>)"
                     rf"(?:\[[^\]]*\])*\s+({NAME})\s*[=;]")),
    ".spl": (
        ("composite", rf"\bcomposite\s+({NAME})"),
        ("stream", rf"\bstream\s*<[^;=(){{}}]*>\s*({NAME})"),
        ("type", rf"^\s*(?:static\s+)?({NAME})\s*=\s*(?:tuple|list|map|set|enum)\b"),
        ("parameter", r"^\s*(?:expression|attribute|type|function|operator)\b[^;$\n]*"
                      rf"(\${NAME})"),
        ("function", r"^(?:public\s+|static\s+|stateful\s+|stateless\s+)*[\w<>,\[\] ]+?"
                     rf"\s({NAME})\s*\([^;{{]*\)\s*\{{")),
    ".river": (
        ("input", rf"\binput\s+({NAME})|,\s*({NAME})\s*:\s*{NAME}\s*(?:time|from)"),
        ("output", rf"^\s*output\s+({NAME})"),
        ("queue", rf"\(\s*({NAME})[^()]*\)\s*(?:<-|←)"),
        ("variable", rf"\([^()]*(\${NAME})[^()]*\)\s*(?:<-|←)")),
}
"""For each language what is declared, and how it is written; the name is the group."""

COMMENT = {".py": r"#[^\n]*", ".szl": r"#[^\n]*",
           ".cql": r"//[^\n]*|--[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)"}
ANY_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
TEXTS = r"\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?"


@dataclass(frozen=True)
class Declaration:
    """A name with its place: lines count from 0, columns are characters."""

    name: str
    kind: str
    line: int
    column: int
    last_line: int


def declarations(text: str, extension: str) -> list[Declaration]:
    """All of them, in the order of the text.

    >>> [(d.kind, d.name) for d in declarations("total: table sum of int;", ".szl")]
    [('table', 'total')]
    """
    bare, found = without_comments(text, extension), {}
    lines = LineStarts(text)
    for kind, form in FORMS.get(extension, ()):
        for match in re.finditer(form, bare, re.MULTILINE):
            group = next(n for n, each in enumerate(match.groups(), 1) if each is not None)
            start = match.start(group)
            if start not in found:
                line, column = lines.place(start)
                last = lines.place(_end(bare, match.end(), extension))[0]
                found[start] = Declaration(match[group], kind, line, column, last)
    return [found[start] for start in sorted(found)]


def without_comments(text: str, extension: str) -> str:
    """The text with blanks where comments and quoted texts stand, every place as it was."""
    comment = COMMENT.get(extension, ANY_COMMENT)
    return re.sub(f"{TEXTS}|{comment}", lambda m: re.sub(r"[^\n]", " ", m[0]), text,
                  flags=re.DOTALL)


def _end(text: str, at: int, extension: str) -> int:
    """Where a declaration ends: with its line, its semicolon, or the brace that closes it."""
    if extension == ".py":
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    depth = 0
    for token in re.finditer(r"[{}();]", text[at:]):
        mark = token[0]
        depth += (mark in "{(") - (mark in "})")
        if depth < 0 or (depth == 0 and mark in ";}"):
            return at + token.start()
    return len(text)


class LineStarts:
    """Where the lines of a text begin."""

    def __init__(self, text: str):
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset) - 1
        return line, offset - self.starts[line]


def word_at(line: str, column: int) -> str | None:
    """The name that stands at a column of a line, or ends there.

    >>> word_at("p.amount > 0", 4), word_at("a + b", 2)
    ('amount', None)
    """
    for match in re.finditer(rf"\$?{NAME}", line):
        if match.start() <= column <= match.end():
            return match[0]
    return None
