"""Pictures in a browser: the boxes are there, their texts fit, and nothing overlaps."""

from __future__ import annotations

from itertools import combinations

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.explain import explain
from anabranch.explain.picture.shapes import Rect
from explain.chromium import measured
from random_programs import STEPS, Item, build

MEASURE = """
const place = e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; };
const measure = () => [...document.querySelectorAll("section:first-of-type .node")].map(node => ({
  text: [...node.querySelectorAll('text')].map(t => t.textContent),
  box: place(node.querySelector('rect')),
  texts: [...node.querySelectorAll('text')].map(place)}));
"""

COLOURS = """
const measure = () => ({paper: getComputedStyle(document.body).backgroundColor,
  shown: getComputedStyle(document.getElementById('plan-why-1')).outlineStyle,
  hidden: getComputedStyle(document.getElementById('plan-why-0')).outlineStyle,
  link: document.querySelector('.node a').getAttribute('href')});
"""


def many(count: int) -> ab.Stream:
    """A program with so many operators: every kind of step, with fan-out, fan-in and loops."""
    names = sorted(STEPS)
    for length in range(count + 1):
        stream = build([names[i % len(names)] for i in range(length)], [Item(1, 2, 3)])
        if len(stream.graph().operators) >= count:
            return stream
    raise AssertionError("every step adds an operator")


@pytest.mark.parametrize("count", [10, 60])
def test_nothing_overlaps_in_a_browser(count, tmp_path):
    stream = many(count)
    plan = compile_graph(stream.graph())
    nodes = measured(explain(plan, "html"), MEASURE, tmp_path)
    assert len(plan.graph.operators) >= count
    assert {op.name for op in plan.graph} <= {node["text"][0].split(" ")[0] for node in nodes}
    boxes = [Rect(*node["box"]) for node in nodes]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    for node, box in zip(nodes, boxes):
        for text in node["texts"]:
            assert box.contains(Rect(*text)), node["text"]


def test_a_tap_leads_to_the_reasons(tmp_path):
    stream = ab.from_iterable([1], int, name="numbers").filter(lambda n: n > 0)
    page = explain(compile_graph(stream.graph()), "html")
    seen = measured(page, COLOURS, tmp_path, "#plan-why-1")
    assert (seen["shown"], seen["hidden"], seen["link"]) == ("solid", "none", "#plan-why-0")
    assert seen["paper"] == "rgb(255, 255, 255)"


BESIDE = """
const measure = () => {
  const marked = () => [...document.querySelectorAll('.listing .line')].filter(line =>
    getComputedStyle(line).backgroundColor != 'rgba(0, 0, 0, 0)').map(line => line.textContent);
  const before = marked();
  document.querySelector('#plan-box-1 a').focus();
  return {before, marked: marked(), width: document.documentElement.scrollWidth,
    drawing: document.querySelector('.drawing').getBoundingClientRect().right,
    listing: document.querySelector('.listing').getBoundingClientRect().left}; };
"""


def test_the_program_stands_beside_its_drawing_and_an_operator_marks_its_lines(tmp_path):
    stream = ab.from_iterable([1], int, name="numbers").filter(lambda n: n > 73)
    for _ in range(40):
        stream = stream.map(lambda n: n + 1).agg(n=ab.count()).map(lambda r: r.n)
    seen = measured(explain(compile_graph(stream.graph()), "html"), BESIDE, tmp_path)
    assert not seen["before"]
    assert [line.split(".")[-1] for line in seen["marked"]] == ["filter(lambda n: n > 73)"]
    assert seen["width"] <= 1400 and seen["drawing"] <= seen["listing"]


def test_the_page_is_dark_for_those_who_like_it_dark(tmp_path):
    page = explain(compile_graph(ab.from_iterable([1], int).graph()), "html")
    seen = measured(page, COLOURS, tmp_path, flags=["--blink-settings=preferredColorScheme=0"])
    assert seen["paper"] == "rgb(20, 23, 26)"


CARDS = """
const measure = () => [...document.querySelectorAll('.card')].map(card => ({
  shown: getComputedStyle(card).display, width: card.getBoundingClientRect().right,
  room: document.querySelector('svg').getBoundingClientRect().right}));
"""


def test_a_tap_in_a_drawing_of_its_own_shows_a_card(tmp_path):
    stream = ab.from_iterable([1], int, name="numbers").filter(lambda n: n > 0)
    page = f"<body>{explain(compile_graph(stream.graph()), 'svg')}</body>"
    cards = measured(page, CARDS, tmp_path, "#picture-why-1")
    assert [card["shown"] for card in cards[:3]] == ["none", "inline", "none"]
    assert cards[1]["width"] <= cards[1]["room"]
