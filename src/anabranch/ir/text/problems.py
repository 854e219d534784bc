"""Syntax errors as people read them: what was expected, in plain words, underlined."""

from __future__ import annotations

from difflib import get_close_matches

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from anabranch.errors import ProgramError
from anabranch.source import Span

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
