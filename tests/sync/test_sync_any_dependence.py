"""Any symmetric dependence between tags, and any valid tree over them: the sequential outputs.

The program counts the events of each tag. An event tells the counts of all tags that its own
depends on: everything that must stand before it, and nothing else.
"""

from __future__ import annotations

import random
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.engine import multicore
from anabranch.plan.sync.optimizers import OPTIMIZERS, Problem, planned, with_others
from anabranch.plan.sync.plan import Shard, Tree, leaf, problems
from anabranch.plan.sync.program import Program
from sync.one_thread import run_locally
from sync.running import in_sequence, outputs, plan_of
from sync.test_sync_consistency import broken_facts

TAGS = range(4)
PAIRS = [(a, b) for a in TAGS for b in TAGS if a <= b]


class Event(ab.Record):
    at: int
    tag: int


class Counts(ab.State):
    """What is counted here, and what others have counted, which nobody changes meanwhile."""

    own: dict = {}
    seen: dict = {}


def counting(related: frozenset, **settings):
    def depends(a, b):
        return (min(a, b), max(a, b)) in related

    @ab.synchronized(tag=lambda e: e.tag, depends=depends, **settings)
    def counted(state: Counts, e: Event):
        yield e.at, *(state.own.get(t, 0) + state.seen.get(t, 0)
                      for t in TAGS if depends(t, e.tag))
        state.own = {**state.own, e.tag: state.own.get(e.tag, 0) + 1}

    @counted.fork
    def for_readers(state, left, right):
        """Counts go where they are read; where both sides read them, one has a copy."""
        wanted = {t for t in state.own if any(right(r) and depends(t, r) for r in TAGS)}
        copied = {t for t in wanted if any(left(r) and depends(t, r) for r in TAGS)}
        moved = wanted - copied
        return (Counts({t: n for t, n in state.own.items() if t not in moved}, state.seen),
                Counts({t: state.own[t] for t in moved},
                       {t: state.own.get(t, 0) * (t in copied) + state.seen.get(t, 0)
                        for t in TAGS if t in copied or t in state.seen}))

    @counted.join
    def added(one, other):
        return Counts({t: one.own.get(t, 0) + other.own.get(t, 0)
                       for t in sorted({*one.own, *other.own})}, one.seen)
    return counted


RELATED = st.sets(st.sampled_from(PAIRS)).map(frozenset)
EVENTS = st.lists(st.sampled_from(TAGS), max_size=40).map(
    lambda tags: [Event(n, tag) for n, tag in enumerate(tags)])


def expected(program: Program, events: list[Event]) -> list:
    state = program.start()
    return [out for e in events for out in program.update(state, e)]


@given(RELATED, EVENTS, st.sampled_from(list(OPTIMIZERS)), st.integers(1, 5), st.integers(0, 999))
@settings(max_examples=30, deadline=None)
def test_every_optimizer_for_every_dependence(related, events, optimizer, workers, seed):
    program = Program(counting(related).kind())
    rates = {tag: 1.0 + 10 * (tag % 3) for tag in TAGS[:3]}
    tree = planned(Problem(program, rates, workers), optimizer).tree
    slices = [events[n:n + 7] for n in range(0, len(events), 7)]
    assert run_locally(program, tree, slices, random.Random(seed))[0] == expected(program, events)


def any_tree(problem: Problem, chance: random.Random, shards: list[Shard], depth: int = 3) -> Tree:
    """A tree of no optimizer, as a user might give it: some tags at the top, and what is then
    independent on either side."""
    tags = sorted({shard.tag for shard in shards})
    for own in (chance.sample(tags, n) for n in range(len(tags)) for _ in range(2)):
        groups = problem.components([s for s in shards if s.tag not in own])
        if len(groups) < 2 or depth == 0:
            continue
        cut, mixed = chance.randrange(1, len(groups)), chance.sample(groups, len(groups))
        sides = [sorted(s for g in part for s in g) for part in (mixed[:cut], mixed[cut:])]
        return Tree(frozenset(s for s in shards if s.tag in own),
                    tuple(any_tree(problem, chance, side, depth - 1) for side in sides))
    return leaf(*shards)


def valid_tree(program: Program, seed: int) -> Tree:
    problem = Problem(program, dict.fromkeys(TAGS, 1.0), workers=3)
    tree = with_others(any_tree(problem, random.Random(seed), list(problem.shards)))
    assert not list(problems(program, tree, tree.below))
    return tree


@given(RELATED, EVENTS, st.integers(0, 9999))
@settings(max_examples=60, deadline=None)
def test_every_valid_tree_for_every_dependence(related, events, seed):
    program = Program(counting(related).kind())
    tree = valid_tree(program, seed)
    slices = [events[n:n + 9] for n in range(0, len(events), 9)]
    assert run_locally(program, tree, slices, random.Random(seed))[0] == expected(program, events)


@given(RELATED, st.integers(0, 9999), st.sampled_from([3, 30]))
@settings(max_examples=6, deadline=None)
def test_so_it_is_between_processes(related, seed, slice_size):
    chance = random.Random(seed)
    events = [Event(n, chance.choice(TAGS)) for n in range(200)]
    tree = valid_tree(Program(counting(related).kind()), seed)
    plan = plan_of(ab.from_iterable(events, Event).apply(counting(related, plan=tree), to=object))
    run = partial(multicore.run, workers=2, processes="always", slice_size=slice_size)
    assert outputs(run, plan, events) == outputs(in_sequence, plan, events)


@given(RELATED)
@settings(max_examples=4, deadline=None)
def test_check_accuses_none_of_them(related):
    chance = random.Random(1)
    events = [Event(n, chance.choice(TAGS)) for n in range(60)]
    assert broken_facts(counting(related), events, Event) == {}


@given(st.sets(st.sampled_from(PAIRS), min_size=1), st.data())
@settings(max_examples=4, deadline=None)
def test_check_finds_every_dependence_that_is_not_said(related, data):
    """The program tells what the whole relation says; one pair of it is kept from the engine."""
    hidden = data.draw(st.sampled_from(sorted(related)))
    whole = counting(frozenset(related))
    less = ab.synchronized(tag=lambda e: e.tag, depends=lambda a, b: (
        min(a, b), max(a, b)) in related - {hidden})(whole.call)
    less.fork(whole.forks[0].function.call)
    less.join(whole.joins[0].function.call)
    chance = random.Random(1)
    events = [Event(n, chance.choice(TAGS)) for n in range(60)]
    assert "update(update(s, e), f) = update(update(s, f), e)" in broken_facts(less, events, Event)
