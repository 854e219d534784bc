"""Effects: what a function writes, reads, asks for, or calls besides computing its outputs."""

from __future__ import annotations

import datetime
import functools
import itertools
import json
import logging
import math
import os
import random
import re
import statistics
import sys
import threading
import time
import uuid
from collections import defaultdict

import pytest

from anabranch.analysis.effects.purity import purity
from anabranch.analysis.fact import EffectKind
from anabranch.ir.aggregates import Aggregate
from anabranch.ir.function import Function
from anabranch.ir.operators import Apply, Map, Routine
from anabranch.ir.records import Record
from anabranch.ir.types import INT, RecordOf
from anabranch.ir.windows import AggregateWindow, Window
from analysis.support import ENTRY, Balance, Out, compiled, function, single

WRITES, READS, IO = EffectKind.WRITES, EffectKind.READS_SHARED, EffectKind.IO
RANDOM, CLOCK, UNRESOLVED = EffectKind.RANDOM, EffectKind.CLOCK, EffectKind.UNRESOLVED


def helper(x):
    return x * 2


def noisy(x):
    print(x)
    return x


def remember(x, kept):
    kept.append(x)
    return x


def recursive(n):
    return 1 if n < 2 else n * recursive(n - 1)


class Scorer:
    def __init__(self):
        self.calls = 0

    def pure(self, x):
        return x, 1

    def counting(self, x):
        self.calls += 1
        return x


SCOPE = {"math": math, "random": random, "time": time, "os": os, "sys": sys, "re": re,
         "json": json, "datetime": datetime, "statistics": statistics, "uuid": uuid,
         "functools": functools, "itertools": itertools, "helper": helper, "noisy": noisy,
         "remember": remember, "recursive": recursive, "log": logging.getLogger("x"),
         "scorer": Scorer(), "counter": itertools.count(), "LIMIT": 3, "NAMES": ("a", "b"),
         "rng": random.Random(1), "lock": threading.Lock()}


def effects(text: str, **scope) -> list[tuple[EffectKind, str]]:
    names = {**SCOPE, "seen": [], "cache": {}, "groups": defaultdict(list), **scope}
    found = purity(*_map(function(text, names)))
    return [(e.kind, e.name) for e in found.value]


def _map(f: Function):
    graph = single(Map(f))
    return graph, graph["op"]


def kinds(text: str, **scope) -> set[EffectKind]:
    return {kind for kind, _ in effects(text, **scope)}


@pytest.mark.parametrize("text", [
    "f = lambda t: t.amount * 2",
    "f = lambda t: Out(t.uid, math.sqrt(t.amount))",
    "f = lambda t: t.replace(name=t.name.strip().lower())",
    "f = lambda t: sorted(t.tags, key=lambda w: w.lower())",
    "f = lambda t: sorted(t.tags, key=str.lower)",
    "f = lambda t: max(t.tags, key=len)",
    "f = lambda t: list(map(str.upper, t.tags))",
    "f = lambda t: [w for w in t.tags if w in NAMES]",
    "f = lambda t: t.amount > LIMIT",
    "f = lambda t: helper(t.uid)",
    "f = lambda t: recursive(t.uid)",
    "f = lambda t: re.sub('a', 'b', t.name)",
    "f = lambda t: json.dumps({'uid': t.uid})",
    "f = lambda t: statistics.mean([t.amount, 1.0])",
    "f = lambda t: datetime.datetime(2020, 1, 1)",
    "f = lambda t: functools.reduce(lambda a, b: a + b, t.tags)",
    "f = lambda t: f'{t.name}: {t.amount:.2f}'",
    "def f(t):\n    out = []\n    for w in t.tags:\n        out.append(w)\n    return out",
    "def f(t):\n    d = {}\n    d[t.uid] = d.get(t.uid, 0) + 1\n    return d",
    "def f(t):\n    words = list(t.tags)\n    words.append('x')\n    return words",
    "def f(t):\n    words = t.tags[:]\n    words += ['x']\n    return words",
    "def f(t):\n    words = t.tags + ['y']\n    words.sort()\n    return words",
    "def f(t):\n    import math\n    return math.floor(t.amount)",
    "def f(t):\n    def g(x):\n        return x + 1\n    return g(t.uid)",
    "def f(t):\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    g()\n    return n",
    "def f(t):\n    if t.uid < 0: raise ValueError(t.name)\n    return t",
    "def f(t):\n    total = t.amount\n    total += 1\n    return total",
    "def f(t, k=3):\n    return t.uid + k",
    "def f(t):\n    try:\n        return int(t.name)\n    except ValueError:\n        return 0",
    "f = lambda t: scorer_free(t.uid)",
])
def test_functions_that_only_compute(text):
    assert effects(text, scorer_free=lambda x: x + 1) == []


