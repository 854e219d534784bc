"""Plans: binary trees of workers, each with the tags that it takes.

A tag may come to several workers that do not depend on each other there: the events of tag `v` are
then dealt out as shards `v/0`, `v/1` and so on, one for each of these workers. A tag with a shard
is what the paper calls an implementation tag.

>>> tree = Tree(frozenset({Shard("barrier")}), (leaf(Shard("value", 0)), leaf(Shard("value", 1))))
>>> [str(node) for node in tree.nodes()]
['barrier', 'value/0', 'value/1']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from anabranch.once import once


class Shard(NamedTuple):
    """A part of the events of one tag; `number` is None where the tag is not divided."""

    tag: object
    number: int | None = None

    def __str__(self) -> str:
        name = self.tag if isinstance(self.tag, str) else repr(self.tag)
        return name if self.number is None else f"{name}/{self.number}"


@dataclass(frozen=True)
class Tree:
    """A worker, the shards that it takes itself, and none or two workers below it.

    A worker with others below joins their states before it takes an event, and forks it again.
    """

    shards: frozenset[Shard]
    children: tuple[Tree, Tree] | tuple[()] = ()

    def nodes(self) -> Iterator[Tree]:
        """All workers, each before those below it, left before right."""
        yield self
        for child in self.children:
            yield from child.nodes()

    @once
    def below(self) -> frozenset[Shard]:
        """All that this worker and those below it take."""
        return self.shards.union(*(child.below for child in self.children))

    @once
    def lanes(self) -> dict[Shard, Shard]:
        """For each of the worker's shards the one under whose name its events come. A worker with
        none below it takes all in the order of the input, so they come together.

        >>> sorted(set(map(str, leaf(Shard("v"), Shard("a")).lanes.values())))
        ['a']
        """
        if self.children or not self.shards:
            return {shard: shard for shard in self.shards}
        return dict.fromkeys(self.shards, min(self.shards, key=str))

    @once
    def depth(self) -> int:
        return 1 + max((child.depth for child in self.children), default=0)

    def __str__(self) -> str:
        return ", ".join(sorted(map(str, self.shards))) or "nothing of its own"


def leaf(*shards: Shard) -> Tree:
    """A worker with none below it."""
    return Tree(frozenset(shards))


def drawn(tree: Tree, indent: str = "") -> Iterator[str]:
    """The tree as lines of text.

    >>> print("\\n".join(drawn(Tree(frozenset({Shard("b")}), (leaf(Shard("v")), leaf())))))
    b
    ├─ v
    └─ nothing of its own
    """
    yield f"{tree}"
    for index, child in enumerate(tree.children):
        last = index == len(tree.children) - 1
        first, *rest = drawn(child)
        yield f"{indent}{'└─' if last else '├─'} {first}"
        yield from (f"{indent}{'   ' if last else '│  '}{line}" for line in rest)
