"""What `check` finds only where it looks further than one fork, one key or one order; and programs
that it must not accuse."""

from __future__ import annotations

import random

import numpy as np
import pytest

import anabranch as ab
from anabranch.core.errors import ProgramError
from sync.test_sync_consistency import broken_facts

C1 = "join(update(s1, e), s2) = update(join(s1, s2), e)"
C2 = "join(fork(s)) = s"
SAME = "update(s, e) = update(s, e)"
TAGS = "depends(a, b) = depends(b, a)"


class Event(ab.Record):
    kind: str
    key: int
    value: int


def events(keys: int, count: int = 400) -> list[Event]:
    chance = random.Random(1)
    return [Event(chance.choice(["add"] * 8 + ["read"]), chance.randrange(keys),
                  chance.randrange(1, 50)) for _ in range(count)]


class Total(ab.State):
    total: int = 0


def summed(state: Total, e: Event):
    if e.kind == "read":
        yield state.total
        state.total = 0
    else:
        state.total += e.value


def on_reads(a, b):
    return "read" in (a, b)


def made(update=summed, fork=lambda s, left, right: (Total(s.total), Total()),
         join=lambda one, other: Total(one.total + other.total), tag=lambda e: e.kind,
         depends=on_reads, **settings):
    definition = ab.synchronized(tag=tag, depends=depends, **settings)(update)
    definition.fork(fork)
    definition.join(join)
    return definition


class Counts(ab.State):
    counts: dict = {}


def counted(state: Counts, e: Event):
    if e.kind == "read":
        yield state.counts.pop(e.key, 0)
    else:
        state.counts[e.key] = state.counts.get(e.key, 0) + 1


def together(one, other):
    keys = {**one.counts, **other.counts}
    return Counts({k: one.counts.get(k, 0) + other.counts.get(k, 0) for k in keys})


def for_readers(state, left, right):
    of_right = {k: n for k, n in state.counts.items() if right(("read", k))}
    return Counts({k: n for k, n in state.counts.items() if k not in of_right}), Counts(of_right)


def by_key(fork, called: list | None = None, update=counted):
    def depends(a, b):
        if called is not None:
            called.append(a)
        return a[1] == b[1] and "read" in (a[0], b[0])
    return made(update, fork, together, lambda e: (e.kind, e.key), depends)


@pytest.mark.parametrize("keys", [4, 300])
def test_a_fork_that_does_not_ask_who_reads_a_key(keys):
    found = broken_facts(by_key(lambda s, left, right: (Counts(dict(s.counts)), Counts())),
                         events(keys), Event)
    assert found[C1].subject.count("Event(") == 2
    assert (found[C1].expected, found[C1].came.partition(", giving")[2]) == (
        "Counts(counts={}), giving [1]", " [0]")


def test_many_keys_cost_no_more_than_few():
    called: list = []
    assert broken_facts(by_key(for_readers, called), events(300), Event) == {}
    assert len(called) < 400_000


def test_equal_states_that_tell_their_keys_in_another_order():
    def told(state: Counts, e: Event):
        if e.kind == "read":
            yield from state.counts.items()
        else:
            state.counts[e.key] = state.counts.get(e.key, 0) + 1
    found = broken_facts(made(told, lambda s, left, right: (s, Counts()), together), events(4),
                         Event)
    assert found[C1].subject.count("Event(") == 3
    assert "; then Event(kind='read'" in found[C1].subject
    assert ", then [(" in found[C1].came


class Led(ab.State):
    total: int = 0
    leads: bool = True


def test_a_fork_that_is_wrong_below_another():
    def led(state: Led, e: Event):
        if e.kind == "read":
            yield state.total
        state.total += e.value
    found = broken_facts(made(led, lambda s, left, right: (Led(s.total), Led(0, False)),
                              lambda one, other: Led(one.total + other.total)), events(2), Event)
    assert set(found) == {C2}
    assert "; s is now its right part; " in found[C2].subject
    assert found[C2].expected == "Led(total=0, leads=False)"


class Half(ab.State):
    total: int = 0


class Quarter(ab.State):
    total: int = 0


def in_quarters(wrong: bool, states: dict):
    definition = ab.synchronized(tag=lambda e: e.kind, depends=on_reads, states=states)(summed)

    @definition.fork
    def halves(s: Total, left, right) -> tuple[Half, Half]:
        return Half(s.total), Half()

    @definition.fork
    def quarters(s: Half, left, right) -> tuple[Quarter, Quarter]:
        return Quarter(s.total), Quarter(s.total if wrong else 0)

    @definition.join
    def half(one: Quarter, other: Quarter) -> Half:
        return Half(one.total + other.total)

    @definition.join
    def whole(one: Half, other: Half) -> Total:
        return Total(one.total + other.total)
    return definition


