"""Work that threads do ahead of whoever takes its results, which come in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from anabranch.core.threads import thread_pool

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")


class WorkAhead(Generic[T]):
    """So many threads at work, whose results come in order. There is `room` as long as no more is
    under way than keeps them busy: whoever adds more holds more memory.

    >>> work = WorkAhead(2, "example")
    >>> work.add(pow, 2, 3); work.add(pow, 2, 4)
    >>> work.next(), work.next(), len(work)
    (8, 16, 0)
    >>> work.close()
    """

    def __init__(self, threads: int, name: str):
        self.threads = threads
        self.pool = thread_pool(threads, name)
        self.waiting: deque[Future[T]] = deque()

    def __len__(self) -> int:
        return len(self.waiting)

    @property
    def has_room(self) -> bool:
        return len(self.waiting) <= self.threads

    @property
    def is_ready(self) -> bool:
        """Whether the next result is there."""
        return bool(self.waiting) and self.waiting[0].done()

    def add(self, work: Callable[..., T], *given: object) -> None:
        self.waiting.append(self.pool.submit(work, *given))

    def next(self) -> T:
        """The oldest result; it is waited for."""
        return self.waiting.popleft().result()

    def drop(self) -> None:
        """Forgets what is under way: nobody wants its results."""
        while self.waiting:
            self.waiting.pop().cancel()

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)


def each_ahead(work: Callable[[T], R], given: Iterable[T], threads: int, name: str,
               size: Callable[[T], float] = lambda one: 0, most: float = 0,
               first: Iterable[R] = ()) -> Iterator[R]:
    """What comes `first`, and what the work makes of each, in order; a few are done ahead, whose
    sizes come to no more than the `most`, unless one alone does. They are begun with when somebody
    wants more than one.

    >>> list(each_ahead(str.upper, "abc", 2, "example", first="xy"))
    ['x', 'y', 'A', 'B', 'C']
    """
    ahead: WorkAhead[R] = WorkAhead(threads, name)
    coming, sizes = iter(given), deque()
    waiting: deque[T] = deque()

    def fill() -> None:
        while True:
            if not waiting:
                waiting.extend(islice(coming, 1))
            if not waiting or not ahead.has_room or (
                    sizes and sum(sizes) + size(waiting[0]) > most):
                return
            sizes.append(size(waiting[0]))
            ahead.add(work, waiting.popleft())
    try:
        for one in first:
            yield one
            fill()
        fill()
        while len(ahead):
            yield ahead.next()
            sizes.popleft()
            fill()
    finally:
        ahead.close()
