"""All workers of a plan in one thread, their messages delivered in any order that is possible.

The first message on any way between two workers may be the next to arrive; `chance` chooses. What
comes out must not depend on it: tests look for an order that breaks a plan, a mailbox or a worker.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence

from anabranch.sync.messages import Done
from anabranch.sync.plan import Tree
from anabranch.sync.program import Program
from anabranch.sync.routing import Collector, Router
from anabranch.sync.updates import RowUpdates
from anabranch.sync.worker import COLLECTOR, Sent, Worker


def workers_of(program: Program, tree: Tree, updates) -> list[Worker]:
    """A worker for each node, in the order of `Tree.nodes`."""
    nodes = list(tree.nodes())
    number = {id(node): n for n, node in enumerate(nodes)}
    parent = {number[id(child)]: n for n, node in enumerate(nodes) for child in node.children}
    return [Worker(program, updates, node, n, parent.get(n),
                   [number[id(child)] for child in node.children])
            for n, node in enumerate(nodes)]


def run_locally(program: Program, tree: Tree, slices: Sequence[Sequence[object]],
                chance: random.Random) -> list[object]:
    """The outputs of the program for the events of all slices; raises what it raises."""
    workers = workers_of(program, tree, RowUpdates(program))
    router, collector = Router(tree, program.tag), Collector(len(workers))
    ways: dict[tuple[int, int], deque] = {}
    source, first = len(workers), 0
    _post(ways, 0, workers[0].begin(program.start()))
    for items in slices:
        _post(ways, source, [(to, message) for to, messages in router.routed(first, items).items()
                             for message in messages])
        first += len(items)
    _post(ways, source, [(to, m) for to, messages in router.ended().items() for m in messages])
    while ready := [way for way, waiting in ways.items() if waiting]:
        sender, to = chance.choice(ready)
        message = ways[sender, to].popleft()
        if isinstance(message, Done):
            collector.add(message)
        else:
            _post(ways, to, workers[to].receive(message))
    if (failed := collector.failure) is not None:
        raise failed.error
    return [item for _, item in collector.taken(collector.complete)]


def _post(ways: dict, sender: int, sent: Sequence[Sent]) -> None:
    for to, message in sent:
        ways.setdefault((sender, COLLECTOR if to == COLLECTOR else to), deque()).append(message)
