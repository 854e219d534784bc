"""How many rows the first slices of a table have: all that are wanted where they are surely light,
else few, until it is known what they cost."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import anabranch as ab
from anabranch.engine.multicore.intake import Intake
from anabranch.engine.multicore.sizing import Sizing
from anabranch.io.text.lines import lines_about
from anabranch.plan.tuning import costs
from anabranch.runtime.stage.kernel import KernelLine

ROWS = 30_000


class Item(ab.Record):
    key: int
    value: float


class Sum(ab.State):
    total: float = 0.0


@ab.operator(by="key")
def running(state: Sum, t: Item):
    state.total += t.value
    yield t.replace(value=state.total)


@ab.operator
def stepped(t: Item):
    total = 0.0
    for n in range(t.key):
        total += n * t.value
    yield t.replace(value=total)


TABLE = pa.table({"key": np.arange(ROWS) % 5, "value": np.arange(ROWS) * 0.5})
TUNED = {"engine": "multicore", "workers": 2, "tune": {"kernels": "always"}}


@pytest.fixture
def sizes(monkeypatch):
    seen, run = [], KernelLine.run
    monkeypatch.setattr(KernelLine, "run", lambda line, number, flow: seen.append(
        len(flow.items)) or run(line, number, flow))
    return seen


def items():
    return ab.from_arrow(TABLE, Item).filter(lambda t: t.value != 7.0)


def test_light_rows_come_in_full_slices(sizes):
    wanted = items().apply(running).to_arrow(engine="sequential")
    items().apply(running).to_arrow(**TUNED)
    sizes.clear()
    assert items().apply(running).to_arrow(**TUNED).equals(wanted)
    assert sizes == [ROWS]


def test_a_loop_has_to_be_tried_first(sizes):
    for _ in range(2):
        sizes.clear()
        items().apply(stepped).to_arrow(**TUNED)
        assert sizes[0] <= costs().first_columns


def test_so_has_a_callback(sizes):
    seen = []
    stream = items().apply(running).for_each(lambda t: seen.append(t.key))
    for _ in range(2):
        sizes.clear()
        stream.run(**TUNED)
        assert sizes[0] <= costs().first_columns
    assert len(seen) == 2 * (ROWS - 1)


def test_the_last_slices_of_a_file_with_heavy_rows_are_small(tmp_path, monkeypatch):
    file, seen, cut = tmp_path / "items.parquet", [], Intake._cut
    parquet.write_table(TABLE.slice(0, 3_000), file)
    # Each row takes a millisecond, as is known from the beginning.
    monkeypatch.setattr(Sizing, "cost", property(lambda self: 0.001, lambda self, cost: None),
                        raising=False)
    monkeypatch.setattr(Intake, "_cut", lambda self: seen.append(self.pieces.rows) or cut(self))
    out = ab.read_parquet(str(file), Item).map(lambda t: t.value).collect(
        engine="multicore", workers=2, tune={"kernels": "never", "processes": "always"})
    assert out == TABLE["value"][:3_000].to_pylist()
    assert max(seen) == 80 and seen[-1] <= 10


def test_lines_of_a_file_are_judged_well_although_they_become_longer(tmp_path):
    file = tmp_path / "numbers.csv"
    file.write_text("".join(f"{n},{n * n}\n" for n in range(200_000)))
    assert lines_about(str(file)) == pytest.approx(200_000, rel=0.02)
    file.write_text("n\n1\n2\n")
    assert lines_about(str(file)) == 3
