"""The way of a program, on one page: text -> graph -> facts -> logical plan -> run.

    graph = load("program.py")        # lang/, api/: every operator with its line in the text
    plan = compile_graph(graph)       # analysis/, rewrite/: what may run in parallel, and why not
    execute(plan, RunOptions())       # engine/: the sequential program's output, in its order
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from anabranch.analysis.facts.summary import Findings, analyse
from anabranch.ir.graph import Graph
from anabranch.ir.verify import verify
from anabranch.lang.registry import language_of
from anabranch.plan.logical.arrival import by_arrival
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.regions import form
from anabranch.plan.logical.rules import RULES, Rule, rewrite


def load(path: Path | str, parameters: Mapping[str, str] | None = None,
         options: Mapping[str, object] | None = None) -> Graph:
    """The graph of a program file; its extension decides the language.

    `options` has what the language itself declares, such as the times of inputs.
    """
    path = Path(path)
    return language_of(path).load(path, parameters or {}, options or {})


def compile_graph(graph: Graph, rules: tuple[Rule, ...] = RULES) -> Plan:
    """The plan of a graph: the same on every engine, whatever the degree of parallelism. The rules
    rewrite it in their order, which changes the plan and never the output."""
    program, facts_of = by_arrival(verify(graph)), partial(analyse, findings=Findings())
    rewritten = rewrite(program, facts_of, rules)
    return replace(form(rewritten, facts_of(rewritten)), program=program)
