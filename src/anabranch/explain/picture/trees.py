"""A synchronization plan as a tree of workers, the one that joins the others at the left."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.explain.picture.lettering import clipped
from anabranch.explain.picture.scene import Box, Edge, Scene, Text
from anabranch.explain.synchronization import drawn_plan
from anabranch.plan import Plan
from anabranch.sync.plan import Tree


def trees(plan: Plan) -> Iterator[Scene]:
    """A tree for each synchronized operator whose plan is known before it runs."""
    for name in plan.synchronized:
        if (known := drawn_plan(plan.graph[name])) is not None:
            yield of_tree(f"Synchronization plan of {name}", *known)


def of_tree(title: str, tree: Tree, told: str) -> Scene:
    """The workers with the tags that they take, each linked to those below it."""
    numbers = {id(worker): number for number, worker in enumerate(tree.nodes())}
    boxes = tuple(_worker(number, worker) for number, worker in enumerate(tree.nodes()))
    edges = tuple(Edge(numbers[id(worker)], numbers[id(child)], "joins and forks its state", False)
                  for worker in tree.nodes() for child in worker.children)
    return Scene(title, told, boxes, edges)


def _worker(number: int, worker: Tree) -> Box:
    role = "joins and forks" if worker.children else "works alone"
    return Box(number, (Text(f"worker {number}", "name"), Text(clipped(str(worker))), Text(role)),
               "parallel", (f"worker {number}: {role}", f"takes {worker}"))
