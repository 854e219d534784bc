"""The small-step semantics: a configuration <V, Q>, one firing at a time, in any order."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random

from anabranch.core.errors import UsageError, did_you_mean
from oracles.brooklet.program import Clause, Lists, Program

Copy = Callable[[object], object]


@dataclass(frozen=True)
class Configuration:
    """The values of the variables and the contents of the queues."""

    variables: Mapping[str, object]
    queues: Mapping[str, tuple[object, ...]]


@dataclass(frozen=True)
class Final:
    """What is there when no queue can fire any more: the items of each sink, and the variables."""

    outputs: dict[str, tuple[object, ...]]
    variables: dict[str, object]


def start(program: Program, inputs: Mapping[str, Iterable[object]]) -> Configuration:
    """The first configuration: fresh variables, all queues empty but those of the inputs."""
    for name in {**program.inputs, **inputs}:
        if name not in program.inputs or name not in inputs:
            what = "no source is called" if name in inputs else "no items are given for"
            raise UsageError(f"{what} '{name}'", help=did_you_mean(name, program.inputs))
    queues = dict.fromkeys(program.queues, ())
    for name, items in inputs.items():
        queues |= dict.fromkeys(program.inputs[name], tuple(items))
    return Configuration({v.name: v.initial() for v in program.variables}, queues)


def eligible(program: Program, configuration: Configuration) -> list[str]:
    """The queues that may fire: those that hold an item and are an input of some operator."""
    return [q for q in program.readers if configuration.queues[q]]


def step(program: Program, configuration: Configuration, queue: str,
         copied: Copy = copy.deepcopy) -> Configuration:
    """Rule E-FireQueue: the operator that reads the queue takes its first item and fires.

    The old configuration stays as it is, because the firing works on copies of the variables. A
    caller that will not look back may pass `copied` as the identity.
    """
    clause, port = program.readers[queue]
    items = configuration.queues[queue]
    values = [copied(configuration.variables[v]) for v in clause.variables]
    lists, new_values = clause.fire(items[0], port, values)
    queues = {**configuration.queues, queue: items[1:]}
    return Configuration(update_variables(clause, configuration.variables, new_values),
                         update_queues(clause, queues, lists))


def update_variables(clause: Clause, variables: Mapping[str, object],
                     values: list[object]) -> dict[str, object]:
    """Rule E-UpdateV: the variables of the operator take their new values."""
    return {**variables, **dict(zip(clause.variables, values, strict=True))}


def update_queues(clause: Clause, queues: Mapping[str, tuple[object, ...]],
                  lists: Lists) -> dict[str, tuple[object, ...]]:
    """Rule E-UpdateQ, after the firing queue has lost its head: outputs go to the queues' ends."""
    updated = dict(queues)
    for names, items in zip(clause.outputs, lists, strict=True):
        for name in names:
            updated[name] = (*updated[name], *items)
    return updated


def finish(configuration: Configuration, clause: Clause,
           copied: Copy = copy.deepcopy) -> Configuration:
    """Tells an operator that the input has ended; its last items go to its output queues."""
    values = [copied(configuration.variables[v]) for v in clause.variables]
    lists, new_values = clause.finish(values)
    return Configuration(update_variables(clause, configuration.variables, new_values),
                         update_queues(clause, configuration.queues, lists))


def final(program: Program, configuration: Configuration) -> Final:
    return Final({name: configuration.queues[q] for name, q in program.outputs.items()},
                 dict(configuration.variables))


def run(program: Program, inputs: Mapping[str, Iterable[object]], seed: int = 0) -> Final:
    """One execution to its end; the seed decides which queue fires at each step.

    The end of the input is told to the operators in the graph's order, as the sequential engine
    does, and what each still emits is run to its end before the next.
    """
    random = Random(seed)
    # With equal chances all queues would progress evenly; starving some reaches rarer schedules.
    weights = {q: 10 ** random.uniform(-2, 2) for q in program.queues}

    def drained(configuration: Configuration) -> Configuration:
        while queues := eligible(program, configuration):
            [queue] = random.choices(queues, [weights[q] for q in queues])
            configuration = step(program, configuration, queue, _same)
        return configuration

    configuration = drained(start(program, inputs))
    for clause in program.clauses:
        configuration = drained(finish(configuration, clause, _same))
    return final(program, configuration)


def _same(value: object) -> object:
    return value
