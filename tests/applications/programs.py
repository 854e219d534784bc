"""The programs of the applications, and what they give."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from anabranch.compile import compile_graph, load
from anabranch.engine.sequential import run as sequential
from anabranch.plan.logical.plan import Plan

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = ("regions", "calls", "retail")
# What the programs of a folder share, and no program itself.
SHARED = ("shop",)
FILES = [path for folder in FOLDERS for path in sorted((EXAMPLES / folder).glob("*.py"))]
PROGRAMS = {path.stem: path for path in FILES if path.stem not in SHARED}


@cache
def plan_of(name: str, **parameters: str) -> Plan:
    return compile_graph(load(PROGRAMS[name], parameters))


def items_of(plan: Plan) -> dict:
    """The items of every source, anew."""
    return {op.name: op.kind.spec.items(None) for op in plan.graph.sources}


@cache
def answer(name: str, **parameters: str) -> tuple:
    """The items that reach the sink on the sequential engine."""
    plan, out = plan_of(name, **parameters), []
    sequential.run(plan.program, items_of(plan), lambda op, item: out.append(item))
    return tuple(out)
