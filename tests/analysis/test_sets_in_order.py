"""The order of a set of texts differs from run to run: who lets it be seen is not pure."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.analysis.effects.purity import purity
from anabranch.analysis.fact import EffectKind
from anabranch.ir.operators import Map
from anabranch.ir.types import RecordOf
from analysis.support import function, single


class Post(ab.Record):
    words: list[str]
    numbers: list[int]


class Seen(ab.State):
    words: set[str] = set()


def effects(body: str, **scope):
    graph = single(Map(function(f"def f(p):\n    {body}\n", scope)), [RecordOf(Post)])
    return purity(graph, graph["op"]).value


SHOWN = ["return list(set(p.words))", "return [w for w in set(p.words)]",
         "return ','.join({w.lower() for w in p.words})", "return [*set(p.words)]",
         "return set(p.words).pop()",
         "return max(set(p.words), key=len)", "return sorted(set(p.words), key=len)",
         "return list(set(p.words) | {'a'})",
         "return {w: 1 for w in frozenset(p.words)}",
         "s = set()\n    for w in p.words:\n        s.add(w)\n    return [w for w in s]",
         "return [w for w in set(p.words).union(['a'])]",
         # NaN is hashed by where it lies, and has no place in an order; 0.0 is -0.0.
         "return list({n / 3 for n in p.numbers})", "return max({n / 3 for n in p.numbers})",
         "return sorted(float(w) for w in set(p.words))",
         "return min(float(w) for w in set(p.words))",
         "return max([(float(w), 1) for w in set(p.words)])",
         "return max(w == 'a' or len(w) for w in set(p.words))"]
HIDDEN = ["return sorted(set(p.words))", "return len(set(p.words))", "return 'a' in set(p.words)",
          "return [n for n in set(p.numbers)]", "return sum(len(w) for w in set(p.words))",
          "return any(w for w in set(p.words))", "return max(set(p.words))",
          "return sorted(w.lower() for w in set(p.words))", "return [w for w in p.words]",
          "return {w.lower() for w in set(p.words)} == {'a'}",
          "return sorted((len(w), w) for w in set(p.words))",
          "return max(len(w) for w in set(p.words))", "return sorted([[w] for w in set(p.words)])",
          "return max(w < 'b' for w in set(p.words))", "return max([n / 3 for n in p.numbers])"]


@pytest.mark.parametrize("body", SHOWN)
def test_order_that_can_be_seen(body):
    found = effects(body)
    assert [e.kind for e in found] == [EffectKind.RANDOM]
    assert "a set, whose order differs from run to run" in found[0].reason


@pytest.mark.parametrize("body", HIDDEN)
def test_order_that_cannot_be_seen(body):
    assert effects(body) == ()


@pytest.mark.parametrize("body, kinds", [
    ("return hash(p.numbers[0])", []), ("return hash(p.numbers[0] / 2)", [EffectKind.RANDOM])])
def test_hashes(body, kinds):
    assert [e.kind for e in effects(body)] == kinds


def test_a_set_in_the_state():
    @ab.operator
    def new(state: Seen, p: Post):
        state.words |= set(p.words)
        yield from state.words
    graph = ab.from_iterable([], Post).apply(new).graph()
    assert EffectKind.RANDOM in {e.kind for e in purity(graph, graph["new"]).value}
