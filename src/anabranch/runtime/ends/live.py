"""Live sources: each is read by a thread, and items go on in order of arrival.

Where a source falls silent, heartbeats come in its place.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from anabranch.core.errors import DataError, RunError, user_traceback
from anabranch.core.threads import start_thread
from anabranch.io.rows import BadRows
from anabranch.ir.graph import Operator
from anabranch.ir.times import is_aware, moment
from anabranch.ir.types import FLOAT, INT, TIMESTAMP, fields_of

READ_AHEAD = 1024
"""So many items of a source are read before they are wanted, at most."""

END = object()


class FailedRead(NamedTuple):
    """In the place of an item: reading the next one failed."""

    error: BaseException


class Malformed(NamedTuple):
    """In the place of an item: a row that is to be reported where items are taken."""

    error: DataError
    raw: str


class Arrivals:
    """What the readers of several feeds have given and nobody has taken yet, in its order."""

    def __init__(self):
        self.given: deque[tuple[int, object]] = deque()
        self.changed = threading.Condition()
        self.ahead: Counter[int] = Counter()
        self.closed = False

    def read(self, feed: int, items: Iterable[object], name: str) -> None:
        """Lets a thread of its own read a feed to its end."""
        start_thread(self._read, feed, items, name=f"reads {name}")

    def put(self, feed: int, given: object) -> bool:
        """Adds something when its feed is not too far ahead; False when nobody wants it any more.
        """
        with self.changed:
            self.changed.wait_for(lambda: self.closed or self.ahead[feed] < READ_AHEAD)
            if not self.closed:
                self.ahead[feed] += 1
                self.given.append((feed, given))
                self.changed.notify_all()
            return not self.closed

    def take(self, timeout: float | None = None) -> tuple[int, object] | None:
        """The next thing with its feed; None when nothing comes for so many seconds."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.given, timeout):
                return None
            feed, given = self.given.popleft()
            self.ahead[feed] -= 1
            self.changed.notify_all()
            return feed, given

    def close(self) -> None:
        """Lets all readers go."""
        with self.changed:
            self.closed = True
            self.given.clear()
            self.changed.notify_all()

    def _read(self, feed: int, items: Iterable[object]) -> None:
        try:
            for item in items:
                if not self.put(feed, item):
                    return
            self.put(feed, END)
        except BaseException as error:
            self.put(feed, FailedRead(error))


class Passing(BadRows):
    """Malformed rows of a feed take their place among its items; one that stops a run ends it."""

    def __init__(self, policy: str, arrivals: Arrivals, feed: int):
        super().__init__(policy)
        self.arrivals, self.feed = arrivals, feed

    def report(self, error: DataError, raw: str) -> None:
        if self.policy == "stop":
            raise error
        self.arrivals.put(self.feed, Malformed(error, raw))


class Feed(NamedTuple):
    """A live source, or several that are merged: its name, the policy for malformed rows and who
    is told of them, and `items(rows)`, which reads it."""

    name: str
    rows: BadRows
    items: Callable[[BadRows], Iterable[object]]


def as_they_come(feeds: Sequence[Feed]) -> Iterator[object]:
    """The items of all feeds in the order of their arrival. A feed that ends leaves the others
    alone; one that fails ends them behind what came before."""
    with closing(Arrivals()) as arrivals:
        for number, feed in enumerate(feeds):
            rows = Passing(feed.rows.policy, arrivals, number)
            arrivals.read(number, feed.items(rows), feed.name)
        left = len(feeds)
        while left:
            number, given = arrivals.take()
            if given is END:
                left -= 1
            elif isinstance(given, FailedRead):
                raise given.error
            elif isinstance(given, Malformed):
                feeds[number].rows.report(*given)
            else:
                yield given


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
            if isinstance(given, FailedRead):
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
