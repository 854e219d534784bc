"""Operators that remember what no analysis can see are found by the first slices of a Spark job."""

from __future__ import annotations

import pytest

import anabranch as ab

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


class Row(ab.Record):
    key: int
    value: int


class Count(ab.State):
    n: int = 0


ROWS = [Row(n % 3, n) for n in range(100)]


def counted(path, row: Row) -> int:
    with open(path, "ab") as out:
        out.write(b".")
    return path.stat().st_size


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("is_keyed", [False, True], ids=["stateless", "keyed"])
def test_hidden_state_stops_a_job(is_keyed, tmp_path):
    path = tmp_path / "counter"

    @ab.operator(pure=True)
    def plain(row: Row):
        yield Row(row.key, counted(path, row))

    @ab.operator(by="key", pure=True)
    def keyed(state: Count, row: Row):
        state.n += 1
        yield Row(row.key, counted(path, row))
    stream = ab.from_iterable(ROWS, Row).apply(keyed if is_keyed else plain)
    with pytest.raises(ab.RunError, match="gives two answers for Row"):
        stream.collect(engine="spark")
