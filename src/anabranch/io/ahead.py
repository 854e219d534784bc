"""Work that threads do ahead of whoever takes its results, which come in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

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
        self.pool = ThreadPoolExecutor(threads, f"anabranch {name}")
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
               size: Callable[[T], float] = lambda one: 0, most: float = 0) -> Iterator[R]:
    """What the work makes of each, in order; a few are done ahead, whose sizes come to no more than
    the `most`, unless one alone does.

    >>> list(each_ahead(str.upper, "abc", 2, "example"))
    ['A', 'B', 'C']
    """
    ahead: WorkAhead[R] = WorkAhead(threads, name)
    coming, sizes = iter(given), deque()
    following = next(coming, None)
    try:
        while following is not None or len(ahead):
            while following is not None and ahead.has_room and (
                    not sizes or sum(sizes) + size(following) <= most):
                sizes.append(size(following))
                ahead.add(work, following)
                following = next(coming, None)
            yield ahead.next()
            sizes.popleft()
    finally:
        ahead.close()
