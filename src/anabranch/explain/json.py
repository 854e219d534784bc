"""A plan as plain data, for other programs. Keys are stable; new ones may be added.

    version     of this layout, 1
    summary     {operators, parallel, regions}: counts; sources and sinks are not counted
    operators   in the graph's order: {name, kind, inputs, outputs, span, state, selectivity,
                forwarding, effects, ordered, region, blocks, loop, group, sequential}
    regions     {index, operators, key, selectivity, ordering, ended}; indices count from 0
    execution   {engine, tier, reads, writes, whole, stages: [{operators, tier, reason, span,
                arrival, work, tasks}]}, when an engine was asked about; a tier is native, columns
                or rows, several together mixed; that of sinks says who writes them: parts or
                driver; `tasks` is how many there are at most, where an engine has tasks
    stream      what is to be known of the program as a stream, when that was asked for: a list of
                {operator, note, span}
    joints      {kind, at, port, left, right, routing, ordering}; left and right are regions.
                Both are of the logical plan: `execution` has what an engine makes of them
    tables      what the program's language adds, if it does, by title: a list of {column: text}

Every fact is {value keys..., reason, declared, span}; `forwarding` has one for each input port.
A span is {file, line, column}, both counted from 1, or null. `sequential` is {reason, span}, or
null for an operator in a region, or one whose firings are shared in `blocks`. `high` null means
that no bound is known.
"""

from __future__ import annotations

from anabranch.analysis.fact import Fact, Interval, OperatorFacts
from anabranch.core.source import Span
from anabranch.explain.tables import stream_notes, tables
from anabranch.explain.words import counts
from anabranch.ir.graph import Operator
from anabranch.plan.logical.plan import Joint, Plan, Region
from anabranch.plan.physical.plan import Execution, StageTier

VERSION = 1


def to_json(plan: Plan, execution: Execution | None = None, stream: bool = False) -> dict:
    """The plan as dictionaries, lists, strings, numbers and null."""
    how = {"execution": execution_as_json(execution)} if execution else {}
    if stream:
        how["stream"] = [{"operator": note.operator, "note": note.text, "span": _span(note.span)}
                         for note in stream_notes(plan)]
    return how | {
        "version": VERSION,
        "summary": dict(zip(("operators", "parallel", "regions"), counts(plan), strict=True)),
        "operators": [_operator(plan, op) for op in plan.graph],
        "regions": [_region(r) for r in plan.regions],
        "joints": [_joint(j) for j in plan.joints],
        **_tables(plan),
    }


def _tables(plan: Plan) -> dict:
    told = {title: [dict(zip(columns, row, strict=True)) for row in rows]
            for title, columns, rows in tables(plan)}
    return {"tables": told} if told else {}


def execution_as_json(execution: Execution) -> dict:
    return {"engine": execution.engine, "tier": execution.tier,
            "reads": dict(execution.reads), "writes": dict(execution.writes),
            "threads": dict(execution.threads),
            "unordered": sorted(execution.unordered),
            "stages": [_stage(stage) for stage in execution.stages],
            "whole": execution.whole or None}


def _stage(stage: StageTier) -> dict:
    reason = stage.reason
    return {"operators": list(stage.operators), "tier": stage.tier,
            "reason": reason.text if reason else None,
            "span": _span(reason.span) if reason else None, "work": stage.work or None,
            "arrival": stage.arrival or None, "tasks": stage.tasks}


def _operator(plan: Plan, op: Operator) -> dict:
    region, fissed = plan.region_of(op.name), op.name in plan.fissed
    reason = None if fissed else plan.sequential.get(op.name)
    return {
        "name": op.name, "kind": op.kind.label,
        "inputs": list(op.inputs), "outputs": list(op.outputs), "span": _span(op.span),
        **_facts(plan.facts[op.name]),
        "region": region.index if region else None,
        "blocks": fissed,
        "loop": op.name in plan.graph.looping,
        "group": plan.groups.get(op.name),
        "sequential": {"reason": reason.text, "span": _span(reason.span)} if reason else None,
    }


def _facts(facts: OperatorFacts) -> dict:
    state = facts.state.value
    effects = [{"kind": e.kind.value, "name": e.name, "reason": e.reason, "span": _span(e.span)}
               for e in facts.purity.value]
    return {
        "state": _fact(facts.state, kind=state.kind.value, keys=[list(k) for k in state.keys]),
        "selectivity": _fact(facts.selectivity, **_interval(facts.selectivity.value)),
        "forwarding": [_fact(f, everything=f.value.everything, attributes=dict(f.value.pairs))
                       for f in facts.forwarding],
        "effects": _fact(facts.purity, pure=not effects, list=effects),
        "ordered": _fact(facts.ordered, value=facts.ordered.value),
    }


def _fact(fact: Fact, **value: object) -> dict:
    return value | {"reason": fact.reason, "declared": fact.declared, "span": _span(fact.span)}


def _region(region: Region) -> dict:
    return {"index": region.index, "operators": list(region.operators), "key": list(region.key),
            "selectivity": _interval(region.selectivity), "ordering": str(region.ordering),
            "ended": region.ended}


def _joint(joint: Joint) -> dict:
    routing = joint.routing
    kind = None if routing is None else "hash" if routing.key else "round-robin"
    return {"kind": joint.kind.value, "at": joint.at, "port": joint.port,
            "left": joint.left, "right": joint.right,
            "routing": {"kind": kind, "key": list(routing.key)} if routing else None,
            "ordering": str(joint.ordering)}


def _interval(interval: Interval) -> dict:
    return {"low": interval.low, "high": interval.high}


def _span(span: Span | None) -> dict | None:
    if span is None:
        return None
    return {"file": span.shown_file, "line": span.line, "column": span.column + 1}
