"""From text to syntax: the parser of a language, and the reader that all of them extend."""

from __future__ import annotations

import linecache
from pathlib import Path

from lark import Lark, Token, Transformer, Tree, v_args
from lark.exceptions import UnexpectedInput, VisitError
from lark.tree import Meta

from anabranch.errors import AnabranchError
from anabranch.ir.types import BOOL, FLOAT, INT, STR
from anabranch.lang.common.problems import syntax_error
from anabranch.lang.common.syntax import Call, Literal, Name, Node, Operation, TypeName
from anabranch.source import Span

CANONICAL = {"&&": "and", "||": "or", "!": "not", "==": "=", "!=": "<>"}


def parser(grammar: Path) -> Lark:
    """The parser of a grammar, which may import the rules of this folder."""
    return Lark.open(str(grammar), parser="lalr", propagate_positions=True, maybe_placeholders=True,
                     import_paths=[str(Path(__file__).parent)])


def read(text: str, file: str, parser: Lark, reader: Reader, words: dict[str, str]) -> object:
    """The syntax of a text; a `ProgramError` with an underline when it is not of the language."""
    text = text.replace("\r\n", "\n")
    # Spans quote the text through linecache, which then needs no file on disk.
    linecache.cache[file] = (len(text), None, [f"{line}\n" for line in text.split("\n")], file)
    try:
        return reader.transform(parser.parse(text))
    except UnexpectedInput as error:
        raise syntax_error(error, text, file, words) from None
    except VisitError as error:
        if isinstance(error.orig_exc, AnabranchError):
            raise error.orig_exc from None
        raise


class Reader(Transformer):
    """Makes the syntax of expressions and types; a language adds a method for each rule it adds."""

    def __init__(self, file: str):
        super().__init__()
        self.file = file

    def span(self, at: Token | Meta | Tree) -> Span:
        at = at.meta if isinstance(at, Tree) else at
        return Span(self.file, at.line, at.column - 1, at.end_line, at.end_column - 1)

    def _call_userfunc(self, tree, new_children=None):
        # An imported rule is called after its grammar too: `expressions__binary`.
        own = tree.data.rpartition("__")[2]
        return super()._call_userfunc(Tree(own, tree.children, tree.meta), new_children)

    @v_args(meta=True)
    def binary(self, meta, children):
        left, operator, right = children
        return Operation(self.span(meta), canonical(operator), (left, right))

    @v_args(meta=True)
    def unary(self, meta, children):
        operator, operand = children
        return Operation(self.span(meta), canonical(operator), (operand,))

    @v_args(meta=True)
    def call(self, meta, children):
        function, arguments = children
        return Call(self.span(meta), self.named(function), tuple(arguments or ()))

    def arguments(self, children):
        return tuple(children)

    @v_args(meta=True)
    def name(self, meta, children):
        return Name(self.span(meta), tuple(map(str, children)))

    @v_args(meta=True)
    def integer(self, meta, children):
        return Literal(self.span(meta), int(children[0]), INT)

    @v_args(meta=True)
    def decimal(self, meta, children):
        return Literal(self.span(meta), float(children[0]), FLOAT)

    @v_args(meta=True)
    def string(self, meta, children):
        return Literal(self.span(meta), unquoted(children[0]), STR)

    @v_args(meta=True)
    def true(self, meta, children):
        return Literal(self.span(meta), True, BOOL)

    @v_args(meta=True)
    def false(self, meta, children):
        return Literal(self.span(meta), False, BOOL)

    @v_args(meta=True)
    def type(self, meta, children):
        name, length = children
        return TypeName(self.span(meta), str(name), None if length is None else int(length))

    def fields(self, children):
        return tuple(children)

    def named_field(self, children):
        return self.named(children[0]), children[1]

    def two_words(self, children):
        """Which of the two is the type, the language decides."""
        return self.named(children[0]), self.named(children[1])

    def sized_type_last(self, children):
        name, kind, length = children
        return self.named(name), TypeName(self.span(kind), str(kind), int(length))

    def sized_type_first(self, children):
        kind, length, name = children
        return self.sized_type_last((name, kind, length))

    def named(self, token: Token) -> Name:
        return Name(self.span(token), (str(token),))


def canonical(operator: str) -> str:
    """An operator in the spelling that the tables have.

    >>> canonical("&&"), canonical("AND"), canonical("+")
    ('and', 'and', '+')
    """
    return CANONICAL.get(operator, operator.lower())


def unquoted(text: str) -> str:
    """The text inside of quotes, where a doubled quote stands for one.

    >>> unquoted("'it''s'")
    "it's"
    """
    quote = text[0]
    return text[1:-1].replace(quote * 2, quote)


def joined_span(first: Node, last: Node) -> Span:
    """From the beginning of one piece to the end of another."""
    return Span(first.span.file, first.span.line, first.span.column,
                last.span.end_line, last.span.end_column)
