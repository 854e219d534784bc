"""Whether two programs can give the same outputs, and what one can give that the other cannot."""

from __future__ import annotations

from dataclasses import dataclass

from oracles.brooklet.canonical import canonical
from oracles.brooklet.explore import ALL, Inputs, explore, outcome
from oracles.brooklet.interpreter import Final, run
from oracles.brooklet.program import Program

# A schedule found for one program may be rare in the other: so many more are tried to find it.
PATIENCE = 10


@dataclass(frozen=True)
class Difference:
    """An outcome of one program, and where the other's closest outcome first departs from it."""

    only_in: str
    outcome: Final
    closest: Final

    def place(self) -> tuple[str, int]:
        """The sink and the position (from 0) of the first item that is not the same."""
        ours, theirs = self.outcome.outputs, self.closest.outputs
        sink = next(s for s in {**ours, **theirs} if canonical(ours.get(s)) != canonical(
            theirs.get(s)))
        return sink, _common(ours.get(sink, ()), theirs.get(sink, ()))

    def __str__(self) -> str:
        sink, position = self.place()
        other = "second" if self.only_in == "first" else "first"
        return (f"only the {self.only_in} program can give this: "
                f"item {position + 1} of '{sink}' {_item(self.outcome, sink, position)}\n"
                f"the closest that the {other} program gives: "
                f"item {position + 1} of '{sink}' {_item(self.closest, sink, position)}")


def _item(result: Final, sink: str, position: int) -> str:
    if sink not in result.outputs:
        return "is not there: there is no such sink"
    items = result.outputs[sink]
    return f"is {items[position]!r}" if position < len(items) else "is not there"


def equivalent(first: Program, second: Program, inputs: Inputs, schedules: int | str = 50,
               seed: int = 0) -> Difference | None:
    """None if both programs have the same set of final outputs, else an outcome of only one.

    With random schedules, an outcome that only one of them has shown is looked for in the other
    before it counts; with "all" the answer is certain.
    """
    inputs = {name: tuple(items) for name, items in inputs.items()}
    finals = [explore(p, inputs, schedules, seed) for p in (first, second)]
    for ours, theirs, other, name in ((*finals, second, "first"), (*finals[::-1], first, "second")):
        known = {outcome(f) for f in theirs}
        for result in ours:
            if outcome(result) not in known and not _found(result, other, inputs, schedules, seed):
                return Difference(name, result, max(theirs, key=lambda f: _likeness(result, f)))
    return None


def _found(result: Final, program: Program, inputs: Inputs, schedules: int | str,
           seed: int) -> bool:
    if schedules == ALL:
        return False
    wanted, tried = outcome(result), range(seed + schedules, seed + PATIENCE * schedules)
    return any(outcome(run(program, inputs, s)) == wanted for s in tried)


def _likeness(one: Final, other: Final) -> int:
    return sum(_common(one.outputs[s], other.outputs.get(s, ())) for s in one.outputs)


def _common(one: tuple, other: tuple) -> int:
    """How many items from the start are the same."""
    same = (canonical(a) == canonical(b) for a, b in zip(one, other))
    return next((i for i, equal in enumerate(same) if not equal), min(len(one), len(other)))
