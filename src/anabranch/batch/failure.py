"""A user's function that raises: the operator's line, the tuple, the traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from anabranch.core.errors import AnabranchError, RunError, said, user_traceback, without_addresses
from anabranch.core.source import raised_at
from anabranch.io.rows import shown_value
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Fire
from anabranch.ir.windows import LateRow

ReportLate = Callable[[LateRow], None]


def guarded(op: Operator, step: Callable[..., Iterable], *arguments: object) -> list:
    """All that a piece of the user's code gives; its failure names the operator and the tuple.

    The arguments of a firing are a port and an item; those of a finish have no item.
    """
    try:
        return list(step(*arguments))
    except AnabranchError as error:
        error.where = error.where or raised_at(error) or op.span
        raise
    except (Exception, SystemExit) as error:
        raise user_failure(op, error, *arguments[1:]) from error


def user_failure(op: Operator, error: BaseException, *item: object) -> RunError:
    """Our error for an exception out of the user's code; `item` is the tuple, if one was there."""
    doing = "while handling a tuple" if item else "at the end of its input"
    if (place := raised_at(error)) is not None:
        told = f"there is no key {_told(str, error)}" if isinstance(error, KeyError) else (
            _told(said, error))
        return RunError(f"{op.name} cannot go on {doing}: {told}", place,
                        got=shortened(_told(repr, item[0])) if item else None)
    return RunError(f"{op.name} raised {type(error).__name__} {doing}: {_told(said, error)}",
                    op.span, got=shortened(_told(repr, item[0])) if item else None,
                    below="\n" + user_traceback(error))


def tolerating(op: Operator, fire: Fire, report: ReportLate) -> Fire:
    """The same firings; a late item is reported, where that is what the run does with it."""
    if not getattr(op.kind, "tolerant", False):
        return fire

    def fire_or_report(port: int, item: object) -> Iterable:
        try:
            return fire(port, item)
        except LateRow as late:
            report(late_row(op, late, item))
            return ()
    return fire_or_report


def late_row(op: Operator, late: LateRow, item: object) -> LateRow:
    """What is reported of a late item; it is raised where it is an error."""
    if not late.tolerated:
        raise late
    late.where, late.operator, late.raw = op.span, op.name, shown_value(item)
    return late.with_traceback(None)


def _told(how: Callable[[object], str], given: object) -> str:
    """What an object of the user's says of itself, unless that fails too.

    >>> _told(str, ValueError("no sum")), _told(len, 7)
    ('no sum', '<int that cannot be shown>')
    """
    try:
        return without_addresses(how(given))
    except Exception:
        return f"<{type(given).__name__} that cannot be shown>"


def shortened(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"
