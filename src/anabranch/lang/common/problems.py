"""Syntax errors as people read them: what was expected, in plain words, underlined."""

from __future__ import annotations

import re

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from anabranch.errors import ProgramError, did_you_mean
from anabranch.source import Span

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
