"""Keys that are equal in surprising ways: every engine deals them as the sequential one does."""

from __future__ import annotations

import decimal
import math

import pytest

import anabranch as ab
from anabranch.analysis.fact import StateKind
from anabranch.analysis.facts.summary import analyse


class OfFloat(ab.Record):
    n: int
    key: float


class OfText(ab.Record):
    n: int
    key: str


class OfObject(ab.Record):
    n: int
    key: object


class Same:
    """Hashed by identity."""


class Count(ab.State):
    n: int = 0
    last: int = -1


@ab.operator(by="key")
def counted(s: Count, t):
    s.n += 1
    yield (t.n, s.n, s.last)
    s.last = t.n


NAN, ONE = math.nan, Same()
KEYS = {
    "one_nan": (OfFloat, [NAN, 1.0, 2.0]),
    "many_nans": (OfFloat, [float("nan"), float("nan"), -float("nan"), 1.0]),
    "zeros": (OfFloat, [0.0, -0.0, 1.0]),
    "infinities": (OfFloat, [math.inf, -math.inf, 1e308]),
    "numbers_of_three_types": (OfObject, [True, 1, 1.0, False, 0, -0.0]),
    "large_numbers": (OfObject, [2**53, float(2**53), 2**53 + 1, 2**61 - 1, 0]),
    "normal_forms": (OfText, ["\u00e9", "e\u0301", "e", "\u00c9"]),
    "no_characters": (OfText, ["", "\0", " ", "\ud800"]),
    "none_and_texts": (OfObject, [None, "None", b"None", 0]),
    "tuples": (OfObject, [(1, 2), (1.0, 2), (True, 2), (1, (2,))]),
    "tuples_with_nan": (OfObject, [(NAN,), (1.0,), (NAN, 1)]),
    "by_identity": (OfObject, [ONE, Same(), Same()]),
    "classes_and_functions": (OfObject, [int, str, len, math.sqrt]),
    "frozensets": (OfObject, [frozenset("ab"), frozenset("ba"), frozenset()]),
}


def ran(name: str, **options) -> list:
    """The outputs of 60 items, or the error that the program is given."""
    record, keys = KEYS[name]
    items = [record(n, keys[n * 7 % 11 % len(keys)]) for n in range(60)]
    try:
        return ab.from_iterable(items, record).apply(counted, to=object).collect(**options)
    except ab.AnabranchError as error:
        return [error.args]


@pytest.mark.parametrize("name", KEYS)
def test_every_engine_deals_keys_in_the_same_way(name):
    right = ran(name, engine="sequential")
    for options in ({"workers": 1}, {"workers": 3},
                    {"workers": 3, "tune": {"processes": "always", "kernels": "never"}}):
        assert ran(name, engine="multicore", **options) == right, options


DISTINCT = {"count": ab.count_distinct, "set": ab.collect_set, "approximate": ab.approx_distinct}


class Valued(ab.Record):
    group: int
    value: object


@pytest.mark.parametrize("name", DISTINCT)
def test_nan_in_a_tuple_is_one_value_in_every_process(name):
    values = [(math.nan, 1), (float("nan"), 1), decimal.Decimal("NaN"), complex(math.nan, 0), 3]
    items = [Valued(n % 2, values[n % 5]) for n in range(40)]

    def outputs(**options) -> list[str]:
        found = ab.from_iterable(items, Valued).group_by("group").agg(v=DISTINCT[name]("value"))
        return found.map(lambda w: str(w.v)).collect(**options)
    right = outputs()
    assert name == "set" or right == ["3", "3"]
    assert right == outputs(engine="multicore", workers=3, tune={
        "processes": "always", "kernels": "never", "slice_size": 3})


@pytest.mark.parametrize("name", DISTINCT)
@pytest.mark.parametrize("record", (OfFloat, OfText, OfObject))
def test_distinct_values_fall_apart_by_key(name, record):
    graph = ab.from_iterable([record(1, 2.0)], record).group_by("n").agg(
        v=DISTINCT[name]("key")).graph()
    assert analyse(graph)["agg"].state.value.kind is StateKind.PARTITIONED


def test_an_estimate_of_many_values_is_near():
    numbers = ab.from_iterable(range(60_000), int)
    [found] = numbers.agg(about=ab.approx_distinct(lambda n: n % 20_000)).collect()
    assert 19_000 < found.about < 21_000
