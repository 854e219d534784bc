"""All workers of a plan in one thread, their messages delivered in any order that is possible.

The first message on any way between two workers may be the next to arrive; `chance` chooses, and
makes some ways much slower than others. Of pools whoever comes first takes what is there, unless
`chance` has the events of a slice dealt out. What comes out must not depend on it: tests look for
an order that breaks a plan, a mailbox or a worker.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import nullcontext

from anabranch.plan.sync.plan import Tree
from anabranch.plan.sync.program import Program
from anabranch.runtime.gang.messages import Done, Down, Run, Up
from anabranch.runtime.gang.outputs import Collector, in_order
from anabranch.runtime.gang.routing import ROOT, Claims, Router, by_calling, pools_of
from anabranch.runtime.gang.updates import Failed
from anabranch.runtime.gang.worker import ENGINE, Sent, Worker, workers_of


class RowUpdates:
    """Updates of one event after another; the state is the user's own."""

    def __init__(self, program: Program):
        self.update = program.update

    def __call__(self, state: object, run: Run, outputs: list[Run]
                 ) -> tuple[object, Failed | None]:
        update, stamps, items = self.update, [], []
        outputs.append(Run(stamps, items))
        stamp = None
        try:
            for stamp, item in zip(run.stamps, run.items):
                for out in update(state, item):
                    stamps.append(stamp)
                    items.append(out)
        except (Exception, SystemExit) as error:
            return state, Failed(stamp, error)
        return state, None

    def plain(self, state: object) -> object:
        return state


def run_locally(program: Program, tree: Tree, slices: Sequence[Sequence[object]],
                chance: random.Random) -> tuple[list[object], object]:
    """The outputs of the program for the events of all slices, and the state that it leaves;
    raises what the program raises."""
    updates = [RowUpdates(program) for _ in tree.nodes()]
    claims = Claims(pools_of(tree, 8), [0] * 8, nullcontext())
    post = _Post(workers_of(program, tree, updates, claims), chance)
    router, first = Router(tree, by_calling(program.tag), pools=claims.pools), 0
    post.send(ENGINE, [(ROOT, Down(program.start()))])
    for items in slices:
        post.send(ENGINE, router.routed(first, items, pooled=chance.random() < 0.7))
        first += len(items)
    post.send(ENGINE, router.ended())
    post.deliver_all()
    if (failed := post.collector.failure) is not None:
        raise failed.error
    return post.outputs, post.state


class _Post:
    """Carries messages between workers, and to the engine."""

    def __init__(self, workers: list[Worker], chance: random.Random):
        self.workers, self.chance = workers, chance
        self.collector, self.state = Collector(len(workers)), None
        self.ways: dict[tuple[int, int], deque] = {}
        self.pace: dict[tuple[int, int], float] = {}
        self.outputs: list[object] = []

    def send(self, sender: int, sent: Iterable[Sent]) -> None:
        for to, message in sent:
            self.ways.setdefault((sender, to), deque()).append(message)
            self.pace.setdefault((sender, to), self.chance.random() ** 8 + 1e-9)

    def deliver_all(self) -> None:
        while ready := [way for way, waiting in self.ways.items() if waiting]:
            (sender, to), = self.chance.choices(ready, [self.pace[way] for way in ready])
            message = self.ways[sender, to].popleft()
            if isinstance(message, Done):
                self._collect(message)
            elif isinstance(message, Up) and to == ENGINE:
                self.state = message.state
            else:
                self.send(to, self.workers[to].receive(message))

    def _collect(self, done: Done) -> None:
        """Takes outputs as soon as they are said to be complete; then none may come later."""
        late = [run for run in done.outputs if len(run) and run.stamps[0] < self.collector.complete]
        if late:
            raise AssertionError(f"worker {done.worker} has outputs after it was done: {late}")
        self.collector.add(done)
        for run in in_order(self.collector.taken(self.collector.complete)):
            self.outputs += run.items
