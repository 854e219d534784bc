"""A manifest: what is true behind a batch. It is the moment at which the batch has happened.

Before its manifest is there, nothing of a batch counts; behind it, everything does: which rows were
read, which version of the state belongs to it, and which part files of the sinks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from anabranch.kernels.codec import decode, encode


class Chain(NamedTuple):
    """The saved state of a bucket: the volume that has every key, then those with touched keys.

    The name of a volume begins with the version of the state that it belongs to.

    >>> Chain().then("3-a", True, 100).then("4-a", False, 10)
    Chain(whole='3-a', whole_bytes=100, changes=('4-a',), changes_bytes=10)
    """

    whole: str | None = None
    whole_bytes: int = 0
    changes: tuple[str, ...] = ()
    changes_bytes: int = 0

    @property
    def last(self) -> str | None:
        return self.changes[-1] if self.changes else self.whole

    @property
    def volumes(self) -> tuple[str, ...]:
        return () if self.whole is None else (self.whole, *self.changes)

    def then(self, volume: str, every: bool, size: int) -> Chain:
        if every:
            return Chain(volume, size)
        return self._replace(changes=(*self.changes, volume),
                             changes_bytes=self.changes_bytes + size)


Place = tuple[int, int]
"""A stage and a bucket."""


@dataclass(frozen=True)
class Manifest:
    """`number` counts the batches that have happened, so it is the version of the state.

    `spark` is the last batch of Spark's that is wholly in it, and `begun` has, of the one behind
    it, the number of files of each source that are. `held` has for each source the files of which
    some rows still wait, with the number of rows that were taken; `times` the last time of each;
    `whole` are sources that have been read to their end; `taken` counts the rows that have gone on.
    `parts` are the part files of the batch, by sink, and `delivered` counts the items that have
    gone to all other sinks. `kernels` tells that state may be in the form
    of kernels, and `ended` that the operators have been told of the end of the input.
    """

    number: int = 0
    spark: int = -1
    begun: dict[str, int] = field(default_factory=dict)
    held: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    times: dict[str, object] = field(default_factory=dict)
    whole: tuple[str, ...] = ()
    taken: int = 0
    chains: dict[Place, Chain] = field(default_factory=dict)
    parts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    delivered: int = 0
    kernels: bool = False
    ended: bool = False

    def to_bytes(self) -> bytes:
        chains = {place: tuple(chain) for place, chain in self.chains.items()}
        return encode(vars(replace(self, chains=chains)))

    @staticmethod
    def from_bytes(data: bytes) -> Manifest:
        values = decode(data)
        chains = {place: Chain(*chain) for place, chain in values["chains"].items()}
        return Manifest(**values | {"chains": chains})
