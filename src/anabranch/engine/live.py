"""Live sources: each has a thread that reads it, and its items go on in the order of their arrival.

A thread that waits for a source cannot be told to stop; it is gone with the source's next item.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from contextvars import copy_context
from typing import NamedTuple

from anabranch.errors import DataError
from anabranch.io.badrows import BadRows

READ_AHEAD = 1024
"""So many items of a source are read before they are wanted, at most."""

END = object()


class Raised(NamedTuple):
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
        threading.Thread(target=copy_context().run, args=(self._read, feed, items), daemon=True,
                         name=f"anabranch reads {name}").start()

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
            self.put(feed, Raised(error))


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
            elif isinstance(given, Raised):
                raise given.error
            elif isinstance(given, Malformed):
                feeds[number].rows.report(*given)
            else:
                yield given
