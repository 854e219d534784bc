"""A user's function that raises: the operator's line, the tuple, and the user's own traceback."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable

from anabranch.errors import AnabranchError, RunError
from anabranch.ir.graph import Operator
from anabranch.source import PACKAGE


def guarded(op: Operator, step: Callable[..., Iterable], *arguments: object) -> list:
    """All that a piece of the user's code gives; its failure names the operator and the tuple.

    The arguments of a firing are a port and an item; those of a finish have no item.
    """
    try:
        return list(step(*arguments))
    except AnabranchError as error:
        error.where = error.where or op.span
        raise
    except Exception as error:
        raise user_failure(op, error, *arguments[1:]) from error


def user_failure(op: Operator, error: BaseException, *item: object) -> RunError:
    """Our error for an exception out of the user's code; `item` is the tuple, if one was there."""
    doing = "while handling a tuple" if item else "at the end of its input"
    return RunError(f"{op.name} raised {type(error).__name__} {doing}: {error}", op.span,
                    got=shortened(repr(item[0])) if item else None,
                    below="\n" + user_traceback(error))


def user_traceback(error: BaseException) -> str:
    """The traceback without our own frames: the user's functions and what they called."""
    frames = [f for f in traceback.extract_tb(error.__traceback__)
              if not f.filename.startswith(PACKAGE)]
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(frames),
             *traceback.format_exception_only(error)]
    return "".join(lines)


def shortened(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"
