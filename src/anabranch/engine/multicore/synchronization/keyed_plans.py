"""What a synchronized stage with a state for each key knows of its plan: which keys are split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Sequence

from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.synchronization.line_updates import line_state
from anabranch.engine.multicore.synchronization.plans import LEARNT, Planning, Trees
from anabranch.engine.multicore.synchronization.tagging import counted, keyed_tagging
from anabranch.sync.keyed import BUCKETS_PER_WORKER, KeyedProgram, hot_keys
from anabranch.sync.plan import Tree
from anabranch.sync.planning import plan_for
from anabranch.sync.program import Program

ENOUGH_TO_TELL = 1000
"""Fewer do not tell whether other keys come often by now."""


class KeyedPlanning(Planning):
    """Of an operator with keys: those that come often are split, the others go by buckets."""

    def tree(self) -> Tree:
        hot = hot_keys(self.seen, self.workers)
        self.program = KeyedProgram(self.operator.kind, hot, BUCKETS_PER_WORKER * self.workers)
        self.tagged = keyed_tagging(self.program)
        return super().tree()

    def trees(self) -> Trees:
        """Of the hot keys that can be split, among those workers that the other keys leave. A key
        that is not equal to itself, or has no value in it, is not found again in columns."""
        hot = {key: tags for key, tags in hot_keys(self.seen, self.workers).items()
               if key == key and None not in (key if type(key) is tuple else (key,))}
        several = max(2, self.workers - round(self._share_of_cold(hot) * self.workers))
        trees = {key: plan_for(Program(self.operator.kind), {tag: self.seen[key, tag]
                                                             for tag in tags},
                               several, self._costs).tree for key, tags in hot.items()}
        return {key: tree for key, tree in trees.items() if tree.children}

    def workers_of_cold(self, trees: Trees) -> int:
        """How many workers have the keys that are not split."""
        return max(1, round(self._share_of_cold(trees) * self.workers))

    def _share_of_cold(self, hot: Container[Hashable]) -> float:
        often = sum(count for (key, _), count in self.seen.items() if key in hot)
        return 1 - often / max(1, self.seen.total())

    def better_than(self, trees: Trees, lately: Counter, items: Sequence[object]) -> Trees | None:
        """When a key that is not split has more than a worker's share by now."""
        if len(items) < ENOUGH_TO_TELL:
            return None
        seen = counted(self.operator.kind, self.sampled, items[:LEARNT])
        if all(key in trees for key in hot_keys(seen, self.workers / 2)):
            return None
        self.seen = seen
        return found if (found := self.trees()).keys() - trees.keys() else None

    def state_of(self, line: Line) -> object:
        return line_state(line, keyed=True)

    states_of = state_of
