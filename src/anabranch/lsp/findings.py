"""What is found in a program: its problems, and what was proved, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from anabranch.api.node import Node, graph_of
from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span
from anabranch.explain import words
from anabranch.io.python.objects import ListSink
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Sink
from anabranch.lsp.problems import Diagnosis, Severity, place, problem_of
from anabranch.lsp.recovery import compiled
from anabranch.lsp.statements import PartialProgram, is_program, seen
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.physical.plan import StageTier

Json = dict[str, object]

TIERS = {"native": "compiled", "columns": "over whole columns", "rows": "row by row"}


def findings(path: Path, text: str, seconds: float) -> Iterator[Json]:
    """All that is found in the program of this text, as plain data: first what is wrong, then also
    what is proved, which takes longer."""
    if path.suffix != ".py":
        whole = compiled(path, text)
        graph, problems = whole.graph, whole.problems
    elif is_program(text):
        program = seen(path, text, seconds)
        problems = program.problems
        graph = _graph(program, str(path))
    else:
        yield {"problems": [], "operators": [], "hints": []}
        return
    yield {"problems": [each.as_json() for each in problems], "operators": [], "hints": [],
           "more": True}
    operators = _operators(graph, str(path), problems) if graph is not None else []
    yield {"problems": [each.as_json() for each in problems], "operators": operators,
           "hints": list(hints(operators))}


def _graph(program: PartialProgram, file: str) -> Graph | None:
    """The graph of what was made, as far as the program goes: streams may still have no sink."""
    live = [n for n in program.nodes if all(n in i.readers for i, _ in n.inputs)]
    sinks = [n for n in live if isinstance(n.kind, Sink)]
    loose = [(n, port) for n in live if not isinstance(n.kind, Sink)
             for port in range(len(n.types)) if not _is_read(n, port)]
    if not live:
        return None
    if not sinks and not program.problems:
        program.problems.append(Diagnosis(
            "nothing is written: end a stream with write_csv(...), write_stdout(), ...",
            live[-1].span if live[-1].span.file == file else Span(file, 1), Severity.INFORMATION))
    ends = [Node("unread", Sink(ListSink([])), [end], (), end[0].span) for end in loose]
    return graph_of([*sinks, *ends])


def _is_read(node: Node, port: int) -> bool:
    return any((node, port) in reader.inputs for reader in node.readers)


def _operators(graph: Graph, file: str, problems: list[Diagnosis]) -> list[Json]:
    try:
        plan = compile_graph(graph)
    except AnabranchError as error:
        problems.append(problem_of(error, file))
        return []
    tiers = _tiers(plan)
    return [each for op in plan.graph
            if (each := _operator(plan, op, tiers.get(op.name), file)) is not None]


def _tiers(plan: Plan) -> dict[str, StageTier]:
    """How the multicore engine would run the stages, where their inputs are known."""
    from anabranch.engine.run import explained
    from anabranch.runtime.options import RunOptions

    # It is told in passing: what is wrong with a run is not wrong with the text.
    with suppress(Exception):
        execution = explained(plan, RunOptions("multicore"))
        return {name: stage for stage in execution.stages for name in stage.operators}
    return {}


def _operator(plan: Plan, op: Operator, tier: StageTier | None, file: str) -> Json | None:
    own = [f.span for f in op.kind.functions if f.span is not None and f.span.file == file]
    if op.name == "unread" or op.name.startswith("unread_"):
        return None
    if (op.span is None or op.span.file != file) and not own:
        return None
    reason = None if op.name in plan.fissed else plan.sequential.get(op.name)
    inner = not (op.is_source or op.is_sink)
    return {"name": op.name, "kind": op.kind.label,
            "span": place(op.span) if op.span and op.span.file == file else None,
            "functions": [place(span) for span in own],
            "mark": mark(plan, op) if inner else None, "parallel": reason is None,
            "hover": list(_said(plan, op, tier)),
            "why": _why(reason, op, file) if inner else None}


def hints(operators: list[Json]) -> Iterator[Json]:
    """One for each place that has operators, and one for each line that keeps one sequential."""
    places: dict[tuple, list[Json]] = {}
    for op in operators:
        if op["mark"] and op["span"]:
            span = op["span"]
            places.setdefault((span["end_line"], span["end_column"]), []).append(op)
    for (line, column), there in places.items():
        about = "\n\n".join("  \n".join(op["hover"]) for op in there)
        yield {"line": line, "column": column, "text": together(there), "about": about}
    for why in {str(op["why"]): op["why"] for op in operators if op["why"]}.values():
        span = why["span"]
        yield {"line": span["line"], "column": None, "text": f"↑ {why['text']}", "about": ""}


def together(there: list[Json]) -> str:
    """The marks of all operators of one place: several are made of one part of the text."""
    marks = list(dict.fromkeys(op["mark"] for op in there))
    alone = [op for op in there if not op["parallel"]]
    if len(alone) == len(there):
        return f"→ {marks[0]}"
    if not alone:
        return f"∥ {max(marks, key=len)}"
    names = ", ".join(dict.fromkeys(op["name"] for op in alone))
    return f"∥ {max((op['mark'] for op in there if op['parallel']), key=len)}; sequential: {names}"


def mark(plan: Plan, op: Operator) -> str:
    """What stands behind an operator's line: how it runs in parallel, or why not."""
    if op.name in plan.fissed:
        return "parallel, in blocks of firings"
    if (reason := plan.sequential.get(op.name)) is not None and op.name not in plan.synchronized:
        return f"sequential: {reason.text}"
    if op.name in plan.synchronized:
        return "parallel, synchronized"
    state = str(plan.facts[op.name].state.value)
    return "parallel" if state == "stateless" else f"parallel {state}"