def test_forks_and_joins_of_parts_are_tried_too():
    states = {Half: None, Quarter: None}
    assert broken_facts(in_quarters(False, states), events(2), Event) == {}
    assert "Half(total=" in broken_facts(in_quarters(True, states), events(2), Event)[C2].came


def test_a_part_is_given_no_tags_that_its_type_cannot_take():
    def noted(state: Total, e: Event):
        if e.kind == "note" and type(state) is not Total:
            raise TypeError("a part takes no notes")
        yield from summed(state, e)
    definition = ab.synchronized(tag=lambda e: e.kind, depends=on_reads,
                                 states={Half: lambda tag: tag == "add"})(noted)

    @definition.fork
    def halves(s: Total, left, right) -> tuple[Half, Half]:
        return Half(s.total), Half()

    @definition.join
    def whole(one: Half, other: Half) -> Total:
        return Total(one.total + other.total)
    sample = [Event("note", 0, 0), *events(2)]
    assert broken_facts(definition, sample, Event) == {}


def random_reads(state: Total, e: Event):
    if e.kind == "read":
        yield state.total + random.random()
    state.total += e.value


def test_an_update_that_gives_something_else_each_time():
    found = broken_facts(made(random_reads), events(2), Event)
    assert set(found) == {SAME}
    assert found[SAME].expected != found[SAME].came


@pytest.mark.parametrize("wrong, subject", [
    ({"tag": lambda e: object()}, "the event Event("),
    ({"tag": lambda e: float("nan")}, "the event Event("),
    ({"depends": lambda a, b: a.other == b}, "the tags 'add' and 'add'"),
    ({"depends": lambda a, b: {"add": True}[a]}, "the tags 'add' and 'read'"),
    ({"depends": lambda a, b: a == "read"}, "the tags 'add' and 'read'")])
def test_what_is_wrong_with_tags_is_said_once(wrong, subject):
    found = broken_facts(made(**wrong), [Event("add", 0, 1), *events(2)], Event)
    assert set(found) == {TAGS}
    assert found[TAGS].subject.startswith(subject)


class Box:
    """Has no equality of its own."""

    def __init__(self, values):
        self.values = values


class Boxed(ab.State):
    box: Box | None = None


def boxes(zero, plus):
    def update(state: Boxed, e: Event):
        values = state.box.values if state.box else zero()
        if e.kind == "read":
            yield str(values)
        state.box = None if e.kind == "read" else Box(plus(values, e))

    def join(one, other):
        parts = [s.box.values for s in (one, other) if s.box]
        return Boxed(Box(sum(parts[1:], parts[0])) if parts else None)
    return update, join


def with_array(values, e):
    return values + np.eye(4, dtype=int)[e.key]


BOXES = {"numbers": (lambda: 0, lambda values, e: values + e.value),
         "arrays": (lambda: np.zeros(4, int), with_array)}


@pytest.mark.parametrize("name", BOXES)
def test_states_without_equality_are_compared_by_what_they_hold(name):
    update, join = boxes(*BOXES[name])
    right = made(update, lambda s, left, right: (Boxed(s.box), Boxed()), join)
    assert broken_facts(right, events(4), Event) == {}
    twice = made(update, lambda s, left, right: (Boxed(s.box), Boxed(s.box)), join)
    assert C2 in broken_facts(twice, events(4), Event)


def test_events_that_come_in_an_order_which_the_program_refuses_say_nothing():
    def strict(state: Counts, e: Event):
        if e.kind == "read":
            yield state.counts.pop(e.key)
        else:
            state.counts[e.key] = state.counts.get(e.key, 0) + 1
    sample = [e for n in range(100) for e in (Event("add", n % 3, 1), Event("read", n % 3, 0))]
    assert broken_facts(by_key(for_readers, update=strict), sample, Event) == {}


def test_types_that_do_not_fit_are_refused_before_anything_runs():
    def applied(definition):
        return ab.from_iterable(events(2), Event).apply(definition)
    with pytest.raises(ProgramError, match="gives a Quarter, which is not a type of state"):
        applied(in_quarters(False, {Half: None}))
    only = ab.synchronized(tag=lambda e: e.kind, depends=on_reads, states={Half: None})(summed)

    @only.fork
    def halves(s: Total, left, right) -> tuple[Half, Half]:
        return Half(s.total), Half()

    @only.join
    def wrong(one: Half, other: Half) -> Half:
        return Half(one.total + other.total)
    with pytest.raises(ProgramError, match="a Total is forked, and joined to a Half"):
        applied(only)
