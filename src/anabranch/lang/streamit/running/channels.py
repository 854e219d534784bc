"""Channels item by item, and tapes that fetch what is not there yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

MANY = 4096


@dataclass
class Channel:
    """Items in order; those before `head` have been taken."""

    items: list = field(default_factory=list)
    head: int = 0

    def __len__(self) -> int:
        return len(self.items) - self.head

    def put(self, items: Iterable) -> None:
        self.items.extend(items)

    def take(self, count: int) -> list:
        """The next items."""
        taken = self.items[self.head:self.head + count]
        self.drop(count)
        return taken

    def drop(self, count: int) -> None:
        """Forgets items, and now and then the room that they took."""
        self.head += count
        if self.head > MANY and 2 * self.head > len(self.items):
            del self.items[:self.head]
            self.head = 0


@dataclass
class Fetched:
    """The tape of a filter that takes as many items as it likes: they come when it asks."""

    channel: Channel
    fetch: Callable[[], None]

    def __getitem__(self, place: int) -> object:
        while place >= len(self.channel.items):
            self.fetch()
        return self.channel.items[place]


class Grown(list):
    """The tape of a filter that gives as many items as it likes."""

    def __setitem__(self, place: int, item: object) -> None:
        self.append(item)
