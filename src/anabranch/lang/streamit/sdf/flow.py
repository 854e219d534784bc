"""Actors and channels: a whole program, flat, with its rates and its loops.

Actors of a loop have to run together, with all loops inside of it.

Rates that are not the same at every firing.

>>> str(Range(1, None)), highest(3), larger(Range(1, 4), 2)
('[1, *]', 3, Range(low=2, high=4))
"""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.core.once import once
from anabranch.core.source import Span


@dataclass(frozen=True)
class Rates:
    """How many items a firing looks at and takes from each input, and gives to each output.

    Schedules are for flows of which all rates are numbers; `parts` cuts others.
    """

    peeks: tuple[Rate, ...] = ()
    pops: tuple[Rate, ...] = ()
    pushes: tuple[Rate, ...] = ()


@dataclass(frozen=True)
class Actor:
    """Something that fires. `first` has other rates for its first firing, if they are others.

    `body` tells what a firing does; it belongs to the language.
    """

    name: str
    rates: Rates
    body: object = field(compare=False)
    first: Rates | None = None
    span: Span | None = field(default=None, compare=False)

    def upcoming(self, fired: int) -> Rates:
        """The rates of the next firing, after so many."""
        return self.first if self.first is not None and fired == 0 else self.rates


@dataclass(frozen=True)
class Channel:
    """Items on their way from one actor's output to another's input, in order.

    `initial` items are there before anything has fired. A `back` channel closes a loop: its
    reader stands before its writer.
    """

    source: int
    out: int
    target: int
    into: int
    type: object = None
    initial: tuple = ()
    back: bool = False


@dataclass(frozen=True)
class Flow:
    """A program: actors in the order of the text, every channel forward unless it is `back`."""

    actors: tuple[Actor, ...]
    channels: tuple[Channel, ...]

    def inputs(self, actor: int) -> list[tuple[int, Channel]]:
        """The channels into an actor, with their indices, in the order of its inputs."""
        return self._inputs[actor]

    def outputs(self, actor: int) -> list[tuple[int, Channel]]:
        return self._outputs[actor]

    def is_start(self, actor: int) -> bool:
        """Whether an actor waits for nothing from before it: it has to be told when to fire."""
        return all(channel.back for _, channel in self._inputs[actor])

    @once
    def _inputs(self) -> list[list[tuple[int, Channel]]]:
        return self._by(lambda c: c.target, lambda c: c.into)

    @once
    def _outputs(self) -> list[list[tuple[int, Channel]]]:
        return self._by(lambda c: c.source, lambda c: c.out)

    def _by(self, actor, port) -> list[list[tuple[int, Channel]]]:
        found: list[list[tuple[int, Channel]]] = [[] for _ in self.actors]
        for index, channel in sorted(enumerate(self.channels), key=lambda pair: port(pair[1])):
            found[actor(channel)].append((index, channel))
        return found


@dataclass(frozen=True)
class Split:
    """Deals items out: so many to each output in turn, or every item to all of them."""

    weights: tuple[int, ...] | None


@dataclass(frozen=True)
class Join:
    """Takes so many items from each input in turn."""

    weights: tuple[int, ...]


ENDLESS = 1 << 60


@dataclass(frozen=True)
class Range:
    """At least so many items, and at most; None when there is no limit."""

    low: int
    high: int | None

    def __str__(self) -> str:
        return f"[{self.low}, {'*' if self.high is None else self.high}]"


Rate = int | Range


def lowest(rate: Rate) -> int:
    return rate.low if isinstance(rate, Range) else rate


def highest(rate: Rate) -> int:
    if not isinstance(rate, Range):
        return rate
    return ENDLESS if rate.high is None else rate.high


def within(rate: Rate, count: int) -> bool:
    return lowest(rate) <= count <= highest(rate)


def larger(one: Rate, other: Rate) -> Rate:
    """What is looked at where one is said to be, and the other is taken."""
    if not isinstance(one, Range) and not isinstance(other, Range):
        return max(one, other)
    high = max(highest(one), highest(other))
    return Range(max(lowest(one), lowest(other)), None if high == ENDLESS else high)


def rings_of(flow: Flow) -> list[list[int]]:
    """The actors in order, alone, or with the others of their outermost loop.

    A loop's actors stand in a row: its joiner first, and last the one that closes it.

    >>> from anabranch.lang.streamit.sdf.flow import Actor, Channel, Rates
    >>> actors = tuple(Actor(name, Rates(), None) for name in "abcd")
    >>> rings_of(Flow(actors, (Channel(2, 0, 1, 0, back=True),)))
    [[0], [1, 2], [3]]
    """
    ends = dict(sorted((c.target, c.source) for c in flow.channels if c.back))
    rings, actor = [], 0
    while actor < len(flow.actors):
        last = ends.get(actor, actor)
        rings.append(list(range(actor, last + 1)))
        actor = last + 1
    return rings
