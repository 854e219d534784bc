"""Forwarding: attributes that come through unchanged, on every path."""

from __future__ import annotations

import pytest

from anabranch.ir.aggregates import Any, First, Max, Sum
from anabranch.ir.function import Function
from anabranch.ir.operators import Apply, Barrier, Filter, FlatMap, Map, Routine, Split, Union
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, RecordOf
from anabranch.ir.windows import AggregateWindow, Keep, Window, WindowJoin
from analysis.support import ENTRY, Balance, Out, compiled, facts, function


def forwarded(kind, inputs=None, outputs=None) -> list[str]:
    return [str(f.value) for f in facts(kind, inputs, outputs).forwarding]


@pytest.mark.parametrize(("text", "expected"), [
    ("f = lambda t: t", "all"),
    ("f = lambda t: Out(t.uid, t.amount)", "uid, total=amount"),
    ("f = lambda t: Out(total=1.0, uid=t.uid)", "uid"),
    ("f = lambda t: Out(t.uid + 1, t.amount)", "total=amount"),
    ("f = lambda t: Renamed(t.uid, t.name)", "user=uid, name"),
    ("f = lambda t: t.replace(uid=1)", "ts, name, amount, tags, note"),
    ("f = lambda t: t._replace(uid=1, name='x')", "ts, amount, tags, note"),
    ("f = lambda t: t.replace(name=t.note)", "ts, uid, amount, tags, note, name=note"),
    ("f = lambda t: t.replace(**{'uid': 1})", "none"),
    ("f = lambda t: t.replace(uid=1).replace(ts=2.0)", "name, amount, tags, note"),
    ("f = lambda t: t if t.uid else t.replace(uid=1)", "ts, name, amount, tags, note"),
    ("f = lambda t: Out(t.uid, 1.0) if t.uid else Out(t.uid, t.amount)", "uid"),
    ("f = lambda t: Out(t.uid if t.ts else t.uid, 1.0)", "uid"),
    ("f = lambda t: Out(t.uid, 1.0) if t.uid else None", "none"),
    ("f = lambda t: Out(*t[:2])", "none"),
    ("f = lambda t: Entry(*t)", "ts, uid, name, amount, tags, note"),
    ("f = lambda t: Out(*t)", "uid=ts, total=uid"),
    ("f = lambda t: t.uid", "none"),
    ("f = lambda t: Out(uid=(x := t.uid), total=x)", "uid, total=uid"),
    ("f = lambda t: [Out(t.uid, 1.0) for t in [t]][0]", "none"),
    ("def f(t):\n    uid = t.uid\n    return Out(uid, 1.0)", "uid"),
    ("def f(t):\n    uid = t.uid\n    uid = 3\n    return Out(uid, 1.0)", "none"),
    ("def f(t):\n    uid = t.uid\n    uid += 3\n    return Out(uid, 1.0)", "none"),
    ("def f(t):\n    uid = t.uid\n    for uid in t.tags: pass\n    return Out(uid, 1.0)", "none"),
    ("def f(t):\n    u = t.replace(uid=1)\n    return Out(u.uid, u.amount)", "total=amount"),
    ("def f(t):\n    t = t.replace(uid=1)\n    return t", "none"),
    ("def f(t):\n    for t in [t]: pass\n    return t", "none"),
    ("def f(t):\n    if (t := make(t)): return t\n    return t", "none"),
    ("def f(t):\n    if t.uid: return t\n    return Out(t.uid, t.amount)", "uid"),
    ("def f(t):\n    if t.uid: return t", "none"),
    ("def f(t):\n    def g():\n        nonlocal t\n        t = 1\n    g()\n    return t", "none"),
    ("def f(t):\n    def g(t):\n        return t\n    return t", "none"),
    ("def f(t):\n    def g():\n        return 3\n    return t", "all"),
    ("def f(t):\n    x = x if t.uid else t.uid\n    return Out(x, 1.0)", "none"),
    ("def f(t):\n    Out = make\n    return Out(t.uid, 1.0)", "none"),
    ("def f(t):\n    try:\n        return t\n    finally:\n        return Out(t.uid, 1.0)", "uid"),
])
def test_maps(text, expected):
    assert forwarded(Map(function(text))) == [expected]


@pytest.mark.parametrize(("text", "expected"), [
    ("def f(t):\n    yield t", "all"),
    ("def f(t):\n    yield t\n    yield Out(t.uid, 1.0)", "uid"),
    ("def f(t):\n    yield Out(t.uid, 1.0)\n    yield 3", "none"),
    ("def f(t):\n    for w in t.tags: yield Out(t.uid, len(w))", "uid"),
    ("def f(t):\n    yield from [t, t.replace(uid=2)]", "ts, name, amount, tags, note"),
    ("def f(t):\n    yield from t.tags", "none"),
    ("def f(t):\n    def g():\n        yield 3\n    yield t", "all"),
    ("f = lambda t: [t]", "all"),
    ("f = lambda t: [] if t.uid else [t]", "all"),
    ("f = lambda t: [Out(t.uid, len(w)) for w in t.tags]", "uid"),
    ("f = lambda t: [t for t in t.tags]", "none"),
    ("f = lambda t: [t] + [t.replace(uid=1)]", "ts, name, amount, tags, note"),
    ("f = lambda t: t.tags", "none"),
])
def test_flat_maps(text, expected):
    assert forwarded(FlatMap(function(text))) == [expected]


