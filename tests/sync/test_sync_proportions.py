"""Who is slower gets less of what any worker may take; all of it is taken once, in order."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.engine.multicore.slices import Rows, Slice
from anabranch.engine.multicore.synchronization.posted import Posted
from anabranch.sync.messages import Done, Events
from anabranch.sync.plan import Shard, Tree, leaf
from anabranch.sync.proportions import Proportions, turns
from anabranch.sync.routing import Router, by_calling

WEIGHTS = st.lists(st.floats(0.25, 4.0), min_size=1, max_size=9).map(tuple)
TREE = Tree(frozenset({Shard("sync")}), (leaf(Shard("value", 0)), Tree(frozenset(), (
    leaf(Shard("value", 1), Shard("single")), leaf(Shard("value", 2))))))


@given(WEIGHTS)
@settings(max_examples=60, deadline=None)
def test_any_events_in_a_row_are_dealt_out_as_the_weights_say(weights):
    order = turns(weights)
    shares = np.bincount(order, minlength=len(weights)) / len(order)
    assert np.allclose(shares, np.array(weights) / sum(weights), atol=1 / 16)
    for many in range(0, len(order), 7):
        counts = np.bincount(order[:many], minlength=len(weights))
        assert np.all(np.abs(counts - shares * many) <= len(weights) / 2 + 1)


@given(st.lists(st.sampled_from(["value"] * 5 + ["single", "sync"]), max_size=60),
       st.lists(st.floats(0.25, 4.0), min_size=5, max_size=5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_each_event_comes_once_to_one_who_may_take_it(tags, weights, in_arrays):
    def tagged(items):
        found = by_calling(lambda item: item)(items)
        return {tag: np.array(at) for tag, at in found.items()} if in_arrays else found
    router, takers, seen = Router(TREE, tagged), {}, Counter()
    for to, message in router.routed(100, tags, tuple(weights)):
        if isinstance(message, Events):
            stamps = [int(stamp) for stamp in message.run.stamps]
            assert stamps == sorted(stamps)
            takers.update(dict.fromkeys(stamps, to))
            seen.update(stamps)
    assert seen == Counter(range(100, 100 + len(tags)))
    allowed = {"sync": {0}, "single": {3}, "value": {1, 3, 4}}
    assert all(to in allowed[tags[stamp - 100]] for stamp, to in takers.items())


@given(st.lists(st.floats(1.0, 3.0), min_size=2, max_size=8), st.floats(0.0, 0.3))
@settings(max_examples=60, deadline=None)
def test_after_some_slices_all_take_about_as_long(costs, alone):
    """The first one has also events that only it may take; weights come two slices late."""
    proportions, dealt = Proportions(len(costs)), []
    for _ in range(40):
        dealt.append(proportions.weights)
        weights = dealt[max(0, len(dealt) - 3)]
        taken = [cost * weight / sum(weights) for cost, weight in zip(costs, weights)]
        taken[0] += alone * costs[0] / len(costs)
        proportions.learn(weights, dict(enumerate(taken)))
    assert max(taken) < 1.1 * min(taken)


def test_a_slice_that_says_little_changes_nothing():
    proportions = Proportions(2)
    proportions.learn(proportions.weights, {0: 0.001, 1: 0.0001})
    proportions.learn(proportions.weights, {0: 5.0})
    assert proportions.weights == (1.0, 1.0)


class Gang:
    """Two workers below a third, of which the last is three times as slow as the other."""

    def __init__(self, hear):
        self.hear, self.shares = hear, []

    def post(self, messages):
        runs = {to: message for to, message in messages if isinstance(message, Events)}
        self.shares.append({to: len(message.run) for to, message in runs.items()})
        for worker in range(3):
            until = max((message.until for message in runs.values()), default=0)
            size = self.shares[-1].get(worker, 0)
            self.hear(Done(worker, [], until, None, [(until - 1, size * (1e-3, 1e-3, 3e-3)[worker])]
                           if size else []))


def test_a_slow_worker_gets_less_of_the_next_slices():
    tree = Tree(frozenset({Shard("sync")}), (leaf(Shard("value", 0)), leaf(Shard("value", 1))))
    plan = SimpleNamespace(tree=lambda: tree, tagged=by_calling(lambda item: "value"),
                           program=None)
    left: list = []
    posted = Posted(lambda program, tree, hear: Gang(hear), plan, None,
                    lambda *given: left.append(given), fail=lambda error: left.append(error))
    for number in range(4):
        posted.take(Slice(number, None, {}, 400), Rows(range(400), None, list(range(400))), False)
    first, *_, last = posted.gang.shares[1:]
    assert (first[1], first[2]) == (200, 200) and (last[1], last[2]) == (300, 100)
    assert [slice_.number for slice_, _, _ in left] == list(range(4))
