"""Schedules: periods that balance, beginnings that suffice, and loops that can turn."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.core.errors import ProgramError
from anabranch.lang.streamit.sdf.flow import Actor, Channel, Flow, Rates
from anabranch.lang.streamit.sdf.schedule import first_stuck, repetitions, scheduled


def line(*rates: tuple[int, int, int]) -> Flow:
    """A source, and actors of (peek, pop, push) behind each other."""
    actors = [Actor("source", Rates((), (), (1,)), None)]
    actors += [Actor(f"a{i}", Rates((max(peek, pop),), (pop,), (push,)), None)
               for i, (peek, pop, push) in enumerate(rates)]
    actors.append(Actor("sink", Rates((1,), (1,), ()), None))
    return Flow(tuple(actors), tuple(Channel(i, 0, i + 1, 0) for i in range(len(actors) - 1)))


RATE = st.integers(1, 6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), RATE, RATE), max_size=5))
def test_a_line_has_a_schedule(rates):
    flow = line(*rates)
    schedule = scheduled(flow)
    for channel in flow.channels:
        given = schedule.period[channel.source] * flow.actors[channel.source].rates.pushes[0]
        assert given == schedule.period[channel.target] * flow.actors[channel.target].rates.pops[0]
    for periods in range(3):
        counts = tuple(schedule.most(i, periods) for i in range(len(flow.actors)))
        assert first_stuck(flow, counts) is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), RATE, RATE), min_size=1, max_size=4))
def test_the_beginning_is_the_smallest(rates):
    flow = line(*rates)
    schedule = scheduled(flow)
    for actor, count in enumerate(schedule.before):
        if count:
            counts = [b + p for b, p in zip(schedule.before, schedule.period)]
            counts[actor] -= 1
            assert first_stuck(flow, tuple(counts)) is not None


def test_rates_that_do_not_fit():
    actors = (Actor("a", Rates((), (), (1, 1)), None), Actor("b", Rates((1,), (1,), (2,)), None),
              Actor("c", Rates((1, 1), (1, 1), ()), None))
    flow = Flow(actors, (Channel(0, 0, 1, 0), Channel(0, 1, 2, 1), Channel(1, 0, 2, 0)))
    with pytest.raises(ProgramError, match="do not fit together"):
        repetitions(flow)


@pytest.mark.parametrize("enqueued,missing", [(0, 3), (1, 2), (2, 1), (3, None)])
def test_how_many_items_a_loop_lacks(enqueued, missing):
    actors = (Actor("source", Rates((), (), (1,)), None),
              Actor("join", Rates((1, 1), (1, 1), (2,)), None),
              Actor("body", Rates((6,), (2,), (1,)), None),
              Actor("split", Rates((1,), (1,), (1, 1)), None),
              Actor("sink", Rates((1,), (1,), ()), None))
    flow = Flow(actors, (Channel(0, 0, 1, 0), Channel(1, 0, 2, 0), Channel(2, 0, 3, 0),
                         Channel(3, 0, 4, 0),
                         Channel(3, 1, 1, 1, initial=(0,) * enqueued, back=True)))
    if missing is None:
        assert scheduled(flow).period == (1, 1, 1, 1, 1)
        return
    with pytest.raises(ProgramError) as caught:
        scheduled(flow)
    assert f"enqueue {missing} more item" in caught.value.help
