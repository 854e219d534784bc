"""Random operator bodies: what the analyses say must hold for what the functions really do.

A body may raise; then the run ends there, and nothing is claimed about it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.analysis.fact import (
    EXACTLY_ONE,
    EffectKind,
    Fact,
    Forwarding,
    Interval,
    OperatorFacts,
)
from anabranch.analysis.facts.summary import analyse
from anabranch.analysis.typing.inference import infer_yields
from anabranch.core.errors import ProgramError
from anabranch.ir.function import Function
from anabranch.ir.operators import FlatMap
from anabranch.ir.records import Record
from anabranch.ir.types import RecordOf, accepts
from analysis.support import compiled, single


class Item(Record):
    k: int
    v: int
    tags: list[int]


SAMPLES = [Item(k, v, list(range(n))) for k in (0, 1, 3) for v in (-1, 2, 5) for n in (0, 2)]

attributes = st.sampled_from(["t.k", "t.v", "u.k", "x", "y", "len(t.tags)"])
numbers = st.one_of(attributes, st.sampled_from(["0", "1", "2"]),
                    st.builds("{} + {}".format, attributes, attributes))
conditions = st.builds("{} {} {}".format, attributes, st.sampled_from(["<", "==", ">"]),
                       st.sampled_from(["0", "1", "2"]))
items = st.one_of(
    st.sampled_from(["t", "u", "t if t.k else u"]),
    st.builds("Item({}, {}, t.tags)".format, numbers, numbers),
    st.builds("Item(v={}, k={}, tags=[])".format, numbers, numbers),
    st.builds("t.replace(v={})".format, numbers), st.builds("u._replace(k={})".format, numbers),
    st.builds("t.replace(k={}, v={})".format, numbers, numbers))
simple = st.one_of(
    st.builds("yield {}".format, items),
    st.builds("yield {}".format, items),
    st.builds("x = {}".format, numbers), st.builds("y = {}".format, numbers),
    st.builds("u = {}".format, items), st.builds("t = {}".format, items),
    st.builds("yield from ({}, {})".format, items, items),
    st.builds("yield from [{} for x in (1, 2) if {}]".format, items, conditions),
    st.builds("y = (x := {})".format, numbers),
    st.builds("({}) and (yield {})".format, conditions, items),
    st.sampled_from(["return", "raise ValueError", "SEEN.append(t.v)", "x = len(SEEN)",
                     "t.tags.append(7)", "w = t.tags; w.append(8)", "w = list(t.tags); w.append(9)",
                     "del x", "y += 1", "SEEN[0] += 1", "remember(t.v)", "x = double(t.v)",
                     "x = next(COUNTER)"]))
loop_ends = st.sampled_from(["break", "continue", "if t.k: break", "if x: continue"])


def indented(block: list[str]) -> str:
    return "\n".join("    " + line for part in block for line in part.split("\n"))


def compound(block):
    looped = st.tuples(block, loop_ends).map(lambda b: [*b[0], b[1]])
    headed = st.one_of(
        st.tuples(st.builds("if {}:".format, conditions), block),
        st.tuples(st.sampled_from(["for x in (1, 2):", "for y in t.tags[:3]:", "for x in range(3):",
                                   "for x in range(t.k):", "for t in [t, u]:",
                                   "with suppress(ValueError):"]), block),
        st.tuples(st.sampled_from(["for x in 'ab':", "for y in t.tags[:3]:",
                                   "while (n := n + 1) < 4:"]), looped))
    simply = headed.map(lambda b: f"{b[0]}\n{indented(b[1])}")
    return st.one_of(
        simply,
        st.tuples(conditions, block, block).map(
            lambda b: f"if {b[0]}:\n{indented(b[1])}\nelse:\n{indented(b[2])}"),
        st.tuples(block, block).map(
            lambda b: f"try:\n{indented(b[0])}\nexcept ValueError:\n{indented(b[1])}"),
        st.tuples(block, block).map(
            lambda b: f"try:\n{indented(b[0])}\nfinally:\n{indented(b[1])}"),
        st.tuples(block, block).map(
            lambda b: f"match t.k:\n    case 0:\n{indented([indented(b[0])])}\n"
                      f"    case x:\n{indented([indented(b[1])])}"),
        st.tuples(block, block).map(
            lambda b: f"for x in (1, 2):\n{indented(b[0])}\nelse:\n{indented(b[1])}"))


blocks = st.recursive(st.lists(simple, min_size=1, max_size=3),
                      lambda inner: st.lists(st.one_of(simple, compound(inner)), min_size=1,
                                             max_size=4), max_leaves=8)


@dataclass(frozen=True)
class Subject:
    """A function from a generated body, with the shared things that it may touch."""

    text: str
    scope: dict

    @staticmethod
    def of(block: list[str]) -> Subject:
        body = indented(["x = 1", "n = 0", "u = t", *block, "if t.k > 100: yield t"])
        text = ("from contextlib import suppress\nfrom itertools import count\n"
                "SEEN = [0]\nCOUNTER = count()\n"
                "def remember(v):\n    SEEN.append(v)\n"
                "def double(v):\n    return v * 2\n"
                f"def f(t):\n{body}\n")
        return Subject(text, compiled(text, {"Item": Item}))

    @property
    def facts(self) -> OperatorFacts:
        return analyse(single(FlatMap(Function.of(self.scope["f"])), [RecordOf(Item)]))["op"]

    def fire(self, item: Item) -> list | None:
        """The outputs; None when the function raises."""
        try:
            return list(self.scope["f"](item))
        except Exception:
            return None


def subject_of(block: list[str]) -> Subject | None:
    try:
        return Subject.of(block)
    except SyntaxError:
        return None


def contradictions(subject: Subject, facts: OperatorFacts) -> list[str]:
    """What the facts say and the function does not do."""
    found = []
    for item in SAMPLES:
        given = copy.deepcopy(item)
        out = subject.fire(given)
        if out is None:
            continue
        found += _counts(facts.selectivity.value, out)
        found += [f"{o} is not forwarded" for o in out
                  if not _forwards(facts.forwarding[0].value, given, o)]
        if facts.purity.value == () and (given != item or subject.fire(copy.deepcopy(item)) != out
                                         or subject.scope["SEEN"] != [0]):
            found.append("it is not pure")
    return found


def _counts(interval: Interval, out: list) -> list[str]:
    low, high = interval.low, interval.high
    return [] if low <= len(out) and (high is None or len(out) <= high) else [f"{len(out)} outputs"]


def _forwards(forwarding: Forwarding, item: Item, out: Item) -> bool:
    if forwarding.everything:
        return out is item
    return all(getattr(out, o) == getattr(item, i) for o, i in forwarding.pairs)


often = settings(max_examples=150, deadline=None)


@often
@given(blocks)
def test_facts_hold(block):
    subject = subject_of(block)
    if subject is not None:
        assert contradictions(subject, subject.facts) == [], subject.text


@often
@given(blocks)
def test_inferred_types_hold(block):
    subject = subject_of(block)
    if subject is None:
        return
    try:
        found = infer_yields(Function.of(subject.scope["f"]), [RecordOf(Item)])
    except ProgramError:
        return
    for item in SAMPLES:
        for out in subject.fire(copy.deepcopy(item)) or []:
            assert accepts(found, RecordOf(type(out))), subject.text


MUTANTS = {
    "always one output": (["yield t", "yield t"], lambda f: OperatorFacts(
        f.state, Fact(EXACTLY_ONE, "mutant"), f.forwarding, f.purity, f.ordered)),
    "everything forwarded": (["yield t.replace(v=9)"], lambda f: OperatorFacts(
        f.state, f.selectivity, (Fact(Forwarding(everything=True), "mutant"),), f.purity,
        f.ordered)),
    "all attributes copied": (["yield t.replace(v=9)"], lambda f: OperatorFacts(
        f.state, f.selectivity, (Fact(Forwarding((("v", "v"),)), "mutant"),), f.purity,
        f.ordered)),
    "always pure": (["SEEN.append(t.v)", "yield t"], lambda f: OperatorFacts(
        f.state, f.selectivity, f.forwarding, Fact((), "mutant"), f.ordered)),
    "input never changed": (["t.tags.append(7)", "yield t"], lambda f: OperatorFacts(
        f.state, f.selectivity, f.forwarding, Fact((), "mutant"), f.ordered)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_analysis_is_caught(name):
    block, mutate = MUTANTS[name]
    subject = Subject.of(block)
    assert contradictions(subject, mutate(subject.facts)) != []
    again = Subject.of(block)
    assert contradictions(again, again.facts) == []


def test_the_generator_reaches_pure_and_impure_bodies():
    assert Subject.of(["yield t"]).facts.purity.value == ()
    effects = Subject.of(["remember(t.v)", "yield t"]).facts.purity.value
    assert EffectKind.WRITES in {e.kind for e in effects}
