"""Plans: binary trees of workers, each with its tags; and which are allowed.

Every event has one worker, states fit (V1), and events on different branches do not depend on each
other (V2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

from anabranch.core.errors import ProgramError
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.plan.sync.program import Program


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


def validated(program: Program, tree: Tree, shards: Iterable[Shard]) -> Tree:
    """The tree, if it is valid for these shards; else a `ProgramError` that names what breaks it.

    The states of the workers must fit together too: see `state_types`.
    """
    for problem in problems(program, tree, shards):
        raise problem
    return tree


def problems(program: Program, tree: Tree, shards: Iterable[Shard]) -> Iterator[ProgramError]:
    span = program.kind.function.span
    yield from _unassigned(tree, frozenset(shards), span)
    yield from _idle(tree, span)
    yield from _wrong_states(program, tree, span)
    yield from _dependent(program, tree, span)


def _unassigned(tree: Tree, wanted: frozenset[Shard], span: Span | None) -> Iterator[ProgramError]:
    taken = Counter(shard for node in tree.nodes() for shard in node.shards)
    for shard in sorted(wanted - taken.keys(), key=str):
        yield ProgramError(f"no worker of the plan takes {shard}", span)
    for shard, count in taken.items():
        if count > 1:
            yield ProgramError(f"{count} workers of the plan take {shard}", span,
                               help="divide its events into shards, one for each of them")


def _idle(tree: Tree, span: Span | None) -> Iterator[ProgramError]:
    """A fork cannot know what to give to a side that takes nothing."""
    if any(not child.below for node in tree.nodes() for child in node.children):
        yield ProgramError("a branch of the plan takes nothing", span)


def _wrong_states(program: Program, tree: Tree, span: Span | None) -> Iterator[ProgramError]:
    for node, state in state_types(program, tree):
        for shard in sorted(node.shards, key=str):
            if not program.handles(state, shard.tag):
                yield ProgramError(f"a worker of the plan has a {state.__name__}, which does not "
                                   f"handle {shard.tag!r}", span)


def state_types(program: Program, tree: Tree, state: type | None = None
                ) -> Iterator[tuple[Tree, type]]:
    """Every worker with the type of its state: the root's is that of the operator, the others'
    are given by the forks; and the states of two workers must be joined to that above them."""
    state = state or program.kind.state
    yield tree, state
    if not tree.children:
        return
    parts = program.fork_of(state).parts
    whole = program.join_of(*parts).whole
    if whole is not state:
        raise ProgramError(f"a {state.__name__} is forked, and joined to a {whole.__name__}",
                           program.kind.function.span)
    for child, part in zip(tree.children, parts):
        yield from state_types(program, child, part)


def validated_types(program: Program) -> None:
    """Refuses forks and joins whose types do not fit together."""
    for fork in program.kind.forks:
        for part in fork.parts:
            if not program.has(part):
                raise ProgramError(f"{fork.function.name} gives a {part.__name__}, which is not a "
                                   "type of state", fork.function.span,
                                   help=f"name it with states={{{part.__name__}: None}}, or with "
                                        "the tags that it can take")
    list(state_types(program, Tree(frozenset(), (leaf(), leaf()))))


def _dependent(program: Program, tree: Tree, span: Span | None) -> Iterator[ProgramError]:
    """Pairs on different branches, each reported once."""
    for node in tree.nodes():
        for left, right in combinations(node.children, 2):
            for a, b in product(_one_of_each(left), _one_of_each(right)):
                if program.depends(a.tag, b.tag):
                    yield ProgramError(f"{a} and {b} depend on each other and stand on different "
                                       "branches of the plan", span,
                                       help="let a worker above both take one of them")


def _one_of_each(tree: Tree) -> list[Shard]:
    """A shard of each tag: others of the same tag depend on the same."""
    return list({shard.tag: shard for shard in sorted(tree.below, key=str, reverse=True)}.values())