def _why(reason: Reason | None, op: Operator, file: str) -> Json | None:
    """The line that keeps an operator sequential, where it is not that of the operator."""
    if reason is None or reason.span is None or reason.span.file != file:
        return None
    if op.span is not None and op.span.line <= reason.span.line <= (
            op.span.end_line or op.span.line):
        return None
    told = reason.text
    return {"span": place(reason.span), "text": f"keeps {op.name} sequential: {told}"}


def _said(plan: Plan, op: Operator, tier: StageTier | None) -> Iterable[str]:
    facts, region = plan.facts[op.name], plan.region_of(op.name)
    yield f"**{op.name}** ({words.kind(op)}){_types(plan, op)}"
    if op.is_source or op.is_sink:
        yield words.place(plan, op)
    if region is not None:
        yield (f"runs in parallel{_by(region.key)}, in region {region.index + 1}; "
               f"order: {region.ordering}")
    if (reason := plan.sequential.get(op.name)) is not None:
        yield f"sequential: {reason.text}"
    if op.is_source or op.is_sink:
        return
    yield f"state: {facts.state.value} ({facts.state.reason})"
    yield f"outputs for an input: {counted(facts.selectivity.value)} ({facts.selectivity.reason})"
    yield f"forwards: {' / '.join(dict.fromkeys(str(f.value) for f in facts.forwarding))}"
    if facts.purity.value:
        yield f"not only computing: {'; '.join(e.reason for e in facts.purity.value[:3])}"
    if tier is not None:
        why = f": {tier.reason.text}" if tier.reason else ""
        yield f"on all cores: {TIERS.get(tier.tier, tier.tier)}{why}"


def _by(key: tuple[str, ...]) -> str:
    return f", partitioned by {', '.join(key)}" if key else ""


def _types(plan: Plan, op: Operator) -> str:
    given = " & ".join(map(str, plan.graph.input_types(op)))
    made = " & ".join(map(str, plan.graph.output_types(op)))
    return f": `{given} → {made}`" if given and made else f": `{given or made}`"


def counted(outputs: object) -> str:
    """A selectivity in words.

    >>> from anabranch.analysis.fact import Interval
    >>> counted(Interval(0, 1)), counted(Interval(1, 1)), counted(Interval(0, None))
    ('at most one', 'exactly one', 'unbounded')
    """
    return {"<= 1": "at most one", "= 1": "exactly one"}.get(str(outputs), str(outputs))
