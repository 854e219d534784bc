"""The examples of synchronization: an independent check of each answer, on every engine."""

from __future__ import annotations

import io
import itertools
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import anabranch as ab
from anabranch.analysis.facts.summary import analyse
from anabranch.check import check
from anabranch.compile import compile_graph, load
from anabranch.engine import multicore
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions

EXAMPLES = Path(__file__).parents[2] / "examples" / "synchronization"
NAMES = [path.stem for path in sorted(EXAMPLES.glob("*.py"))]


def plan_of(name: str):
    return compile_graph(load(EXAMPLES / f"{name}.py"))


def printed(name: str, engine: str = "sequential") -> list[list[str]]:
    text = io.StringIO()
    with redirect_stdout(text):
        execute(plan_of(name), RunOptions(engine=engine))
    return [line.split(",") for line in text.getvalue().splitlines()[1:]]


def items(name: str, **knobs) -> list:
    """All items that reach the sink on the multicore engine."""
    plan, out = plan_of(name), []
    given = {op.name: op.kind.spec.items(None) for op in plan.graph.sources}
    multicore.run(plan, given, lambda op, item: out.append(item), **knobs)
    return out


@pytest.mark.parametrize("name", NAMES)
def test_a_gang_gives_what_one_worker_gives(name):
    alone = items(name, workers=1)
    assert alone == items(name, workers=2, processes="always")
    assert [list(map(str, item)) for item in alone] == printed(name)


@pytest.mark.parametrize("name", NAMES)
def test_its_functions_fit_together(name):
    graph = plan_of(name).program
    sample = {op.name: list(op.kind.spec.items(None))[:600] for op in graph.sources}
    assert check(graph, analyse(graph), sample) == []


def values(count: int) -> list[int]:
    return [ab.noise(n) % 100 for n in range(count)]


def test_event_windows_are_sums_between_barriers():
    given = values(10_000)
    # A value with the time of a barrier comes before it: its stream is the first one.
    edges = [0, *(1000 * n + 1 for n in range(1, 10)), 10_000]
    sums = [sum(given[a:b]) for a, b in itertools.pairwise(edges)]
    assert [int(total) for _, total in printed("event_windows")] == sums


def test_a_fraud_equals_the_model_of_the_rule_before():
    told, suspect, total, at = printed("fraud"), None, 0, 0
    for n in range(10_000):
        value = ab.noise(n) % 5000
        total += value
        if value % 1000 == suspect:
            assert told[at] == [str(n), "fraud", str(value)]
            at += 1
        if n and n % 1000 == 0:
            assert told[at] == [str(n), "aggregate", str(total)]
            suspect, total, at = (total + ab.noise(n // 1000 - 1) % 100) % 1000, 0, at + 1
    assert told[at:] == [["10000", "aggregate", str(total)]]


def test_a_view_is_told_with_the_last_update_of_its_page():
    last: dict[str, str] = {}
    for kind, page, value, info in printed("page_views"):
        assert info == last.get(page, "0")
        if kind == "update":
            last[page] = value


def test_outliers_are_larger_than_three_means_of_the_time_before():
    told = {int(ts): (service, int(size)) for ts, service, size in printed("outliers")}
    assert list(told) == sorted(told)
    count, total, limit = [0] * 3, [0] * 3, [None] * 3
    for n in range(5_000):
        if n % 500 == 499:
            limit = [3 * t // c for t, c in zip(total, count)]
            continue
        size = 5000 if ab.noise(n) % 97 == 0 else ab.noise(n) % 1000
        count[n % 3], total[n % 3] = count[n % 3] + 1, total[n % 3] + size
        strange = limit[n % 3] is not None and size > limit[n % 3]
        assert (told.get(n) == (f"s{n % 3}", size)) == strange


def test_a_prediction_is_between_now_and_the_past():
    def loads(first: int) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for n in range(first, first + 399):
            house, household, plug = (ab.noise(n, k) % m for k, m in enumerate((5, 4, 6)))
            for place in (f"{house}", f"{house}/{household}", f"{house}/{household}/{plug}"):
                found.setdefault(place, []).append(ab.noise(n, 3) % 2000)
        return dict(sorted(found.items()))
    told, now, later = printed("smart_home"), loads(0), loads(400)
    mean = {place: sum(own) // len(own) for place, own in now.items()}
    assert told[:len(now)] == [["399", place, str(load)] for place, load in mean.items()]
    assert told[len(now):len(now) + len(later)] == [
        ["799", place, str((sum(own) // len(own) + mean.get(place, sum(own) // len(own))) // 2)]
        for place, own in later.items()]
    assert {place.count("/") for _, place, _ in told} == {0, 1, 2}