def test_a_record_with_its_own_constructor_or_replace_is_not_followed():
    class Shifted(Record):
        uid: int

        def replace(self, **changes):
            return Shifted(self.uid + 1)

    class Doubled(Record):
        uid: int

        def __new__(cls, uid):
            return super().__new__(cls, uid * 2)
    shifted = function("f = lambda t: t.replace()")
    assert forwarded(Map(shifted), [RecordOf(Shifted)]) == ["none"]
    doubled = function("f = lambda t: Doubled(t.uid)", {"Doubled": Doubled})
    assert forwarded(Map(doubled)) == ["none"]


def test_items_of_unknown_type_may_only_be_read():
    read = function("f = lambda t: Out(t.uid, 1.0)")
    changed = function("def f(t):\n    t.uid += 1\n    return Out(t.uid, 1.0)")
    assert forwarded(Map(read), [ANY]) == ["uid"]
    assert forwarded(Map(changed), [ANY]) == ["none"]


def test_state_operators():
    text = "def f(s, t):\n    s.total += t.amount\n    yield Out(t.uid, s.total)"
    assert forwarded(Apply(function(text), Balance, ("uid",))) == ["uid"]
    end = function("def f(s):\n    yield Out(0, s.total)")
    assert forwarded(Apply(function(text), Balance, ("uid",), end)) == ["none"]


def test_kinds_that_pass_items_on():
    yes = function("f = lambda t: True")
    assert forwarded(Filter(yes)) == ["all"]
    assert forwarded(Split((yes,)), None, [ENTRY, ENTRY]) == ["all"]
    assert forwarded(Union(2), [ENTRY, ENTRY]) == ["all", "all"]
    assert forwarded(Union(2, "ts"), [ENTRY, ENTRY]) == ["none", "none"]


def test_a_barrier_forwards_nothing():
    kind = Barrier(2, function("f = lambda a, b: Out(a.uid, b.amount)"))
    assert forwarded(kind, [ENTRY, ENTRY]) == ["none", "none"]


def test_a_window_forwards_its_key_and_nothing_else():
    calls = (("who", Any.of("uid")), ("one", First.of("uid")), ("some", Any.of("name")),
             ("most", Max.of("uid")), ("total", Sum.of("amount")))
    kind = AggregateWindow(Window(3, 3), ("uid",), calls, Out, ("uid",))
    assert forwarded(kind) == ["uid, who=uid, one=uid"]
    by_float = AggregateWindow(Window(3, 3), ("amount",), (), Out, ("amount",))
    assert forwarded(by_float) == ["none"]


def join(text: str, keys=("uid",), right=("uid",), outer=False) -> list[str]:
    kind = WindowJoin(keys, right, (Keep(1), Keep(1)), function(text), outer)
    return forwarded(kind, [ENTRY, ENTRY])


@pytest.mark.parametrize(("text", "expected"), [
    ("f = lambda a, b: Out(a.uid, a.amount)", ["uid, total=amount", "uid"]),
    ("f = lambda a, b: Out(b.uid, a.amount)", ["uid, total=amount", "uid"]),
    ("f = lambda a, b: Out(a.uid, b.amount)", ["uid", "uid, total=amount"]),
    ("f = lambda a, b: Out(a.uid, a.amount + b.amount)", ["uid", "uid"]),
    ("f = lambda a, b: a", ["all", "uid"]),
    ("f = lambda a, b: a if b is None else b", ["uid", "uid"]),
    ("def f(a, b):\n    if b is None: return Out(a.uid, 0.0)\n    return Out(b.uid, 1.0)",
     ["uid", "uid"]),
    ("f = lambda a, b: (a, b)", ["none", "none"]),
])
def test_joins(text, expected):
    assert join(text) == expected


def test_float_keys_of_a_join_are_equal_but_not_the_same():
    assert join("f = lambda a, b: Out(1, a.amount)", ("amount",), ("amount",)) == \
        ["total=amount", "none"]


def test_routines():
    text = "def f(item, port):\n    return [[item], [item]], []"
    assert forwarded(Routine(function(text)), [ENTRY], [ENTRY, ENTRY]) == ["all"]
    names = compiled("def f(item, port):\n    return ([[Out(item.uid, 1.0)]], [])")
    assert forwarded(Routine(Function.of(names["f"])), [ENTRY, ENTRY]) == ["uid", "uid"]
    assert forwarded(Routine(function("def f(i, p):\n    return g(i)")), [ENTRY]) == ["none"]


def test_without_source_nothing_is_forwarded():
    fact = facts(Map(Function.of(eval("lambda t: t")))).forwarding[0]
    assert str(fact.value) == "none"
    assert fact.reason.startswith("its source cannot be found")


def test_the_reason_points_at_the_output_that_is_no_copy():
    fact = facts(Map(function("def f(t):\n    if t.uid: return t\n    return 3"))).forwarding[0]
    assert fact.reason == "an output copies no attribute of the input"
    assert (fact.span.line, fact.span.column) == (3, 11)


