"""Keyed states: keys that come often are split among workers, in order all the same."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.explain.tables import synchronization
from anabranch.ir.graph import Annotation
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical.stages import Sharing, formed
from anabranch.plan.sync.optimizers import Costs
from anabranch.plan.sync.planning import plan_for
from anabranch.plan.sync.program import HOT, KeyedProgram, hot_keys
from sync.one_thread import run_locally
from sync.test_sync_multicore import in_sequence, outputs, plan_of


class Event(ab.Record):
    ts: int
    kind: str
    page: str


class Page(ab.State):
    info: int = 0
    views: int = 0


class Told(ab.Record):
    ts: int
    page: str
    info: int
    views: int


def make():
    @ab.synchronized(by="page", tag=lambda e: e.kind, depends=lambda a, b: "update" in (a, b))
    def told(page: Page, e: Event):
        if e.kind == "bad":
            raise ValueError("a bad event")
        if e.kind == "update":
            yield Told(e.ts, e.page, page.info, page.views)
            page.info, page.views = e.ts, 0
        else:
            page.views += 1
            yield Told(e.ts, e.page, page.info, -1)

    told.fork(lambda page, left, right: (Page(page.info, page.views), Page(page.info)))
    told.join(lambda one, other: Page(one.info, one.views + other.views))
    return told


def events_of(drawn) -> list[Event]:
    return [Event(n, kind, page) for n, (kind, page) in enumerate(drawn)]


KINDS = st.sampled_from(["view"] * 8 + ["update"])
PAGES = st.sampled_from(["hot"] * 6 + ["warm", "a", "b", "c", "d"])


def sequentially(events: list[Event]) -> list[Told]:
    pages: dict[str, Page] = {}
    call = make().call
    return [out for e in events for out in call(pages.setdefault(e.page, Page()), e)]


def program(workers: int) -> tuple[KeyedProgram, Counter]:
    seen = Counter({("hot", "view"): 90, ("hot", "update"): 2, ("a", "view"): 5})
    return KeyedProgram(make().kind(), hot_keys(seen, workers), 4 * workers), seen


def test_a_hot_key_has_several_workers():
    keyed, seen = program(workers=4)
    tree = plan_for(keyed, seen, 4, Costs(update=1e-3)).tree
    leaves = [node for node in tree.nodes() if any(s.tag[:2] == (HOT, "hot") and s.tag[2] == "view"
                                                   for s in node.shards)]
    assert len(leaves) >= 3


@given(st.lists(st.tuples(KINDS, PAGES), max_size=50), st.integers(2, 4), st.integers(0, 500))
@settings(max_examples=80, deadline=None)
def test_any_delivery_gives_the_sequential_sequence(drawn, workers, seed):
    events = events_of(drawn)
    keyed, seen = program(workers)
    local = KeyedProgram(keyed.kind, *keyed.split)
    # Without a line that knows keys, the update finds the state of its key by itself.
    local.update = lambda pages, e: make().call(pages.setdefault(e.page, Page()), e)
    tree = plan_for(local, seen, workers, Costs(update=1e-3)).tree
    half = len(events) // 2
    outputs, _ = run_locally(local, tree, [events[:half], events[half:]], random.Random(seed))
    assert outputs == sequentially(events)


@given(st.lists(st.tuples(KINDS, PAGES), max_size=50), st.integers(0, 500))
@settings(max_examples=30, deadline=None)
def test_only_the_states_of_split_keys_are_joined_and_forked(drawn, seed):
    keyed, seen = program(workers=3)
    moved: set[str] = set()

    class Noting(KeyedProgram):
        def fork(self, state, left, right):
            moved.update(state)
            return super().fork(state, left, right)
    local = Noting(keyed.kind, *keyed.split)
    local.update = lambda pages, e: make().call(pages.setdefault(e.page, Page()), e)
    tree = plan_for(local, seen, 3, Costs(update=1e-3)).tree
    events = events_of(drawn)
    _, state = run_locally(local, tree, [events], random.Random(seed))
    assert moved <= {"hot"} and set(state) >= {e.page for e in events}


@given(st.lists(st.tuples(st.sampled_from(["view"] * 12 + ["update", "bad"]), PAGES), max_size=80),
       st.integers(1, 40))
@settings(max_examples=12, deadline=None)
def test_the_multicore_engine_gives_the_sequential_outputs_and_error(drawn, slice_size):
    events = events_of(drawn)
    plan = plan_of(ab.from_iterable(events, Event).apply(make()))
    run = partial(multicore.run, workers=2, processes="always", slice_size=slice_size)
    assert outputs(run, plan, events) == outputs(in_sequence, plan, events)


@given(st.integers(0, 9999), st.integers(2, 4), st.integers(5, 60))
@settings(max_examples=12, deadline=None)
def test_keys_that_become_hot_later_keep_the_sequential_sequence(seed, workers, slice_size):
    chance, hot = random.Random(seed), [[], ["hot"], ["a", ("b", 2)]]
    pages = ["hot", "a", ("b", 2), "c", None, 7, 7.0]
    events = [Event(n, "update" if chance.random() < 0.03 else "view",
                    chance.choice([*pages, *(9 * hot[n // 120])])) for n in range(360)]
    plan = plan_of(ab.from_iterable(events, Event).apply(make()))
    run = partial(multicore.run, workers=workers, processes="always", slice_size=slice_size)
    found = outputs(run, plan, events)
    assert found == outputs(in_sequence, plan, events) and len(found[0]) == 360


def test_explain_says_that_keys_which_emit_at_the_end_go_by_buckets():
    rest = make()
    rest.at_end(lambda page: [])
    told = {at_end: next(iter(synchronization(plan_of(ab.from_iterable([], Event).apply(op)))))[2]
            for at_end, op in ((False, make()), (True, rest))}
    assert told[False][0][1].startswith("made when it runs: keys that come often")
    assert [row[1] for row in told[True]] == [
        "none: keys go by buckets, which know the order of what they emit at the end"]


@ab.operator(by="page")
def numbered(page: Page, e: Event):
    page.views += 1
    yield Event(e.ts, "update" if page.views % 11 == 0 else e.kind, e.page)


@ab.operator(by="page")
def doubled(page: Page, t: Told):
    page.views += 1
    for _ in range(page.views % 3):
        yield Told(t.ts, t.page, page.views, t.views)


def among_others(stream: ab.Stream) -> ab.Stream:
    """The operator with stateless and keyed ones before and behind it, all by the same key."""
    told = stream.filter(lambda e: e.ts % 7 != 3).apply(numbered).apply(make())
    return told.filter(lambda t: t.views != 1).apply(doubled).map(lambda t: (t.ts, t.views))


def test_it_is_a_stage_of_its_own_among_others_with_its_key():
    plan = plan_of(among_others(ab.from_iterable([], Event)))
    [region] = [r for r in plan.regions if "told" in r.operators]
    assert region.operators == ("told",) and region.ended == (
        "told is alone, so that its hot keys can be split among the workers of a plan")
    sharing = {stage.name: (stage.sharing, stage.keys) for stage in formed(unfused(plan))}
    keys = (("page",),)
    assert sharing["numbered"] == sharing["filter_2"] == (Sharing.BUCKETS, keys)
    assert sharing["told"] == (Sharing.PLAN, keys)
    [(_, _, rows)] = synchronization(plan)
    assert rows[0][1].startswith("made when it runs: keys that come often")


@given(st.lists(st.tuples(st.sampled_from(["view"] * 40 + ["update", "bad"]), PAGES), max_size=200),
       st.integers(5, 40))
@settings(max_examples=12, deadline=None)
def test_among_others_it_gives_the_sequential_outputs_and_error(drawn, slice_size):
    events = events_of(drawn)
    plan = plan_of(among_others(ab.from_iterable(events, Event)))
    run = partial(multicore.run, workers=2, processes="always", slice_size=slice_size)
    assert outputs(run, plan, events) == outputs(in_sequence, plan, events)


def test_what_must_be_fused_stays_together_and_goes_by_buckets():
    events = events_of([("update" if n % 9 == 0 else "view", "hot") for n in range(100)])
    graph = plan_of(ab.from_iterable(events, Event).apply(make()).map(lambda t: t.views)).program
    fused = compile_graph(graph.with_operators(
        replace(op, annotations=(Annotation("Fuse", ("x",)),)) if op.name in ("told", "map") else op
        for op in graph))
    first, *_ = formed(unfused(fused))
    assert [op.name for op in first.operators] == ["told", "map"]
    assert first.sharing is Sharing.BUCKETS and not list(synchronization(fused))
    run = partial(multicore.run, workers=2, processes="always", slice_size=10)
    assert outputs(run, fused, events) == outputs(in_sequence, fused, events)
