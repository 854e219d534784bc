"""From `.river` text to clauses: what is written and where, nothing looked up yet.

A syntax error says in plain words what was expected, and underlines what came.
"""

from __future__ import annotations

import json
import linecache
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.tree import Meta

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.graph import Annotation
from anabranch.ir.types import ANY, ListOf, OptionalOf, Type


@dataclass(frozen=True)
class RiverName:
    """A name as it is written; a variable's begins with `$`."""

    text: str
    span: Span

    @property
    def is_variable(self) -> bool:
        return self.text.startswith("$")


@dataclass(frozen=True)
class NamedType(Type):
    """A type that is still to be looked up."""

    name: RiverName


@dataclass(frozen=True)
class RiverPort:
    name: RiverName
    type: Type = ANY


@dataclass(frozen=True)
class Clause:
    """`(outputs, writes) <- function(inputs, reads) as label`; an input or output declaration is
    one without inputs or without outputs."""

    form: str
    span: Span
    inputs: tuple[RiverName, ...] = ()
    outputs: tuple[RiverPort, ...] = ()
    reads: tuple[RiverName, ...] = ()
    writes: tuple[RiverName, ...] = ()
    function: RiverName | None = None
    time: RiverName | None = None
    label: RiverName | None = None
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True)
class OrderClause:
    """The order of queues or of variables, where it is not that of their first appearance."""

    queues: tuple[RiverPort, ...] = ()
    variables: tuple[RiverName, ...] = ()


def read(text: str, file: str) -> list[Clause | OrderClause]:
    """The statements of a program; a `ProgramError` with an underline when it is no River text."""
    text = text.replace("\r\n", "\n")
    # Spans quote the text through linecache, which then needs no file on disk.
    linecache.cache[file] = (len(text), None, [f"{line}\n" for line in text.split("\n")], file)
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise syntax_error(error, text, file) from None
    return _Reader(file).transform(tree)


@cache
def _parser() -> Lark:
    return Lark.open("river.lark", rel_to=__file__, parser="lalr", propagate_positions=True)


@v_args(inline=True)
class _Reader(Transformer):
    """One method for each rule and terminal of the grammar."""

    def __init__(self, file: str):
        super().__init__()
        self.file = file

    def start(self, *statements):
        return [s for each in statements for s in (each if isinstance(each, list) else [each])]

    def input(self, *parts):
        return _annotated(parts)

    def output(self, *parts):
        return _annotated(parts)

    def operator(self, *parts):
        return _annotated(parts)

    @v_args(meta=True)
    def source(self, meta, children):
        queue, item, origin, label = children
        return Clause("input", self._span(meta), outputs=(RiverPort(queue, item or ANY),),
                      label=label, **(origin or {}))

    def time(self, name):
        return {"time": name}

    def bound(self, name):
        return {"function": name}

    @v_args(meta=True)
    def sink(self, meta, children):
        queue, function, label = children
        return Clause("output", self._span(meta), (queue,), function=function, label=label)

    @v_args(meta=True)
    def clause(self, meta, children):
        results, function, arguments, label = children
        return Clause(
            "operator", self._span(meta), tuple(n for n in arguments if not n.is_variable),
            tuple(p for p in results if isinstance(p, RiverPort)),
            tuple(n for n in arguments if n.is_variable),
            tuple(n for n in results if isinstance(n, RiverName)), function, label=label)

    def results(self, *parts):
        return tuple(p for p in parts if p is not None)

    arguments = results

    def port(self, name, item):
        return RiverPort(name, item or ANY)

    def queues(self, *ports):
        return OrderClause(queues=ports)

    def variables(self, *names):
        return OrderClause(variables=names)

    def named(self, name):
        return NamedType(name)

    def generic(self, name, item):
        return ListOf(item) if name.text == "list" else NamedType(name)

    def optional(self, item, name):
        return OptionalOf(item) if name.text == "None" else NamedType(name)

    def unknown(self):
        return ANY

    def annotation(self, token, *values):
        return Annotation(token[1:], values)

    def word(self, name):
        return {"True": True, "False": False}.get(name.text, name.text)

    def pair(self, left, right):
        return f"{left.text}={right.text}"

    def unbounded(self):
        return None

    def NAME(self, token: Token) -> RiverName:
        return RiverName(token.strip("`"), self._span(token))

    def VARIABLE(self, token: Token) -> RiverName:
        return RiverName("$" + token[1:].strip("`"), self._span(token))

    def NUMBER(self, token: Token):
        return int(token) if token.lstrip("-").isdecimal() else float(token)

    def STRING(self, token: Token) -> str:
        return json.loads(token)

    def _span(self, at: Token | Meta) -> Span:
        return Span(self.file, at.line, at.column - 1, at.end_line, at.end_column - 1)


