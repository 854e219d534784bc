"""One key is one key, also on Spark."""

from __future__ import annotations

import pytest

import anabranch as ab
from engines.key_cases import KEYS, PROGRAMS, Item, items_of
from engines.test_keys import TYPED, reals

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.mark.parametrize("program", PROGRAMS)
def test_keys(spark, program):
    """Every kind of key, one program behind the other."""
    items = [item for kind in KEYS for item in items_of(kind, rounds=3)]
    items = [item._replace(n=n) for n, item in enumerate(items)]
    stream = PROGRAMS[program](ab.from_iterable(items, Item))
    assert repr(stream.collect(engine="spark")) == repr(stream.collect())


@pytest.mark.parametrize("program", TYPED)
def test_keys_in_columns(spark, program):
    assert repr(TYPED[program](reals()).collect(engine="spark")) == (
        repr(TYPED[program](reals()).collect()))
