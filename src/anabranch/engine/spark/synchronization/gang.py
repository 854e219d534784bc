"""A gang: a synchronization plan, and which of its tasks has which worker."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anabranch.sync.plan import Tree
from anabranch.sync.routing import Tagged


@dataclass(frozen=True)
class Gang:
    """`tagged` finds the tags of items; `split` says how keys are split, if there are any. Who
    knows the token is one of us."""

    tree: Tree
    tasks: int
    tagged: Callable[[Sequence[object]], Tagged]
    token: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    split: tuple | None = None

    @property
    def hosts(self) -> tuple[int, ...]:
        return hosts(self.tree, self.tasks)


def leaves(tree: Tree) -> int:
    return sum(1 for node in tree.nodes() if not node.children)


def hosts(tree: Tree, tasks: int) -> tuple[int, ...]:
    """The task of each worker: leaves are dealt out, and a worker with others below it, which has
    little to do, is where the first of its leaves is.

    >>> from anabranch.sync.plan import Shard, Tree, leaf
    >>> hosts(Tree(frozenset(), (leaf(Shard("a")), leaf(Shard("b")))), 2)
    (0, 0, 1)
    """
    count, found, before = leaves(tree), [], 0
    for node in tree.nodes():
        found.append(before * tasks // count)
        before += not node.children
    return tuple(found)
