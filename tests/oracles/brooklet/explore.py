"""Many schedules of one program, or all of them: the set of its final outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from anabranch.core.errors import UsageError
from oracles.brooklet.canonical import canonical
from oracles.brooklet.interpreter import (
    Configuration,
    Final,
    eligible,
    final,
    finish,
    run,
    start,
    step,
)
from oracles.brooklet.program import Program

Inputs = Mapping[str, Iterable[object]]
ALL = "all"


def explore(program: Program, inputs: Inputs, schedules: int | str = 50, seed: int = 0,
            limit: int = 20_000) -> list[Final]:
    """The distinct final outputs of so many random schedules, or of "all" of them.

    Each random schedule is a run of its own; all schedules together visit every configuration
    that can be reached, at most `limit` of them.
    """
    inputs = {name: tuple(items) for name, items in inputs.items()}
    if schedules == ALL:
        return distinct(_all_finals(program, inputs, limit))
    return distinct(run(program, inputs, seed + i) for i in range(schedules))


def distinct(finals: Iterable[Final]) -> list[Final]:
    """One final for each outcome, in the order of their first appearance."""
    outcomes: dict[object, Final] = {}
    for each in finals:
        outcomes.setdefault(outcome(each), each)
    return list(outcomes.values())


def outcome(result: Final) -> object:
    """What can be observed of an execution: the items of every sink, in order.

    Variables are left out: a rewrite may rename them or hold them differently.
    """
    return frozenset((sink, canonical(items)) for sink, items in result.outputs.items())


def _all_finals(program: Program, inputs: Inputs, limit: int) -> Iterator[Final]:
    """Depth first over configurations; the number of operators told of the end is part of one."""
    seen: set[object] = set()
    waiting = [(start(program, inputs), 0)]
    while waiting:
        configuration, finished = waiting.pop()
        key = finished, canonical(configuration.variables), canonical(configuration.queues)
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > limit:
            raise UsageError(f"the program has more than {limit} configurations",
                             help="explore random schedules instead, or give less input")
        following = list(_following(program, configuration, finished))
        waiting.extend(reversed(following))
        if not following:
            yield final(program, configuration)


def _following(program: Program, configuration: Configuration,
               finished: int) -> Iterator[tuple[Configuration, int]]:
    queues = eligible(program, configuration)
    yield from ((step(program, configuration, q), finished) for q in queues)
    if not queues and finished < len(program.clauses):
        yield finish(configuration, program.clauses[finished]), finished + 1
