"""What a synchronized stage with a state for each key knows of its plan: which keys are split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.synchronization.dividing import divided
from anabranch.engine.multicore.synchronization.line_updates import line_state
from anabranch.engine.multicore.synchronization.plans import LEARNT, Planning, Trees
from anabranch.engine.multicore.synchronization.tagging import counted, keyed_tagging
from anabranch.ir.keys import NAN
from anabranch.sync.keyed import BUCKETS_PER_WORKER, KeyedProgram, hot_keys, rows_of_keys
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
        """Of the hot keys that are worth to be split and can be."""
        hot = hot_keys(self.seen, self.workers)
        whole = [key for key in hot if not _is_found(key)]
        while True:
            hot = {key: tags for key, tags in hot.items() if key not in whole}
            trees = self._planned(hot)
            whole = [key for key, tree in trees.items() if not tree.children]
            if not whole:
                return trees

    def _planned(self, hot: Mapping[Hashable, Sequence[object]]) -> Trees:
        """For those of the keys, each with its tags, that are worth it."""
        many = rows_of_keys(self.seen)
        often = sorted(hot, key=many.get, reverse=True)
        others = max((n for key, n in many.items() if key not in hot), default=0)
        division = divided([many[key] / many.total() for key in often],
                           others / max(1, many.total()), self.workers)
        return {key: plan_for(Program(self.operator.kind),
                              {tag: self.seen[key, tag] for tag in hot[key]}, division.split,
                              self._costs).tree for key in often[:division.keys]}

    def workers_of_cold(self, trees: Trees) -> int:
        """How many workers have the keys that are not split."""
        leaves = max((sum(not node.children for node in tree.nodes()) for tree in trees.values()),
                     default=0)
        return max(1, self.workers - leaves)

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


def _is_found(key: Hashable) -> bool:
    """Whether it is found again in columns: all of it has a value."""
    parts = key if type(key) is tuple else (key,)
    return key != NAN and None not in parts and NAN not in parts
