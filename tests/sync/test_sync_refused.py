"""What is wrong with a synchronized operator is said at its line: settings, plans, tags, and what
cannot travel to other processes."""

from __future__ import annotations

from functools import partial

import pytest

import anabranch as ab
from anabranch.core.errors import ProgramError
from anabranch.engine import multicore
from sync.running import in_sequence, outputs, plan_of


class Event(ab.Record):
    ts: int
    kind: str


class Count(ab.State):
    count: int = 0
    extra: object = None


EVENTS = [Event(n, "read" if n % 20 == 19 else "add") for n in range(200)]


def counted(state: Count, e: Event):
    if e.kind == "read":
        yield state.count
    state.count += 1


def made(update=counted, fork=lambda s, left, right: (s, Count()),
         join=lambda one, other: Count(one.count + other.count), tag=lambda e: e.kind,
         depends=lambda a, b: "read" in (a, b), **settings):
    definition = ab.synchronized(tag=tag, depends=depends, **settings)(update)
    definition.fork(fork)
    definition.join(join)
    return definition


def applied(definition, to=None):
    return ab.from_iterable(EVENTS, Event).apply(definition, to=to)


def rivals(**more):
    definition = made()
    for name, call in more.items():
        getattr(definition, name)(call)
    return applied(definition)


def in_three(state, left, right) -> tuple[Count, Count, Count]:
    return state, Count(), Count()


WRONG = {
    "a rate is no number": (lambda: made(tags={"add": "many"}),
                            "the rate of 'add' is not a number above 0"),
    "a rate below 0": (lambda: made(tags={"add": -1}), "the rate of 'add' is not a number above 0"),
    "a text as tags": (lambda: made(tags="add"), "tags names several tags"),
    "a tag that is a list": (lambda: made(tags=[["add"]]), "the key of a dictionary"),
    "a plan that is none": (lambda: applied(made(plan="add")), "a plan is a worker"),
    "a plan without a tag that is named": (
        lambda: applied(made(plan=ab.worker("read"), tags=["read", "add"])),
        "no worker of the plan takes add"),
    "one worker below": (lambda: ab.worker("read", below=ab.worker("add")),
                         "a worker has none or two workers below it"),
    "tags below": (lambda: ab.worker("read", below=("add", "more")),
                   "a worker has none or two workers below it"),
    "a worker of lists": (lambda: ab.worker(["read"]), "the key of a dictionary"),
    "a shard below 0": (lambda: ab.shard("add", -1), "shards are numbered from 0 on"),
    "a shard with a name": (lambda: ab.shard("add", "left"), "shards are numbered from 0 on"),
    "no optimizer": (lambda: applied(made(optimizer=None)), "no optimizer is called 'None'"),
    "states as a list": (lambda: made(states=[Count]), "which tags each type of state can take"),
    "states by name": (lambda: made(states={"Part": None}), "a class derived from State"),
    "two forks": (lambda: rivals(fork=lambda s, left, right: (s, s)),
                  "two forks take the same states"),
    "two joins": (lambda: rivals(join=lambda one, other: one), "two joins take the same states"),
    "a fork in three": (lambda: made(fork=in_three), "a fork gives two states"),
    "a tag that events have not": (lambda: applied(made(tag=lambda e: e.sort)),
                                   "Event has no attribute 'sort'"),
    "a tag that is always a list": (lambda: applied(made(tag=lambda e: [e.kind])),
                                    "the key of a dictionary"),
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_refused_before_anything_runs(name):
    make, what = WRONG[name]
    with pytest.raises(ProgramError, match=what) as refused:
        make()
    assert refused.value.where is not None


def test_a_decorator_that_is_used_twice_gives_both_their_tags():
    settings = ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: False,
                               tags=(tag for tag in ("add", "read")))
    assert settings(counted).settings["tags"] == settings(counted).settings["tags"] \
        == (("add", None), ("read", None))


class Bound:
    """Does not leave its process."""

    def __reduce__(self):
        raise TypeError("it stays here")


class OneWay:
    """Leaves, and does not arrive."""

    def __reduce__(self):
        return int, ("nothing",)


def keeping(made_of):
    def kept(state: Count, e: Event):
        state.extra = made_of()
        yield from counted(state, e)
    return made(kept, join=lambda one, other: Count(one.count + other.count, one.extra))


def giving(made_of):
    def given(state: Count, e: Event):
        if e.kind == "read":
            yield made_of()
    return made(given)


class Closed(ab.State):
    count: int = 0
    call: object = staticmethod(lambda: None)


def from_the_start():
    def closed(state: Closed, e: Event):
        yield state.count
    return made(closed, lambda s, left, right: (s, Closed()), lambda one, other: one)


class Kind:
    """A tag that is compared, and stays where it is."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Kind) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    __reduce__ = Bound.__reduce__


STUCK = {
    "a state at the start": (from_the_start, "a state cannot travel"),
    "a state": (partial(keeping, Bound), "a state cannot travel"),
    "a state that does not arrive": (partial(keeping, OneWay), "a state cannot travel"),
    "an output": (partial(giving, Bound), "an output cannot travel"),
    "an output that does not arrive": (partial(giving, OneWay), "an output cannot travel"),
    "a tag": (lambda: made(tag=lambda e: Kind(e.kind),
                           depends=lambda a, b: "read" in (a.name, b.name)), "a tag cannot travel"),
}


@pytest.mark.parametrize("name", STUCK)
def test_what_cannot_travel_is_said_at_the_operator(name):
    define, what = STUCK[name]
    plan = plan_of(applied(define(), to=object))
    run = partial(multicore.run, workers=2, processes="always", kernels="never")
    _, message, where = outputs(run, plan, EVENTS)
    assert what in message and where is not None


@pytest.mark.parametrize("keyed", [{}, {"by": "ts"}])
@pytest.mark.parametrize("kernels", ["always", "never"])
def test_a_dependence_that_fails_is_said_at_the_operator(kernels, keyed):
    events = [Event(0, "add") for _ in range(50)]
    plan = plan_of(ab.from_iterable(events, Event).apply(
        made(depends=lambda a, b: [a][len(b)] == b, **keyed), to=int))
    run = partial(multicore.run, workers=2, processes="always", kernels=kernels)
    _, message, where = outputs(run, plan, events)
    assert "depends raised IndexError" in message and where is not None


class Plain(ab.State):
    count: int = 0


def test_an_event_whose_tag_fails_in_a_kernel_waits_for_all_others():
    def plain(state: Plain, e: Event):
        if e.kind == "read":
            yield state.count
        state.count += 1
    plan = plan_of(ab.from_iterable(EVENTS, Event).apply(made(
        plain, lambda s, left, right: (s, Plain()),
        lambda one, other: Plain(one.count + other.count),
        lambda e: 7 // (e.ts % 100 - 50), lambda a, b: True)))
    run = partial(multicore.run, workers=2, processes="always", kernels="always", slice_size=64)
    assert outputs(run, plan, EVENTS) == outputs(in_sequence, plan, EVENTS)
