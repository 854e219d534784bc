"""From `.river` text to clauses: what is written, where it stands, nothing looked up yet."""

from __future__ import annotations

import json
import linecache
from dataclasses import dataclass, replace
from functools import cache

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput
from lark.tree import Meta

from anabranch.ir.graph import Annotation
from anabranch.ir.text.problems import syntax_error
from anabranch.ir.types import ANY, ListOf, OptionalOf, Type
from anabranch.source import Span


@dataclass(frozen=True)
class Name:
    """A name as it is written; a variable's begins with `$`."""

    text: str
    span: Span

    @property
    def is_variable(self) -> bool:
        return self.text.startswith("$")


@dataclass(frozen=True)
class Named(Type):
    """A type that is still to be looked up."""

    name: Name


@dataclass(frozen=True)
class Port:
    name: Name
    type: Type = ANY


@dataclass(frozen=True)
class Clause:
    """`(outputs, writes) <- function(inputs, reads) as label`; an input or output declaration is
    one without inputs or without outputs."""

    form: str
    span: Span
    inputs: tuple[Name, ...] = ()
    outputs: tuple[Port, ...] = ()
    reads: tuple[Name, ...] = ()
    writes: tuple[Name, ...] = ()
    function: Name | None = None
    time: Name | None = None
    label: Name | None = None
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True)
class Listing:
    """The order of queues or of variables, where it is not that of their first appearance."""

    queues: tuple[Port, ...] = ()
    variables: tuple[Name, ...] = ()


def read(text: str, file: str) -> list[Clause | Listing]:
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
        return Clause("input", self._span(meta), outputs=(Port(queue, item or ANY),), label=label,
                      **(origin or {}))

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
            tuple(p for p in results if isinstance(p, Port)),
            tuple(n for n in arguments if n.is_variable),
            tuple(n for n in results if isinstance(n, Name)), function, label=label)

    def results(self, *parts):
        return tuple(p for p in parts if p is not None)

    arguments = results

    def port(self, name, item):
        return Port(name, item or ANY)

    def queues(self, *ports):
        return Listing(queues=ports)

    def variables(self, *names):
        return Listing(variables=names)

    def named(self, name):
        return Named(name)

    def generic(self, name, item):
        return ListOf(item) if name.text == "list" else Named(name)

    def optional(self, item, name):
        return OptionalOf(item) if name.text == "None" else Named(name)

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

    def NAME(self, token: Token) -> Name:
        return Name(token.strip("`"), self._span(token))

    def VARIABLE(self, token: Token) -> Name:
        return Name("$" + token[1:].strip("`"), self._span(token))

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