@pytest.mark.parametrize(("text", "expected"), [
    ("def f(t):\n    seen.append(t)\n    return t", (WRITES, "seen")),
    ("def f(t):\n    cache[t.uid] = t\n    return t", (WRITES, "cache")),
    ("def f(t):\n    cache.setdefault(t.uid, []).append(t)\n    return t", (WRITES, "cache")),
    ("def f(t):\n    del cache[t.uid]\n    return t", (WRITES, "cache")),
    ("def f(t):\n    global total\n    total = t.uid\n    return t", (WRITES, "total")),
    ("def f(t):\n    global LIMIT\n    LIMIT += 1\n    return t", (WRITES, "LIMIT")),
    ("def f(t):\n    a = seen\n    a.append(t)\n    return t", (WRITES, "seen")),
    ("def f(t):\n    a = {'s': seen}\n    a['s'].append(t)\n    return t", (WRITES, "seen")),
    ("def f(t):\n    for x in [seen]:\n        x.append(t)\n    return t", (WRITES, "seen")),
    ("def f(t):\n    a = seen\n    a += [t]\n    return t", (WRITES, "seen")),
    ("def f(t):\n    remember(t, seen)\n    return t", (WRITES, "seen")),
    ("def f(t):\n    (lambda x: seen.append(x))(t)\n    return t", (WRITES, "seen")),
    ("def f(t):\n    [seen.append(w) for w in t.tags]\n    return t", (WRITES, "seen")),
    ("def f(t):\n    list(map(seen.append, t.tags))\n    return t", (WRITES, "seen")),
    ("def f(t):\n    t.tags.append('x')\n    return t", (WRITES, "t")),
    ("def f(t):\n    tags = t.tags\n    tags.sort()\n    return t", (WRITES, "t")),
    ("def f(t):\n    remember('x', t.tags)\n    return t", (WRITES, "t")),
    ("def f(t, kept=[]):\n    kept.append(t)\n    return t", (WRITES, "kept")),
    ("def f(t):\n    return next(counter)", (WRITES, "counter")),
    ("def f(t):\n    return groups[t.uid]", (WRITES, "groups")),
    ("def f(t):\n    return scorer.counting(t.uid)", (WRITES, "scorer")),
    ("def f(t):\n    sys.limit = t.uid\n    return t", (WRITES, "sys.limit")),
    ("f = lambda t: seen.append(t) or t", (WRITES, "seen")),
    ("f = lambda t: print(t)", (IO, "print")),
    ("f = lambda t: open(t.name)", (IO, "open")),
    ("f = lambda t: noisy(t.uid)", (IO, "print")),
    ("f = lambda t: os.getcwd()", (IO, "os.getcwd")),
    ("f = lambda t: log.info(t.name)", (IO, "log.info")),
    ("f = lambda t: sys.stdout.write(t.name)", (IO, "sys.stdout")),
    ("f = lambda t: list(map(print, t.tags))", (IO, "print")),
    ("f = lambda t: sorted(t.tags, key=noisy)", (IO, "print")),
    ("f = lambda t: random.random()", (RANDOM, "random.random")),
    ("f = lambda t: random.choice(t.tags)", (RANDOM, "random.choice")),
    ("f = lambda t: rng.random()", (RANDOM, "rng.random")),
    ("f = lambda t: uuid.uuid4()", (RANDOM, "uuid.uuid4")),
    ("f = lambda t: hash(t.name)", (RANDOM, "hash")),
    ("f = lambda t: time.time()", (CLOCK, "time.time")),
    ("f = lambda t: datetime.datetime.now()", (CLOCK, "datetime.datetime.now")),
    ("f = lambda t: datetime.date.today()", (CLOCK, "datetime.date.today")),
    ("f = lambda t: nowhere(t)", (UNRESOLVED, "nowhere")),
    ("f = lambda t: eval(t.name)", (UNRESOLVED, "eval")),
    ("f = lambda t: unsourced(t)", (UNRESOLVED, "<lambda>")),
    ("def f(t, g=len):\n    return unsourced(g)", (UNRESOLVED, "<lambda>")),
    ("def f(t):\n    with lock:\n        return t", (UNRESOLVED, "lock")),
    ("def f(t):\n    import not_imported_before\n    return t",
     (UNRESOLVED, "not_imported_before")),
])
def test_functions_that_do_more(text, expected):
    assert expected in effects(text, unsourced=eval("lambda t: t"))


