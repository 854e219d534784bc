"""A plan in one line: how much of it can run in parallel."""

from __future__ import annotations

from anabranch.plan import Plan


def counts(plan: Plan) -> tuple[int, int, int]:
    """How many operators there are, how many can run in parallel, and in how many regions."""
    inner = [op.name for op in plan.graph if not (op.is_source or op.is_sink)]
    parallel = [name for name in inner if plan.region_of(name) or name in plan.synchronized]
    return len(inner), len(parallel), len(plan.regions)


def summary(plan: Plan) -> str:
    """Such as "3 of 5 operators can run in parallel, in 2 regions"."""
    return sentence(*counts(plan))


def sentence(operators: int, parallel: int, regions: int) -> str:
    """The numbers in words.

    >>> sentence(5, 3, 2)
    '3 of 5 operators can run in parallel, in 2 regions'
    >>> sentence(1, 1, 1)
    '1 of 1 operator can run in parallel, in 1 region'
    """
    if operators == 0:
        return "there are no operators between the sources and the sinks"
    where = f", in {_many(regions, 'region')}" if parallel else ""
    return f"{parallel} of {_many(operators, 'operator')} can run in parallel{where}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
