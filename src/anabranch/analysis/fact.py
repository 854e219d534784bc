"""What is known of an operator, with why it holds and where in the user's text."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from anabranch.core.source import Span

T = TypeVar("T")


@dataclass(frozen=True)
class Fact(Generic[T]):
    """A value with its reason. A declared fact overrides the analysis, and `check` can test it."""

    value: T
    reason: str
    span: Span | None = None
    declared: bool = False


class StateKind(Enum):
    """IN_BLOCKS: firings see several items, or one in its place, and keep nothing. Blocks of
    firings, each with the items they see, may go to different workers; items alone may not."""

    STATELESS = "stateless"
    IN_BLOCKS = "stateless in blocks"
    PARTITIONED = "partitioned"
    FORKABLE = "forkable"
    UNPARTITIONED = "unpartitioned"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class StateOf:
    """The kind of state; if partitioned, the key attributes of each input port.

    A partitioned source has one entry: the attributes of its output.
    """

    kind: StateKind
    keys: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        if self.kind is not StateKind.PARTITIONED:
            return self.kind.value
        return "by " + " / ".join(", ".join(k) for k in dict.fromkeys(self.keys))


STATELESS = StateOf(StateKind.STATELESS)
IN_BLOCKS = StateOf(StateKind.IN_BLOCKS)
FORKABLE = StateOf(StateKind.FORKABLE)
UNPARTITIONED = StateOf(StateKind.UNPARTITIONED)
UNKNOWN_STATE = StateOf(StateKind.UNKNOWN)


@dataclass(frozen=True)
class Interval:
    """How many outputs one input gives; `high` None means no bound is known.

    >>> str(Interval(1, 1)), str(Interval(0, 1)), str(Interval(0, None)), str(Interval(2, 5))
    ('= 1', '<= 1', 'unbounded', '2..5')
    """

    low: int
    high: int | None

    def __str__(self) -> str:
        if self.high is None:
            return "unbounded" if self.low == 0 else f">= {self.low}"
        if self.low == self.high:
            return f"= {self.low}"
        return f"<= {self.high}" if self.low == 0 else f"{self.low}..{self.high}"

    @property
    def exactly_one(self) -> bool:
        return self.low == self.high == 1

    @property
    def at_most_one(self) -> bool:
        return self.high is not None and self.high <= 1

    def then(self, other: Interval) -> Interval:
        """The selectivity of this operator followed by another."""
        bounded = self.high is not None and other.high is not None
        nothing = self.high == 0 or other.high == 0
        high = 0 if nothing else self.high * other.high if bounded else None
        return Interval(self.low * other.low, high)

    def plus(self, other: Interval) -> Interval:
        """The outputs of both."""
        bounded = self.high is not None and other.high is not None
        return Interval(self.low + other.low, self.high + other.high if bounded else None)

    def either(self, other: Interval) -> Interval:
        """The outputs of one or the other.

        >>> str(Interval(2, 2).either(Interval(0, 1)))
        '<= 2'
        """
        bounded = self.high is not None and other.high is not None
        return Interval(min(self.low, other.low), max(self.high, other.high) if bounded else None)


EXACTLY_ONE, AT_MOST_ONE, UNBOUNDED = Interval(1, 1), Interval(0, 1), Interval(0, None)
NOTHING = Interval(0, 0)


@dataclass(frozen=True)
class Forwarding:
    """Which output attributes are input attributes unchanged, for items of one input port.

    `everything` means that the output item is the input item itself.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    everything: bool = False

    def origin(self, attribute: str) -> str | None:
        """The input attribute that this output attribute always equals, if one is known."""
        if self.everything:
            return attribute
        return dict(self.pairs).get(attribute)

    def __str__(self) -> str:
        if self.everything:
            return "all"
        return ", ".join(o if o == i else f"{o}={i}" for o, i in self.pairs) or "none"


class EffectKind(Enum):
    WRITES = "writes"
    READS_SHARED = "reads shared"
    IO = "input or output"
    RANDOM = "randomness"
    CLOCK = "clock"
    UNRESOLVED = "unresolved call"


ITEMS = "the items of a stream"
"""In the identity of an effect: it changes items, which other operators may hold too."""


@dataclass(frozen=True)
class Effect:
    """Something a function does besides computing its outputs; `name` is what it touches, and
    `identity` tells whether two names stand for one object, or for one that holds the other. It may
    be inside of an installed `package`."""

    kind: EffectKind
    name: str
    reason: str
    span: Span | None = None
    identity: frozenset = field(default=frozenset(), compare=False, repr=False)
    package: str | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class OperatorFacts:
    """All facts of one operator. `forwarding` has a fact for each input port (one for a source);
    `purity` lists effects, none of them when the operator is pure; `ordered` says whether
    anything downstream can observe the order of its outputs, `total` whether no item makes it fail.
    """

    state: Fact[StateOf]
    selectivity: Fact[Interval]
    forwarding: tuple[Fact[Forwarding], ...]
    purity: Fact[tuple[Effect, ...]]
    ordered: Fact[bool]
    total: Fact[bool] = Fact(False, "nothing is known of it")


Facts = dict[str, OperatorFacts]
