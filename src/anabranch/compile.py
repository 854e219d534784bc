"""The way of a program, on one page: text -> graph -> facts -> logical plan -> run.

    graph = load("program.py")        # lang/, api/: every operator with its line in the text
    plan = plan_for(graph, options)   # analysis/, plan/logical/: what may be parallel, and why not
    execute(plan, options)            # engine/: the sequential program's output, in its order
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
from anabranch.plan.logical.rules import RULES, Rule, rewrite, rules_named
from anabranch.runtime.ends.binding import with_ends
from anabranch.runtime.options import RunOptions


def load(path: Path | str, parameters: Mapping[str, str] | None = None,
         options: Mapping[str, object] | None = None) -> Graph:
    """The graph of a program file; its extension decides the language.

    `options` has what the language itself declares, such as the times of inputs.
    """
    path = Path(path)
    return language_of(path).load(path, parameters or {}, options or {})


def plan_for(graph: Graph, options: RunOptions) -> Plan:
    """The plan for a run with these options: its sources and sinks are where they say, and the
    rules are those that they name."""
    ends = with_ends(graph, options.inputs, options.outputs)
    return compile_graph(ends, rules_named(options.rules))


def compile_graph(graph: Graph, rules: tuple[Rule, ...] = RULES) -> Plan:
    """The plan of a graph: the same on every engine, whatever the degree of parallelism. The rules
    rewrite it in their order, which changes the plan and never the output."""
    program, facts_of = by_arrival(verify(graph)), partial(analyse, findings=Findings())
    rewritten = rewrite(program, facts_of, rules)
    return replace(form(rewritten, facts_of(rewritten)), program=program)
