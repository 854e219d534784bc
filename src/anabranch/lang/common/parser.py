"""From text to syntax, or to an error in plain words: what all parsers extend.

`read` and `Reader` are what a language begins with; a syntax error is told as people read it: what
was expected, in plain words, underlined.
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path

from lark import Lark, Token, Transformer, Tree, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError
from lark.tree import Meta

from anabranch.core.errors import AnabranchError, ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.ir.types import BOOL, FLOAT, INT, STR
from anabranch.lang.common.syntax import Call, Literal, Name, Node, Operation, TypeName

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


WORDS = {
    "NAME": "a name", "INTEGER": "a number", "DECIMAL": "a number", "STRING": "a text in quotes",
    "COMPARE": "a comparison", "ADD": "'+' or '-'", "MULTIPLY": "'*', '/' or '%'",
    "AND": "'and'", "OR": "'or'", "NOT": "'not'", "LPAR": "'('", "RPAR": "')'", "COMMA": "','",
    "DOT": "'.'", "SEMICOLON": "';'", "LSQB": "'['", "RSQB": "']'", "LBRACE": "'{'",
    "RBRACE": "'}'", "STAR": "'*'", "COLON": "':'",
}
AN_EXPRESSION = {"NAME", "INTEGER", "DECIMAL", "STRING", "LPAR"}
ALSO_EXPRESSIONS = {"ADD", "BANG", "NOT", "TRUE", "FALSE"}


def syntax_error(error: UnexpectedInput, text: str, file: str,
                 words: dict[str, str]) -> ProgramError:
    """Our error for the parser's: at the offending token, or where something is missing."""
    if isinstance(error, UnexpectedCharacters):
        return _strange(error, text, file)
    token, expected = error.token, expectation(_allowed(error), WORDS | words)
    if text.startswith("/*", token.start_pos or 0) and token.type != "$END":
        return _open_comment(token.line, token.column - 1, file)
    if token.type == "$END":
        return ProgramError("the program ends too early", _end(text, file), expected=expected)
    where = Span(file, token.line, token.column - 1, token.end_line, token.end_column - 1)
    return ProgramError("this cannot stand here", where, expected=expected, got=f"'{token}'",
                        help=_meant(error, text, words))


def _meant(error: UnexpectedToken, text: str, words: dict[str, str]) -> str | None:
    """A keyword that the word here, or the one before it, may be misspelt from."""
    keywords = {name.lower() for name in words}
    before = re.search(r"(\w+)\s*$", text[:error.token.start_pos])
    tried = [(str(error.token), keywords & {name.lower() for name in _allowed(error)})]
    tried += [(before[1], keywords)] if before and before[1].lower() not in keywords else []
    # Words of one or two letters are like too many others.
    found = (did_you_mean(word.lower(), sorted(known)) for word, known in tried if len(word) > 2)
    return next((each for each in found if each and each.startswith("did")), None)


def _allowed(error: UnexpectedToken) -> set[str]:
    # `accepts` leaves out what the parser would refuse a step later; not every error has it.
    return set(error.accepts or error.expected)


def expectation(allowed: set[str], words: dict[str, str]) -> str | None:
    """What may stand here, each thing once.

    >>> expectation({"NAME", "INTEGER", "LPAR", "STRING", "DECIMAL", "TRUE", "FALSE"}, WORDS)
    'an expression'
    """
    shown = []
    if allowed >= AN_EXPRESSION:
        shown, allowed = ["an expression"], allowed - AN_EXPRESSION - ALSO_EXPRESSIONS
    shown += dict.fromkeys(word for name, word in words.items() if name in allowed)
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown) or None


def _strange(error: UnexpectedCharacters, text: str, file: str) -> ProgramError:
    """What no token begins with."""
    line, column, rest = error.line, error.column - 1, text[error.pos_in_stream:]
    where = Span(file, line, column, line, column + 1)
    if rest.startswith("/*"):
        return _open_comment(line, column, file)
    if rest[0] in "'\"":
        return ProgramError("this text is not closed", where, help=f"end it with {rest[0]}")
    return ProgramError("this cannot stand here", where, got=f"'{rest[0]}'")


def _open_comment(line: int, column: int, file: str) -> ProgramError:
    return ProgramError("this comment is not closed", Span(file, line, column, line, column + 2),
                        help="end it with */")


def _end(text: str, file: str) -> Span:
    lines = text.rstrip().split("\n")
    line, column = len(lines), len(lines[-1])
    return Span(file, line, column, line, column + 1)