def _annotated(parts: tuple[Annotation | Clause, ...]) -> list[Clause]:
    annotations = tuple(p for p in parts if isinstance(p, Annotation))
    clauses = [p for p in parts if isinstance(p, Clause)]
    return [replace(c, annotations=annotations) for c in clauses]


WORDS = {
    "_INPUT": "'input'", "_OUTPUT": "'output'", "ANNOTATION": "an annotation", "NAME": "a name",
    "VARIABLE": "a variable like $count", "NUMBER": "a number", "STRING": "a string in quotes",
    "LPAR": "'('", "_ARROW": "'<-'", "COMMA": "','", "RPAR": "')'", "COLON": "':'",
    "LSQB": "'['", "RSQB": "']'", "VBAR": "'|'", "QMARK": "'?'", "STAR": "'*'", "EQUAL": "'='",
    "_TIME": "'time'", "_FROM": "'from'", "_TO": "'to'", "_AS": "'as'", "SEMICOLON": "';'",
}


def syntax_error(error: UnexpectedInput, text: str, file: str) -> ProgramError:
    """Our error for the parser's: at the offending token, or where something is missing."""
    allowed = _allowed(error)
    if isinstance(error, UnexpectedCharacters):
        return _strange(error, text, file, allowed)
    if "SEMICOLON" in allowed and (end := _line_end(error, text)):
        return ProgramError("a ';' is missing", _at(file, *end))
    token = error.token
    if token.type == "$END":
        return ProgramError("the program ends too early", _at(file, *_end(text)),
                            expected=_words(allowed))
    where = Span(file, token.line, token.column - 1, token.end_line, token.end_column - 1)
    return ProgramError("this cannot stand here", where, expected=_words(allowed),
                        got=f"'{token}'", help=_help(token, allowed))


def _allowed(error: UnexpectedInput) -> set[str]:
    # `accepts` leaves out what the parser would refuse a step later; not every error has it.
    return set(getattr(error, "accepts", None) or getattr(error, "expected", None) or error.allowed)


def _line_end(error: UnexpectedToken, text: str) -> tuple[int, int] | None:
    """The end of the last token, when the next one is on another line or is not there at all."""
    if error.token.type == "$END":
        return _end(text)
    last = (error.token_history or [error.token])[-1]
    return None if error.token.line == last.end_line else (last.end_line, last.end_column - 1)


def _strange(error: UnexpectedCharacters, text: str, file: str, allowed: set[str]) -> ProgramError:
    where = _at(file, error.line, error.column - 1)
    if text.startswith("/*", error.pos_in_stream):
        return ProgramError("this comment is not closed", where, help="end it with */")
    return ProgramError("this cannot stand here", where, expected=_words(allowed),
                        got=f"'{text[error.pos_in_stream]}'")


def _help(token: Token, allowed: set[str]) -> str | None:
    if token.type == "COMMA" and "SEMICOLON" in allowed:
        return "an annotation belongs to one input or output: declare each by itself"
    close = get_close_matches(token, ["input", "output"], n=1) if "_INPUT" in allowed else ()
    return f"did you mean '{close[0]}'?" if close else None


def _words(allowed: set[str]) -> str:
    words = [word for name, word in WORDS.items() if name in allowed]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _end(text: str) -> tuple[int, int]:
    lines = text.rstrip().split("\n")
    return len(lines), len(lines[-1])


def _at(file: str, line: int, column: int) -> Span:
    return Span(file, line, column, line, column + 1)
