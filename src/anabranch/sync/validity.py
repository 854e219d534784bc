"""Which plans are allowed: every event has one worker, states fit (V1), and events on different
branches do not depend on each other (V2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, product

from anabranch.errors import ProgramError
from anabranch.source import Span
from anabranch.sync.plan import Shard, Tree, leaf
from anabranch.sync.program import Program


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
