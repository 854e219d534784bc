"""Who asks for the first items only waits for no more than these, and sees nothing of the rest."""

import itertools

import pytest

import anabranch as ab
from anabranch.core.errors import RunError

ENGINES = ("sequential", "multicore")


class Payment(ab.Record):
    account: int
    amount: float


def numbers(first: int = 0) -> ab.Stream[int]:
    return ab.from_iterable(itertools.count(first), int)


def fails_at(place: int):
    return lambda n: 10 // (place - n)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_input_without_end_is_read_as_far_as_it_is_asked_for(engine):
    given = numbers().filter(lambda n: n % 3 == 0).head(4).map(lambda n: n + 1)
    assert given.collect(engine=engine) == [1, 4, 7, 10]
    assert numbers().head(0).collect(engine=engine) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_what_fails_behind_the_last_item_is_not_met(engine):
    rows = ab.from_iterable(range(100), int)
    assert rows.map(fails_at(3)).head(3).collect(engine=engine) == [3, 5, 10]
    with pytest.raises(RunError, match="ZeroDivisionError"):
        rows.map(fails_at(3)).head(4).collect(engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_malformed_row_behind_it_is_not_met(engine, tmp_path):
    lines = [f"{n},{n / 2}" for n in range(9_000)]
    path = tmp_path / "in.csv"
    path.write_text("\n".join(["account,amount", *lines, "x,y"]) + "\n")
    payments = ab.read_csv(path, Payment)
    payments.head(5).write_csv(tmp_path / "out.csv").run(engine=engine)
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 6
    assert len(payments.head(9_000).collect(engine=engine)) == 9_000
    with pytest.raises(ab.AnabranchError, match="cannot be read as int"):
        payments.head(9_001).collect(engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_all_sinks_have_to_be_full(engine):
    few, many = [], []
    rows = ab.from_iterable(range(50), int)
    rows.head(2).collect_into(few, name="few")
    rows.head(30).collect_into(many, name="many").run(engine=engine)
    assert (few, many) == ([0, 1], list(range(30)))


@pytest.mark.parametrize("engine", ENGINES)
def test_all_rows_are_read_where_somebody_else_can_see_it(engine):
    seen, counted = [], ab.from_iterable(range(50), int)

    def noted(n: int) -> int:
        seen.append(n)
        return n
    assert counted.map(noted).head(2).collect(engine=engine) == [0, 1]
    assert sorted(set(seen)) == list(range(50))
    by_key = counted.map(lambda n: Payment(n % 2, float(n))).group_by("account").head(1)
    assert [p.account for p in by_key.collect(engine=engine)] == [0, 1]
    assert counted.head(3).filter(lambda n: n > 1).collect(engine=engine) == [2]
    assert counted.head(3).agg(n=ab.count()).collect(engine=engine) == [(3,)]
