"""Chooses the channel of an item: in turn, or by a hash of its key that is the same everywhere."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.ir.keys import key_hash
from anabranch.ir.operators import key_function
from anabranch.plan.logical.plan import Routing


class Turn:
    """Which channel is next when items go round."""

    __slots__ = ("channel",)

    def __init__(self):
        self.channel = -1


def channel_of(routing: Routing, degree: int) -> Callable[[Turn, object], int]:
    """From an item (and whose turn it is) to its channel.

    >>> turn, chosen = Turn(), channel_of(Routing(), 2)
    >>> [chosen(turn, item) for item in "abc"]
    [0, 1, 0]
    """
    if routing.key:
        key = key_function(routing.key)
        return lambda turn, item: key_hash(key(item)) % degree

    def next_channel(turn: Turn, item: object) -> int:
        turn.channel = (turn.channel + 1) % degree
        return turn.channel
    return next_channel
