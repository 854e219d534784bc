"""All workers of a plan in one thread, their messages delivered in any order that is possible.

The first message on any way between two workers may be the next to arrive; `chance` chooses. What
comes out must not depend on it: tests look for an order that breaks a plan, a mailbox or a worker.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain

from anabranch.sync.collecting import Collector
from anabranch.sync.messages import Done, Down, Up
from anabranch.sync.plan import Tree
from anabranch.sync.program import Program
from anabranch.sync.routing import ROOT, Router, by_calling, in_order
from anabranch.sync.updates import RowUpdates, Updates
from anabranch.sync.worker import ENGINE, Sent, Worker


def workers_of(program: Program, tree: Tree, updates: Updates) -> list[Worker]:
    """A worker for each node, in the order of `Tree.nodes`."""
    nodes = list(tree.nodes())
    number = {id(node): n for n, node in enumerate(nodes)}
    parent = {number[id(child)]: n for n, node in enumerate(nodes) for child in node.children}
    return [Worker(program, updates, node, n, parent.get(n, ENGINE),
                   [number[id(child)] for child in node.children])
            for n, node in enumerate(nodes)]


def run_locally(program: Program, tree: Tree, slices: Sequence[Sequence[object]],
                chance: random.Random) -> tuple[list[object], object]:
    """The outputs of the program for the events of all slices, and the state that it leaves;
    raises what the program raises."""
    post = _Post(workers_of(program, tree, RowUpdates(program)), chance)
    router, first = Router(tree, by_calling(program.tag)), 0
    post.send(ENGINE, [(ROOT, Down(program.start()))])
    for items in slices:
        post.send(ENGINE, router.routed(first, items))
        first += len(items)
    post.send(ENGINE, router.ended())
    post.deliver_all()
    if (failed := post.collector.failure) is not None:
        raise failed.error
    outputs = in_order(post.collector.taken(post.collector.complete))
    return list(chain.from_iterable(run.items for run in outputs)), post.state


class _Post:
    """Carries messages between workers, and to the engine."""

    def __init__(self, workers: list[Worker], chance: random.Random):
        self.workers, self.chance = workers, chance
        self.collector, self.state = Collector(len(workers)), None
        self.ways: dict[tuple[int, int], deque] = {}

    def send(self, sender: int, sent: Iterable[Sent]) -> None:
        for to, message in sent:
            self.ways.setdefault((sender, to), deque()).append(message)

    def deliver_all(self) -> None:
        while ready := [way for way, waiting in self.ways.items() if waiting]:
            sender, to = self.chance.choice(ready)
            message = self.ways[sender, to].popleft()
            if isinstance(message, Done):
                self.collector.add(message)
            elif isinstance(message, Up) and to == ENGINE:
                self.state = message.state
            else:
                self.send(to, self.workers[to].receive(message))