@pytest.mark.parametrize(("text", "expected"), [
    ("f = lambda t: t.uid in seen", [(READS, "seen")]),
    ("f = lambda t: cache.get(t.uid, 0)", [(READS, "cache")]),
    ("f = lambda t: [w for w in seen if w]", [(READS, "seen")]),
    ("f = lambda t: scorer.pure(t.uid)", [(READS, "scorer")]),
])
def test_reading_what_is_shared_is_only_noted(text, expected):
    assert effects(text) == expected


def test_a_number_that_some_function_reassigns_is_shared():
    names = compiled("""
        level = 1
        def f(t):
            return t.uid + level
        def g(t):
            global level
            level = t.uid
    """)
    assert [e.kind for e in purity(*_map(Function.of(names["f"]))).value] == [READS]


def test_nonlocal_of_an_enclosing_function():
    def outer():
        n = 0

        def f(t):
            nonlocal n
            n += 1
            return t
        return f
    [write] = [e for e in purity(*_map(Function.of(outer()))).value if e.kind is WRITES]
    assert write.reason == "assigns the enclosing variable `n`"


def test_closure_objects():
    kept: list = []
    [effect] = [e for e in purity(*_map(Function.of(lambda t: kept.append(t)))).value
                if e.kind is WRITES]
    assert effect.reason == "appends to the enclosing list `kept`"


def test_methods_see_the_object_they_are_bound_to():
    counted = purity(*_map(Function.of(Scorer().counting)))
    assert (WRITES, "self") in [(e.kind, e.name) for e in counted.value]
    assert purity(*_map(Function.of(Scorer().pure))).value == ()


def test_reason_and_span_are_those_of_the_expression():
    fact = purity(*_map(function("def f(t):\n    seen.append(t)\n    return t", {"seen": []})))
    assert fact.reason == "appends to the global list `seen`"
    assert (fact.span.line, fact.span.column, fact.span.end_column) == (2, 4, 8)


def test_a_function_without_source_is_unresolved_and_raises_nothing():
    [effect] = purity(*_map(Function.of(eval("lambda t: t")))).value
    assert effect.kind is UNRESOLVED
    assert effect.reason.startswith("its source cannot be found")


def apply_effects(text: str, at_end: str | None = None, **scope) -> list[tuple[EffectKind, str]]:
    names = {"seen": [], **scope}
    end = function(at_end, names) if at_end else None
    kind = Apply(function(text, names), Balance, ("uid",), end)
    graph = single(kind, [ENTRY])
    return [(e.kind, e.name) for e in purity(graph, graph["op"]).value]


@pytest.mark.parametrize("text", [
    "def f(s, t):\n    s.total += t.amount\n    yield Out(t.uid, s.total)",
    "def f(s, t):\n    s.names.append(t.name)\n    yield len(s.names)",
    "def f(s, t):\n    s.names.append(t.name)\n    yield list(s.names)",
    "def f(s, t):\n    s.names.append(t.name)\n    yield s.names[:]",
    "def f(s, t):\n    s.names.append(t.name)\n    yield sorted(s.names)",
    "def f(s, t):\n    s.names.append(t.name)\n    yield s.names[-1]",
    "def f(s, t):\n    s.names = [*s.names, t.name]\n    yield s.names",
    "def f(s, t):\n    s.by_name[t.name] = s.by_name.get(t.name, 0) + 1\n    yield t",
    "def f(s, t):\n    s.by_name.setdefault(t.uid, []).append(t.uid)\n    yield t",
    "def f(s, t):\n    if s.last is not None: yield s.last\n    s.last = t",
    "def f(s, t):\n    s.last = t.tags\n    yield t",
    "def f(s, t):\n    s.names.extend(t.tags)\n    s.names.pop()\n    yield t",
])
def test_the_state_may_be_changed(text):
    assert apply_effects(text) == []


