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
from typing import TYPE_CHECKING

from anabranch.core.lazy import Lazy
from anabranch.ir.graph import Graph
from anabranch.ir.verify import verify
from anabranch.lang.registry import language_of
from anabranch.plan.logical.arrival import by_arrival
from anabranch.plan.logical.plan import LatePlan, Plan
from anabranch.plan.logical.whole import whole_of
from anabranch.runtime.ends.binding import with_ends
from anabranch.runtime.options import RunOptions

if TYPE_CHECKING:
    from anabranch.plan.logical.rules import Rule

facts = Lazy("anabranch.analysis.facts.summary")
regions, rewriting = Lazy("anabranch.plan.logical.regions"), Lazy("anabranch.plan.logical.rules")


def load(path: Path | str, parameters: Mapping[str, str] | None = None,
         options: Mapping[str, object] | None = None) -> Graph:
    """The graph of a program file; its extension decides the language.

    `options` has what the language itself declares, such as the times of inputs.
    """
    path = Path(path)
    return language_of(path).load(path, parameters or {}, options or {})


def plan_for(graph: Graph, options: RunOptions) -> Plan | LatePlan:
    """The plan for a run with these options: its sources and sinks are where they say, and the
    rules are those that they name. The sequential engine runs the program as it is written, and
    there it is made only if something of it is asked for."""
    graph = with_ends(graph, options.inputs, options.outputs)
    told = options.rules is not None or any(op.annotations for op in graph)
    if options.engine != "sequential" or told or whole_of(graph) is not None:
        return compile_graph(graph, rewriting.rules_named(options.rules))
    return LatePlan(by_arrival(verify(graph)), lambda: compile_graph(graph))


def compile_graph(graph: Graph, rules: tuple[Rule, ...] | None = None) -> Plan:
    """The plan of a graph: the same on every engine, whatever the degree of parallelism. The rules,
    or all of them, rewrite it in their order, which changes the plan and never the output."""
    program = by_arrival(verify(graph))
    analyse = partial(facts.analyse, findings=facts.Findings())
    rewritten = rewriting.rewrite(program, analyse, rewriting.RULES if rules is None else rules)
    return replace(regions.form(rewritten, analyse(rewritten)), program=program)
