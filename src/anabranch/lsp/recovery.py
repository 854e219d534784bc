"""Programs in our own languages, with more than one error.

A compiler stops at its first error. The piece of the text that has it is left blank, and the rest
is compiled again; what then only lacks that piece is not an error of the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path

from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span
from anabranch.ir.graph import Graph
from anabranch.lang.registry import known_language
from anabranch.lang.text import unsaved
from anabranch.lsp.problems import Diagnosis, problem_of

MOST_ERRORS = 6


@dataclass
class Recovered:
    """The graph of what is right of a program, and what is wrong with it."""

    graph: Graph | None = None
    problems: list[Diagnosis] = field(default_factory=list)


def compiled(path: Path, text: str) -> Recovered:
    """The program as far as it can be compiled."""
    found, attempt = Recovered(), _Attempt(path, text)
    for _ in range(MOST_ERRORS):
        error = attempt.compile(found)
        if error is None:
            break
        problem = problem_of(error, str(path))
        if not attempt.is_caused(error):
            found.problems.append(replace(problem, span=attempt.original(problem.span)))
        if not attempt.repair(error):
            break
    return found


class _Attempt:
    """A text that is made right step by step: a misspelt word is spelt as it was meant, any other
    piece is left blank."""

    def __init__(self, path: Path, text: str):
        self.path, self.text = path, text
        self.lacking: set[str] = set()
        self.respelt: list[tuple[int, int, int]] = []

    def compile(self, found: Recovered) -> AnabranchError | None:
        module = known_language(self.path.suffix).imported()
        try:
            with unsaved({str(self.path): self.text}):
                found.graph = module.load(self.path, {})
        except AnabranchError as error:
            return error
        return None

    def is_caused(self, error: AnabranchError) -> bool:
        """Whether an error may come of what has been left blank."""
        return bool(self.lacking) and (
            not self._is_here(error) or _lacks(error, self.text, self.lacking))

    def repair(self, error: AnabranchError) -> bool:
        if not self._is_here(error):
            return False
        start = _offset(self.text, error.where)
        meant = re.match(r"did you mean '(\w+)'\?", error.help or "")
        if meant and (word := self._word_like(meant[1], start, error.where)):
            self.text = self.text[:word.start()] + meant[1] + self.text[word.end():]
            column = error.where.column + word.start() - start
            self.respelt.append((error.where.line, column, len(meant[1]) - len(word[0])))
            return True
        first, last = piece_around(self.text, start)
        piece = self.text[first:last]
        self.lacking |= set(re.findall(r"[^\W\d]\w*", piece))
        self.text = self.text[:first] + re.sub(r"[^\n]", " ", piece) + self.text[last:]
        return bool(piece.strip())

    def _word_like(self, meant: str, start: int, where: Span) -> re.Match | None:
        """The word of the place that is the most like another."""
        end = start + (where.end_column - where.column if where.end_line == where.line else 1)
        words = re.compile(r"\w+").finditer(self.text, start, max(end, start + 1))
        return max(words, key=lambda word: likeness(word[0], meant), default=None)

    def original(self, span: Span) -> Span:
        """A place of the text as it was given: words that were respelt have moved others."""
        for line, column, longer in reversed(self.respelt):
            if span.line == line and span.column > column:
                span = replace(span, column=span.column - longer)
            if span.end_line == line and (span.end_column or 0) > column:
                span = replace(span, end_column=span.end_column - longer)
        return span

    def _is_here(self, error: AnabranchError) -> bool:
        return isinstance(error.where, Span) and error.where.file == str(self.path)


def _lacks(error: AnabranchError, text: str, names: set[str]) -> bool:
    """Whether an error is about something that the blank pieces may have defined."""
    lines, where = text.split("\n"), error.where
    end = where.end_column if where.end_line == where.line else None
    told = [*re.findall(r"'([^']*)'", error.what), lines[where.line - 1][where.column:end]]
    return bool(names & {name for each in told for name in re.findall(r"[^\W\d]\w*", each)})


def _offset(text: str, where: Span) -> int:
    lines = text.split("\n")
    return min(sum(len(line) + 1 for line in lines[:where.line - 1]) + where.column, len(text))


def likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


TOKEN = re.compile(
    r"//[^\n]*|#[^\n]*|/\*.*?(?:\*/|$)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|`[^`\n]*`?"
    r"|[{}()\[\];]", re.DOTALL)


def pieces(text: str) -> list[tuple[int, int]]:
    """Where each declaration of a program begins and ends: with a semicolon, or a closing brace
    after which something else begins.

    >>> [text[a:b].strip() for text in ["x: int; f { a; b; } y: int;"] for a, b in pieces(text)]
    ['x: int;', 'f { a; b; }', 'y: int;']
    """
    found, start, depth = [], 0, 0
    for token in TOKEN.finditer(text):
        mark = token[0]
        if mark in "{([":
            depth += 1
        elif mark in "})]":
            depth = max(depth - 1, 0)
        if depth == 0 and (mark == ";" or (mark == "}" and not _goes_on(text, token.end()))):
            found.append((start, token.end()))
            start = token.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def _goes_on(text: str, at: int) -> bool:
    """Whether a declaration does not end with this brace."""
    rest = re.match(r"\s*(\w*)(.?)", text[at:at + 200])
    return rest[1].lower() in ("stream", "relation", "else", "while") or rest[2] in (";", "=", ",")


def piece_around(text: str, at: int) -> tuple[int, int]:
    """The declaration that stands at an offset: the last one, at the end of the text."""
    every = pieces(text) or [(0, len(text))]
    return next(((a, b) for a, b in every if at < b and text[a:b].strip()), every[-1])
