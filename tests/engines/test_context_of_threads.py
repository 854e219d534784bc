"""Workers compute in the context that the program has made: the precision of decimals is in it."""

from __future__ import annotations

import decimal
from decimal import Decimal

import pytest

import anabranch as ab


class Part(ab.Record):
    k: int
    n: int


class Total(ab.State):
    of: object = Decimal(0)


@ab.operator(by="k")
def summed(state: Total, p: Part):
    state.of += Decimal(p.n) / Decimal(7)
    yield str(state.of)


@pytest.mark.parametrize("tune", [{"processes": "never"}, {"processes": "always"}],
                         ids=["threads", "processes"])
def test_the_precision_is_that_of_the_program(tune):
    parts = ab.from_iterable([Part(n % 3, n) for n in range(200)], Part)
    with decimal.localcontext() as context:
        context.prec = 4
        wanted = parts.apply(summed).collect(engine="sequential")
        found = parts.apply(summed).collect(
            engine="multicore", workers=3, tune={**tune, "slice_size": 16})
    assert max(map(len, wanted)) == 6
    assert found == wanted