@pytest.mark.parametrize(("text", "expected"), [
    ("def f(s, t):\n    s.names.append(t.name)\n    yield s.names", (WRITES, "state.names")),
    ("def f(s, t):\n    s.names.append(t.name)\n    yield [s.names]", (WRITES, "state.names")),
    ("def f(s, t):\n    n = s.names\n    n.append(t.name)\n    yield n", (WRITES, "state.names")),
    ("def f(s, t):\n    n = []\n    s.names = n\n    n.append(1)\n    yield s.names",
     (WRITES, "state.names")),
    ("def f(s, t):\n    s.last = s.names\n    s.last.append(1)\n    yield s.names",
     (WRITES, "state.names")),
    ("def f(s, t):\n    s.total += 1\n    yield s", (WRITES, "state")),
    ("def f(s, t):\n    s.last = t.tags\n    s.last.append('x')\n    yield 1", (WRITES, "t")),
    ("def f(s, t):\n    t.tags.append('x')\n    yield 1", (WRITES, "t")),
    ("def f(s, t):\n    seen.append(s)\n    yield 1", (WRITES, "seen")),
])
def test_state_and_input_that_escape(text, expected):
    assert expected in apply_effects(text)


def test_at_the_end_nothing_can_change_any_more():
    text = "def f(s, t):\n    s.names.append(t.name)\n    yield t"
    assert apply_effects(text, "def f(s):\n    yield s.names") == []
    assert apply_effects(text, "def f(s):\n    print(s)\n    yield 1") == [(IO, "print")]


def test_methods_of_states_and_records_are_followed():
    class Point(Record):
        x: int

        def twice(self):
            return self.x * 2

        @property
        def loud(self):
            print(self.x)
            return self.x

    def look(text):
        graph = single(Map(function(text)), [RecordOf(Point)])
        return [e.kind for e in purity(graph, graph["op"]).value]
    assert look("f = lambda p: p.twice()") == []
    assert look("f = lambda p: p.loud") == [IO]


def test_own_aggregates_are_looked_at():
    log: list = []

    class Loud(Aggregate):
        total: float = 0.0

        def add(self, value):
            log.append(value)
            self.total += value

        def result(self) -> float:
            return self.total

    class Quiet(Loud):
        def add(self, value):
            self.total += value

    def kind(fold):
        window = Window(2, 2)
        return AggregateWindow(window, ("uid",), (("total", fold.of("amount")),), Out, ("uid",))
    loud, quiet = single(kind(Loud)), single(kind(Quiet))
    assert [e.name for e in purity(loud, loud["op"]).value if e.kind is WRITES] == ["log"]
    assert purity(quiet, quiet["op"]).value == ()


def test_routines_own_their_variables():
    good = "def f(item, port, n):\n    return [[item]], [n + 1]"
    bad = "def f(item, port, kept):\n    kept.append(item)\n    return [[kept]], [kept]"
    fine = "def f(item, port, kept):\n    kept.append(item)\n    return [[item]], [kept]"
    found = {}
    for name, text in {"good": good, "bad": bad, "fine": fine}.items():
        graph = single(Routine(function(text), 1, (0,)), [INT])
        found[name] = [e.kind for e in purity(graph, graph["op"]).value]
    assert found == {"good": [], "bad": [WRITES], "fine": []}


def test_a_list_of_the_input_that_is_changed_at_the_end_may_be_shared():
    keeps = "def f(s, t):\n    s.names = t.tags\n    yield t.uid"
    assert apply_effects(keeps, "def f(s):\n    yield len(s.names)") == []
    changes = "def f(s):\n    s.names.append('x')\n    yield len(s.names)"
    assert apply_effects(keeps, changes) == [(WRITES, "t")]
