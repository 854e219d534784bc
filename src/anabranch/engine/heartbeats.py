"""Sources that fall silent: their items come from a thread, and heartbeats where none come."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from anabranch.errors import DataError, RunError, user_traceback
from anabranch.ir.graph import Operator
from anabranch.ir.types import FLOAT, INT, TIMESTAMP, fields_of

CLASSES = {INT: (int, float), FLOAT: (int, float), TIMESTAMP: datetime}
"""What can be compared with times of each type."""

READ_AHEAD = 1024
"""So many items are read before they are wanted, at most."""


@dataclass(frozen=True)
class Heartbeat:
    """Stands for no item: its source sends nothing before `time`."""

    time: object


END = object()


def beating(op: Operator, timed: Iterable[tuple]) -> Iterator[tuple]:
    """The items of a live source as (time, operator, item), and (time, operator, Heartbeat) when it
    is silent."""
    coming: queue.Queue = queue.Queue(READ_AHEAD)
    threading.Thread(target=_read, args=(timed, coming), daemon=True,
                     name=f"anabranch reads {op.name}").start()
    promised = None
    while True:
        given = _next(coming, op)
        if given is END:
            return
        if isinstance(given, BaseException):
            raise given
        time = given.time if isinstance(given, Heartbeat) else given[0]
        if promised is not None and not isinstance(given, Heartbeat) and time < promised:
            raise _broken_promise(op, time, promised)
        if isinstance(given, Heartbeat):
            # A clock that is set back takes back nothing that was promised.
            promised = time if promised is None else max(promised, time)
            given = promised, op, given
        yield given


def _read(timed: Iterable[tuple], coming: queue.Queue) -> None:
    try:
        for given in timed:
            coming.put(given)
        coming.put(END)
    except BaseException as error:
        coming.put(error)


def _next(coming: queue.Queue, op: Operator) -> object:
    try:
        return coming.get(timeout=op.kind.heartbeats.every)
    except queue.Empty:
        time = _asked(op)
    try:
        return coming.get_nowait()
    except queue.Empty:
        return Heartbeat(time)


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


def _broken_promise(op: Operator, time: object, promised: object) -> DataError:
    return DataError(f"'{op.kind.time}' goes back: {time} comes after a heartbeat of {promised}",
                     op.span, help="let the clock of the heartbeats give the earliest time that "
                                   "may still come")
