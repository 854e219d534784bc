"""The drawing of a plan: its text, its regions, joints and loops, and nothing of a user's text as
markup."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph, load
from anabranch.explain import explain
from anabranch.explain.picture.plans import as_written, planned, trees
from anabranch.explain.picture.style import DARK, LIGHT
from anabranch.ir.graph import Annotation
from anabranch.plan.logical.plan import Reason
from anabranch.plan.physical.plan import Execution, StageTier
from random_programs import STEPS, Item, build

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert('x')</script>&amp;\x00"


class Total(ab.State):
    value: int = 0


@ab.operator(by="k")
def total(state: Total, t: Item):
    state.value += t.v
    yield t.replace(v=state.value)


def numbers() -> ab.Stream:
    return ab.from_iterable([Item(1, 2, 3)], Item, name="numbers")


def plan_of(stream: ab.Stream):
    return compile_graph(stream.graph())


def texts(drawing: str) -> list[str]:
    return [text.text for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def titles(drawing: str) -> list[str]:
    return [title.text or "" for title in ElementTree.fromstring(drawing).iter(f"{SVG}title")]


def test_the_drawing_of_an_example(golden, monkeypatch):
    monkeypatch.chdir(ROOT)
    golden("pictures/balances.svg", explain(compile_graph(load("examples/balances.py")), "svg"))


def test_state_joints_and_regions_are_written_on_it():
    shown = texts(explain(plan_of(numbers().filter(lambda t: t.v > 1).apply(total)), "svg"))
    for text in ("numbers", "filter", "total", "state by k", "merge", "order: sequence numbers",
                 "sequential"):
        assert any(text in line for line in shown), text
    assert sum(line.startswith("region ") for line in shown) == 2


def test_the_reasons_are_on_hover_and_on_the_cards():
    plan = plan_of(numbers().filter(lambda t: t.v > 1))
    drawing = explain(plan, "svg")
    reason = plan.sequential["collected"].text
    assert any(reason in title for title in titles(drawing))
    assert reason in " ".join(texts(drawing))


def test_the_tier_of_each_stage_is_told_with_its_reason():
    plan = plan_of(numbers().filter(lambda t: t.v > 1))
    execution = Execution("multicore", "rows", (
        StageTier(("filter",), "rows", Reason("too few rows")),))
    drawing = explain(plan, "svg", execution=execution)
    assert "stage 1: rows" in texts(drawing)
    assert any("not faster: too few rows" in title for title in titles(drawing))


def test_a_loop_is_drawn_as_a_link_that_goes_back():
    def body(stream):
        again = stream.map(lambda t: t.replace(v=t.v - 1)).filter(lambda t: t.v > 0)
        return stream, again

    drawing = explain(plan_of(numbers().loop(body)), "svg")
    assert len(re.findall('class="edge back"', drawing)) == 1
    assert any("\u21ba" in line for line in texts(drawing))


@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=8))
@settings(deadline=None, max_examples=30)
def test_every_operator_and_every_queue_is_in_the_scene(steps):
    plan = plan_of(build(steps, [Item(1, 2, 3)]))
    for graph, scene in ((plan.graph, planned(plan)), (plan.program, as_written(plan.program))):
        assert [box.name for box in scene.boxes if isinstance(box.name, str)] == \
            [op.name for op in graph]
        assert sorted(_ways(scene)) == sorted((graph.writer(q.name).name, reader.name)
                                              for q in graph.queues
                                              for reader in graph.readers(q.name))
        ElementTree.fromstring(explain(plan, "svg"))


def _ways(scene):
    """From operator to operator, past the joints."""
    behind: dict = {}
    for edge in scene.edges:
        behind.setdefault(edge.tail, []).append(edge.head)
    for edge in scene.edges:
        if isinstance(edge.tail, str):
            ends = [edge.head] if isinstance(edge.head, str) else behind[edge.head]
            yield from ((edge.tail, end) for end in ends)


@pytest.mark.parametrize("format", ["svg", "html"])
def test_nothing_of_the_users_text_becomes_markup(format):
    plan = plan_of(numbers().map(lambda t: t, name=HOSTILE).filter(lambda t: True, name="<b>"))
    page = explain(plan, format)
    assert "<script" not in page and "<b>" not in page and "\x00" not in page
    assert "&lt;/text&gt;&lt;script&gt;alert(&#x27;x&#x27;)" in page


def test_long_names_are_cut_on_the_box_and_whole_in_the_notes():
    name = "a_very_long_name_" * 5
    drawing = explain(plan_of(numbers().filter(lambda t: True, name=name)), "svg")
    assert name not in texts(drawing)
    assert any(title.startswith(f"{name}: filter") for title in titles(drawing))


def test_a_synchronization_plan_is_a_tree(monkeypatch):
    monkeypatch.chdir(ROOT)
    plan = compile_graph(load("examples/synchronization/event_windows.py"))
    [tree] = trees(plan)
    assert len(tree.edges) == len(tree.boxes) - 1
    assert any("barrier" in line.text for line in tree.boxes[0].lines)
    assert "Synchronization plan of window_sum" in explain(plan, "html")


def test_the_page_shows_the_program_before_and_after():
    graph = numbers().map(lambda t: t.replace(v=1)).map(lambda t: t.replace(l=1)).graph()
    together = Annotation("Fuse", ("one",))
    plan = compile_graph(graph.with_operators(
        op if op.is_source or op.is_sink else replace(op, annotations=(together,)) for op in graph))
    page = explain(plan, "html")
    assert "Before the rewrites: the program as written" in page
    assert "fused from" in page
    assert page.count("<svg") == 2


def test_the_page_is_self_contained_and_its_links_lead_somewhere(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = explain(compile_graph(load("examples/balances.py")), "html")
    assert re.findall(r"<(script|link|img|iframe)", page) == []
    outside = [a for a in re.findall(r'(?:href|src)="([^"]*)"', page) if not a.startswith("#")]
    assert outside == [] and "url(" not in page and "@import" not in page
    identities = re.findall(r' id="([^"]*)"', page)
    assert len(identities) == len(set(identities))
    assert {a[1:] for a in re.findall(r'href="(#[^"]*)"', page)} <= set(identities)


def test_a_notebook_shows_streams_and_explanations(capsys):
    stream = numbers().filter(lambda t: t.v > 1)
    explanation = stream.explain()
    assert capsys.readouterr().out.startswith("1 of 1 operator can run in parallel")
    one, other = stream._repr_html_(), explanation._repr_html_()
    assert "<svg" in one and "<svg" in other
    assert not set(re.findall(r' id="([^"]*)"', one)) & set(re.findall(r' id="([^"]*)"', other))
    assert repr(explanation).startswith("<Explanation: ")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_have_contrast(colours):
    on = {"ink": ("paper", "box", "pill"), "quiet": ("paper", "box", "pill"),
          "region": ("frame", "box"), "joint": ("pill",), "sequential": ("box",)}
    for text, grounds in on.items():
        for ground in grounds:
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
