"""The best tree by the cost model, found by trying all, or some of too many.

Shards of one tag are alike, so a set of shards is known by how many of each tag it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product

from anabranch.plan.sync.optimizers.greedy import greedy
from anabranch.plan.sync.optimizers.packed import packed
from anabranch.plan.sync.optimizers.problem import Problem
from anabranch.plan.sync.plan import Shard, Tree, leaf

MANY_TAGS = 5
MANY_DIVISIONS = 20_000
"""So many ways to divide the work between two sides are tried at each level, at most."""


def cheapest(problem: Problem) -> Tree:
    """The tree with the least work on its critical path."""
    if len(problem.rates) > MANY_TAGS or _divisions(problem) > MANY_DIVISIONS:
        some = packed(problem), greedy(problem), leaf(*problem.shards)
        return min(some, key=problem.busy)
    return _Search(problem).best(_counted(problem.shards), problem.workers)


def _divisions(problem: Problem) -> int:
    ways = problem.workers * 2 ** len(problem.rates)
    for count in Counter(s.tag for s in problem.shards).values():
        ways *= count + 1
    return ways


Counted = frozenset[tuple[object, int]]
Candidate = tuple[float, Tree]
"""How busy a tree is, and the tree."""


def _counted(shards: Iterable[Shard]) -> Counted:
    return frozenset(Counter(s.tag for s in shards).items())


class _Search:
    """Trees by what they take and with how many workers; each is looked for once.

    A shallow tree may be better below a busy worker than one with less work, so for each depth
    the best one is kept, if it is better than those less deep.
    """

    def __init__(self, problem: Problem):
        self.problem = problem
        self.known: dict[tuple[Counted, int], list[Candidate]] = {}
        self.of_tag: dict[object, list[Shard]] = {}
        for shard in problem.shards:
            self.of_tag.setdefault(shard.tag, []).append(shard)

    def best(self, counted: Counted, workers: int) -> Tree:
        _, tree = self._shapes(counted, workers)[-1]
        return _numbered(tree, {tag: iter(shards) for tag, shards in self.of_tag.items()})

    def _shapes(self, counted: Counted, workers: int) -> list[Candidate]:
        """From the shallowest tree to the one with the least work."""
        key = counted, workers
        if key not in self.known:
            self.known[key] = _worthwhile(self._candidates(counted, workers))
        return self.known[key]

    def _candidates(self, counted: Counted, workers: int) -> Iterator[Candidate]:
        shards = self._shards(counted)
        yield self.problem.busy(leaf(*shards)), leaf(*shards)
        tags = sorted(dict(counted), key=repr)
        for own in chain.from_iterable(combinations(tags, n) for n in range(len(tags))):
            rest = [s for s in shards if s.tag not in own]
            groups = Counter(map(_counted, self.problem.components(rest)))
            if groups.total() > 1 and workers > 1:
                yield from self._forked([s for s in shards if s.tag in own], groups, workers)

    def _forked(self, own: list[Shard], groups: Counter, workers: int) -> Iterator[Candidate]:
        for left, right in _sides(groups):
            for for_left in _shares(_size(left), _size(right), workers):
                for one, other in product(self._shapes(left, for_left),
                                          self._shapes(right, workers - for_left)):
                    tree = Tree(frozenset(own), (one[1], other[1]))
                    yield self.problem.busy_above(tree, max(one[0], other[0])), tree

    def _shards(self, counted: Counted) -> list[Shard]:
        # A set has another order in every process, and among equal trees the first is taken.
        known = sorted(counted, key=repr)
        return [s for tag, count in known for s in self.of_tag[tag][:count]]


def _worthwhile(candidates: Iterable[Candidate]) -> list[Candidate]:
    best: dict[int, Candidate] = {}
    for candidate in candidates:
        known = best.get(candidate[1].depth)
        if known is None or candidate[0] < known[0]:
            best[candidate[1].depth] = candidate
    kept: list[Candidate] = []
    for _, candidate in sorted(best.items()):
        if not kept or candidate[0] < kept[-1][0]:
            kept.append(candidate)
    return kept


def _sides(groups: Counter) -> Iterator[tuple[Counted, Counted]]:
    """The ways to divide the groups between two sides; of two that mirror each other, one."""
    kinds = list(groups)
    for taken in product(*(range(groups[kind] + 1) for kind in kinds)):
        others = tuple(groups[kind] - n for kind, n in zip(kinds, taken))
        if any(taken) and taken <= others:
            yield _together(zip(kinds, taken)), _together(zip(kinds, others))


def _shares(left: int, right: int, workers: int) -> Iterable[int]:
    """How many of the workers the left side may have: none has more of them than shards, unless
    there are more than all can use.

    >>> list(_shares(1, 3, 4)), list(_shares(2, 3, 4)), list(_shares(1, 1, 4))
    ([1], [1, 2], [1])
    """
    return range(max(1, min(workers - right, left)), min(workers - 1, left) + 1)


def _size(counted: Counted) -> int:
    return sum(count for _, count in counted)


def _together(groups: Iterable[tuple[Counted, int]]) -> Counted:
    total: Counter = Counter()
    for group, times in groups:
        for tag, count in group if times else ():
            total[tag] += count * times
    return frozenset(total.items())


def _numbered(tree: Tree, coming: dict[object, Iterator[Shard]]) -> Tree:
    """The same tree with each shard in one place only."""
    shards = frozenset(next(coming[s.tag]) for s in sorted(tree.shards, key=str))
    return Tree(shards, tuple(_numbered(child, coming) for child in tree.children))
