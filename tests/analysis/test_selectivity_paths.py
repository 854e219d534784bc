"""Selectivity from the source: yields along paths, sizes of returned lists."""

from __future__ import annotations

import pytest

from anabranch.analysis.output_count import outputs
from anabranch.analysis.syntax import syntax_of
from anabranch.ir.operators import FlatMap
from analysis.support import facts, function


def count(text: str) -> str:
    return str(outputs(syntax_of(function(text).call)))


def body(text: str) -> str:
    lines = "\n".join(f"    {line}" for line in text.split("\n"))
    return count(f"def f(t):\n{lines}")


@pytest.mark.parametrize(("text", "expected"), [
    ("yield t", "= 1"),
    ("yield t\nyield t", "= 2"),
    ("if t.uid: yield t", "<= 1"),
    ("if t.uid:\n    yield t\nelse:\n    yield 1", "= 1"),
    ("if t.uid:\n    yield t\n    return\nyield 1\nyield 2", "1..2"),
    ("if t.uid: return\nyield t", "<= 1"),
    ("return\nyield t", "= 0"),
    ("raise ValueError\nyield t", "= 0"),
    ("if t.uid: raise ValueError\nyield t", "= 1"),
    ("for x in t.tags: yield x", "unbounded"),
    ("for x in (1, 2, 3): yield x", "= 3"),
    ("for x in range(4): yield x", "= 4"),
    ("for x in range(2, 10, 3): yield x", "= 3"),
    ("for x in range(t.uid): yield x", "unbounded"),
    ("for x in (1, 2):\n    if t.uid: break\n    yield x", "<= 2"),
    ("for x in (1, 2):\n    yield x\n    if t.uid: break", "1..2"),
    ("for x in (1, 2):\n    yield x\n    break", "= 1"),
    ("for x in (1, 2):\n    if t.uid: continue\n    yield x", "<= 2"),
    ("for x in (1, 2):\n    if t.uid: return\n    yield x\nyield 3", "<= 3"),
    ("for x in (1, 2):\n    for y in 'ab': yield y", "= 4"),
    ("for x in (1, 2): pass\nelse:\n    yield 1", "= 1"),
    ("for x in t.tags:\n    yield x\n    break", "<= 1"),
    ("for x in t.tags:\n    if x: return\nyield t", "<= 1"),
    ("while t.uid: yield t", "unbounded"),
    ("while True:\n    yield t\n    break", "= 1"),
    ("while True:\n    if t.uid: return\n    yield t", "unbounded"),
    ("yield from (t, t)", "= 2"),
    ("yield from ()", "= 0"),
    ("yield from t.tags", "unbounded"),
    ("yield from [t] if t.uid else [t, t]", "1..2"),
    ("yield from [t, *t.tags]", ">= 1"),
    ("x = yield t", "= 1"),
    ("t.uid and (yield t)", "<= 1"),
    ("(yield t) if t.uid else None", "<= 1"),
    ("f((yield t), (yield t))", "= 2"),
    ("def g():\n    yield t\n    yield t\nyield t", "= 1"),
    ("g = lambda: (yield t)\nyield t", "= 1"),
    ("match t.uid:\n    case 1: yield t\n    case 2: pass", "<= 1"),
    ("match t.uid:\n    case 1: yield t\n    case _: yield t", "= 1"),
    ("match t.uid:\n    case 1: yield t\n    case _ if t.ts: yield t", "<= 1"),
    ("with t.lock: yield t", "<= 1"),
    ("assert t.uid\nyield t", "= 1"),
])
def test_yields(text, expected):
    assert body(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("try:\n    yield t\nexcept ValueError:\n    yield t", "1..2"),
    ("try:\n    x = int(t.name)\nexcept ValueError:\n    return\nyield x", "<= 1"),
    ("try:\n    yield t\n    yield t\nexcept ValueError:\n    pass", "<= 2"),
    ("try:\n    yield t\nfinally:\n    yield t", "= 2"),
    ("try:\n    yield t\n    g()\nfinally:\n    return", "<= 1"),
    ("try:\n    x = 1\nexcept ValueError:\n    pass\nelse:\n    yield t", "<= 1"),
    ("try:\n    if t.uid: raise KeyError\n    yield t\nexcept KeyError:\n    yield t", "1..2"),
    ("for x in (1, 2):\n    try:\n        yield x\n    except ValueError:\n        break", "<= 2"),
])
def test_exceptions_that_are_caught(text, expected):
    assert body(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("f = lambda t: [t]", "= 1"),
    ("f = lambda t: []", "= 0"),
    ("f = lambda t: [t] if t.uid else []", "<= 1"),
    ("f = lambda t: (t, t)", "= 2"),
    ("f = lambda t: {t, t}", "1..2"),
    ("f = lambda t: 'abc'", "= 3"),
    ("f = lambda t: t.tags", "unbounded"),
    ("f = lambda t: [x for x in t.tags]", "unbounded"),
    ("f = lambda t: [x for x in (1, 2)]", "= 2"),
    ("f = lambda t: [x for x in (1, 2) if x > t.uid]", "<= 2"),
    ("f = lambda t: [x + y for x in (1, 2) for y in (1, 2, 3)]", "= 6"),
    ("f = lambda t: (x for x in range(2))", "= 2"),
    ("f = lambda t: [t] + [t]", "= 2"),
    ("f = lambda t: t.name.split()", "unbounded"),
    ("def f(t):\n    if t.uid: return [t]\n    return ()", "<= 1"),
    ("def f(t):\n    out = []\n    return out", "unbounded"),
])
def test_sizes_of_what_is_returned(text, expected):
    assert count(text) == expected


def test_a_range_that_is_not_pythons_bounds_nothing():
    text = "def f(t):\n    for x in range(2): yield x"
    syntax = syntax_of(function(text, {"range": lambda n: [0] * 99}).call)
    assert str(outputs(syntax)) == "unbounded"


def test_the_reason_points_at_the_yield_in_the_loop():
    fact = facts(FlatMap(function("def f(t):\n    for x in t.tags:\n        yield x"))).selectivity
    assert fact.reason == "yields in a loop"
    assert (fact.span.line, fact.span.column, fact.span.end_column) == (3, 8, 15)
