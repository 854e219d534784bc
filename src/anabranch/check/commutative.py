"""The same tuples in another order give the same outputs, whatever their order."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator

from anabranch.check.replay import Firing, Subject, shown
from anabranch.check.verdict import Counterexample, the_tuple
from anabranch.ir.operators import Output

SHUFFLES = 3
PAIRED = 40


def commutative(subject: Subject, in_order: bool = False) -> Counterexample | None:
    """Two tuples whose order matters, if there are such; else the order of the whole sample. With
    `in_order`, the order of the outputs counts as well."""
    firings = subject.log.firings
    expected = _outcome(subject, firings)
    text = _texts if in_order else _text
    for permuted in _permutations(firings):
        came = _outcome(subject, permuted)
        if text(came) != text(expected):
            return _pair(subject, text) or Counterexample(
                f"all {len(firings)} tuples in another order, beginning with "
                f"{the_tuple(permuted[0].item)}", *_different(expected, came))
    return None


def _permutations(firings: list[Firing]) -> Iterator[list[Firing]]:
    yield firings[::-1]
    # Seeded, so that a counterexample comes back each time.
    chance = random.Random(0)
    for _ in range(SHUFFLES):
        yield chance.sample(firings, len(firings))


def _pair(subject: Subject, text: Callable) -> Counterexample | None:
    for first, second in itertools.combinations(subject.log.firings[:PAIRED], 2):
        one, other = _outcome(subject, [first, second]), _outcome(subject, [second, first])
        if text(one) != text(other):
            return Counterexample(f"{the_tuple(first.item)} and {the_tuple(second.item)}",
                                  f"{shown(one)} in either order",
                                  f"{shown(other)} with the second one first")
    return None


def _outcome(subject: Subject, firings: list[Firing]) -> list[Output]:
    """All outputs, and the final values of the variables that other operators see as well."""
    instance = subject.fresh()
    outputs = [o for fired in instance.all_fired(firings) for o in fired]
    shared = [(0, (f"variable {name}", cell.value))
              for name, cell in zip(subject.op.variables, instance.cells, strict=True)
              if len(subject.graph.sharing(name)) > 1]
    return [*outputs, *instance.finished(), *shared]


def _different(expected: list[Output], came: list[Output]) -> tuple[str, str]:
    missing, extra = _without(expected, came), _without(came, expected)
    if not missing and not extra:
        place = next(i for i, pair in enumerate(zip(expected, came)) if pair[0] != pair[1])
        return f"{shown(expected[place:place + 1])} in place {place + 1}", \
            f"{shown(came[place:place + 1])} there"
    return f"{shown(missing[:1])} among the outputs", f"{shown(extra[:1])} instead"


def _without(outputs: list[Output], others: list[Output]) -> list[Output]:
    taken = _text(others)
    left = []
    for output in outputs:
        text = repr(_rounded(output))
        if taken[text] == 0:
            left.append(output)
        taken[text] -= 1
    return left


def _texts(outputs: list[Output]) -> list[str]:
    return [repr(_rounded(o)) for o in outputs]


def _text(outputs: list[Output]) -> Counter:
    return Counter(_texts(outputs))


def _rounded(value: object) -> object:
    """Floats to nine digits: a sum of floats in another order differs in its last bits.

    >>> _rounded((0, [0.1 + 0.2, "a"])) == _rounded((0, [0.3, "a"]))
    True
    """
    if isinstance(value, float):
        return float(f"{round(value, 9):.9g}")
    if isinstance(value, (tuple, list)):
        return [_rounded(v) for v in value]
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in sorted(value.items(), key=repr)}
    return value
