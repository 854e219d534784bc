"""The explanation is aligned, fits the console, and says what the plan says."""

from __future__ import annotations

import io
import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from anabranch.analysis.fact import EXACTLY_ONE, Fact, Forwarding
from anabranch.core.errors import UsageError
from anabranch.explain import explain
from anabranch.explain.pipeline import drawn
from anabranch.ir.function import Function
from anabranch.ir.graph import Builder, Operator
from anabranch.ir.operators import Map, Sink, Source, Union
from anabranch.ir.types import ANY
from anabranch.plan.logical.plan import Joint, JointKind, Ordering, Plan, Region, Routing

EXAMPLES = Path(__file__).parents[2] / "examples"
IDENTITY = Map(Function.of(lambda t: t))


def plain(plan: Plan, width: int = 100) -> str:
    return explain(plan, console=Console(width=width, file=io.StringIO()))


def lines_of(plan: Plan, region: int = 0) -> list[str]:
    return ["".join(word.text for word in line) for line in drawn(plan, plan.regions[region])]


def test_the_whole_explanation(monitor):
    assert plain(monitor).split("\n") == [
        "2 of 3 operators can run in parallel, in 1 region",
        "",
        "  from  entries  no data yet: --input entries=PATH",
        "  to    alerts   standard output                    sequential: writes in order",
        "",
        "operators",
        "  operator  kind    state          selectivity      forwards          region",
        "  clean     filter  stateless      <= 1             all               1",
        "  running   map     by uid         <= 1 (declared)  uid=user          1",
        "  total     map     unpartitioned  = 1              attribute_0, +19  —",
        "",
        "regions of the logical plan (--engine tells what an engine makes of them)",
        "  1  entries → split (hash(uid)) ─ clean → running ─ merge (sequence numbers and pulses) "
        "→ total",
        "     routing: hash(uid); order: sequence numbers and pulses; selectivity <= 1",
        "     ends here: total's state is unpartitioned",
        "",
        "sequential",
        "  total  one state is shared by all of its input  monitor.py:7",
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_console_and_no_word_is_cut(monitor, width):
    text = plain(monitor, width)
    assert max(map(len, text.split("\n"))) <= width
    for word in ("unpartitioned", "(declared)", "uid=user", "monitor.py:7", "pulses"):
        assert word in text


def test_colours_only_on_a_terminal(monitor):
    terminal = Console(width=100, force_terminal=True, file=io.StringIO(), color_system="standard")
    assert "\x1b[" in explain(monitor, console=terminal)
    assert "\x1b[" not in plain(monitor)


def test_other_encodings_get_plain_characters(monitor):
    old = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    explain(monitor, console=Console(width=100, file=old)).encode("ascii")


def test_brackets_are_not_markup(monitor):
    named = dict(monitor.facts["clean"].__dict__)
    named["forwarding"] = (Fact(Forwarding((("[bold]x", "[bold]x"),)), ""),)
    facts = monitor.facts | {"clean": replace(monitor.facts["clean"], **named)}
    assert "[bold]x" in plain(replace(monitor, facts=facts))


def test_an_unknown_format_is_refused(monitor):
    with pytest.raises(UsageError, match="no explain format is called 'jsn'"):
        explain(monitor, "jsn")


def test_without_regions_it_says_so(monitor):
    alone = replace(monitor, regions=(), joints=())
    assert plain(alone).startswith("0 of 3 operators can run in parallel\n")
    assert "regions" not in plain(alone)


def region_plan(builder: Builder, *joints: Joint) -> Plan:
    graph = builder.graph()
    inner = tuple(op.name for op in graph if not (op.is_source or op.is_sink))
    region = Region(1, inner, (), EXACTLY_ONE, Ordering.ROUND_ROBIN)
    return Plan(graph, {}, (region,), joints, {}, {})


def joint(kind: JointKind, at: str) -> Joint:
    begins = kind in (JointKind.SPLIT, JointKind.PARALLEL_SOURCE)
    return Joint(kind, at, None if begins else 1, 1 if begins else None,
                 Routing() if begins else None, Ordering.ROUND_ROBIN)


def test_a_region_that_branches_is_drawn_edge_by_edge():
    b = Builder()
    numbers = b.add("numbers", Source(), (), [ANY])
    start = b.add("start", IDENTITY, numbers, [ANY])
    left, right = b.add("left", IDENTITY, start, [ANY]), b.add("right", IDENTITY, start, [ANY])
    b.add("both", Union(2), (*left, *right), [ANY])
    b.add("out", Sink(), ["both"])
    plan = region_plan(b, joint(JointKind.SPLIT, "numbers"), joint(JointKind.MERGE, "both"))
    assert lines_of(plan) == [
        "numbers → split (round-robin) ─ start → left → both ─ merge (round-robin) → out",
        "start → right → both",
    ]


def test_each_exit_of_an_operator_is_drawn():
    b = Builder()
    numbers = b.add("numbers", Source(), (), [ANY])
    one, two = b.add("parts", IDENTITY, numbers, [ANY, ANY])
    b.add("small", Sink(), [one])
    b.add("large", Sink(), [two])
    plan = region_plan(b, joint(JointKind.SPLIT, "numbers"), joint(JointKind.MERGE, one),
                       joint(JointKind.MERGE, two))
    assert lines_of(plan) == [
        "numbers → split (round-robin) ─ parts ─ merge (round-robin) → small",
        "parts ─ merge (round-robin) → large",
    ]


def test_parallel_ends_need_no_split_and_no_merge():
    b = Builder()
    b.add("out", Sink(), b.add("work", IDENTITY, b.add("logs", Source(), (), [ANY]), [ANY]))
    plan = region_plan(b, joint(JointKind.PARALLEL_SOURCE, "logs"),
                       joint(JointKind.PARALLEL_SINK, "out"))
    whole = replace(plan.regions[0], operators=("logs", "work", "out"))
    assert lines_of(replace(plan, regions=(whole,))) == [
        "parallel source ─ logs → work → out ─ parallel sink"]


def test_a_shuffle_is_drawn_from_both_sides():
    b = Builder()
    first = b.add("first", IDENTITY, b.add("logs", Source(), (), [ANY]), [ANY])
    b.add("out", Sink(), b.add("second", IDENTITY, first, [ANY]))
    shuffle = Joint(JointKind.SHUFFLE, "first", 1, 2, Routing(("uid",)), Ordering.SEQNO)
    plan = region_plan(b, joint(JointKind.SPLIT, "logs"), shuffle,
                       replace(joint(JointKind.MERGE, "second"), left=2))
    regions = (replace(plan.regions[0], operators=("first",)),
               replace(plan.regions[0], index=2, operators=("second",)))
    both = replace(plan, regions=regions)
    assert lines_of(both) == ["logs → split (round-robin) ─ first ─ "
                              "shuffle (hash(uid)) → second"]
    assert lines_of(both, 1) == ["first → shuffle (hash(uid)) ─ second ─ "
                                 "merge (round-robin) → out"]


def test_loops_are_marked(monitor):
    graph = monitor.graph
    back = Operator("back", IDENTITY, ("total",), ("again",))
    fed = [replace(op, inputs=(*op.inputs, "again")) if op.name == "running" else op
           for op in graph]
    looped = graph.with_operators([*fed, back], [replace(graph.queues[0], name="again")])
    facts = monitor.facts | {"back": monitor.facts["total"]}
    text = plain(replace(monitor, graph=looped, facts=facts))
    assert "running ↺" in text
    assert "clean ↺" not in text
    assert "↺ on a feedback loop" in text


def test_a_region_with_a_loop_is_drawn_to_an_end():
    b = Builder()
    numbers = b.add("numbers", Source(), (), [ANY])
    b.add("enter", Union(2), (*numbers, "step"), [ANY])
    b.add("step", IDENTITY, ["enter"], [ANY])
    b.add("out", Sink(), ["step"])
    plan = region_plan(b, joint(JointKind.SPLIT, "numbers"), joint(JointKind.MERGE, "step"))
    assert lines_of(plan) == ["numbers → split (round-robin) ─ enter → step ↺ enter",
                              "step ─ merge (round-robin) → out"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=3), min_size=1, max_size=12))
