"""Sources that fall silent: their items come from a thread, and heartbeats where none come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from anabranch.engine.live import END, Arrivals, Raised
from anabranch.errors import DataError, RunError, user_traceback
from anabranch.ir.graph import Operator
from anabranch.ir.times import is_aware, moment
from anabranch.ir.types import FLOAT, INT, TIMESTAMP, fields_of

CLASSES = {INT: (int, float), FLOAT: (int, float), TIMESTAMP: datetime}
"""What can be compared with times of each type."""


@dataclass(frozen=True)
class Heartbeat:
    """Stands for no item: its source sends nothing before `time`."""

    time: object


def beating(op: Operator, timed: Iterable[tuple]) -> Iterator[tuple]:
    """The items of a live source as (time, operator, item), and (time, operator, Heartbeat) when it
    is silent."""
    promised = aware = None
    with closing(Arrivals()) as arrivals:
        arrivals.read(0, timed, op.name)
        while (given := _next(arrivals, op)) is not END:
            if isinstance(given, Raised):
                raise given.error
            time = given.time if isinstance(given, Heartbeat) else given[0]
            aware = is_aware(time) if aware is None else aware
            if is_aware(time) != aware:
                raise _other_kind(op, time)
            if promised is not None and not isinstance(given, Heartbeat) and (
                    moment(time) < moment(promised)):
                raise _broken_promise(op, time, promised)
            if isinstance(given, Heartbeat):
                # A clock that is set back takes back nothing that was promised.
                promised = time if promised is None else max(promised, time, key=moment)
                given = promised, op, given
            yield given


def _next(arrivals: Arrivals, op: Operator) -> object:
    if (taken := arrivals.take(op.kind.heartbeats.every)) is not None:
        return taken[1]
    time = _asked(op)
    # What has come meanwhile may be earlier than the clock.
    taken = arrivals.take(timeout=0)
    return Heartbeat(time) if taken is None else taken[1]


def _asked(op: Operator) -> object:
    try:
        time = op.kind.heartbeats.clock()
    except Exception as error:
        raise RunError(f"the clock of heartbeats raised {type(error).__name__}: {error}", op.span,
                       below="\n" + user_traceback(error)) from error
    wanted = (fields_of(op.kind.spec.type) or {}).get(op.kind.time)
    if time != time or not isinstance(time, CLASSES.get(wanted, object)):
        raise RunError("the clock of heartbeats gives something that is not a time", op.span,
                       expected=f"what '{op.kind.time}' is: {wanted or 'a time'}", got=repr(time))
    return time


def _other_kind(op: Operator, time: object) -> RunError:
    return RunError(f"the times of '{op.name}' and of its heartbeats cannot be compared: one has a "
                    "zone, the other has none", op.span, got=str(time),
                    help="let the clock of the heartbeats give times of the kind of the items")


def _broken_promise(op: Operator, time: object, promised: object) -> DataError:
    return DataError(f"'{op.kind.time}' goes back: {time} comes after a heartbeat of {promised}",
                     op.span, help="let the clock of the heartbeats give the earliest time that "
                                   "may still come")