def test_every_edge_of_any_region_is_drawn_once(wiring):
    """Operator i reads the queues of operators before it (0 is the source), each at most once."""
    b, edges = Builder(), set()
    queues = list(b.add("n0", Source(), (), [ANY]))
    for i, chosen in enumerate(wiring, 1):
        before = sorted({c % i for c in chosen})
        edges |= {(f"n{c}", f"n{i}") for c in before if c}
        queues += b.add(f"n{i}", Union(len(before)), [queues[c] for c in before], [ANY])
    lines = lines_of(region_plan(b, joint(JointKind.SPLIT, "n0")))
    inner = [line.split(" ─ ")[-1].split(" → ") for line in lines]
    drawn_edges = [pair for names in inner for pair in itertools.pairwise(names)]
    assert sorted(drawn_edges) == sorted(edges)
    assert {name for names in inner for name in names} == {f"n{i}" for i in range(1, i + 1)}


@pytest.mark.parametrize("engine, title", [
    ("sequential", "none is parallel here: see below"),
    ("multicore", "how they run: see below")])
def test_strategies_are_told_once_by_the_engine(anabranch, engine, title):
    told = anabranch("explain", str(EXAMPLES / "balances.py"), "--engine", engine).stdout
    before, _, behind = told.partition(f"on the {engine} engine")
    assert f"regions of the logical plan ({title})" in before
    assert not re.search("routing|order:|sequence numbers|hash", before)
    assert ("sequence numbers" in behind) == (engine == "multicore")
