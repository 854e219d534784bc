"""Files that are noticed without a query of Spark's."""

from __future__ import annotations

from pathlib import Path

import pytest

import anabranch as ab
from anabranch.core.errors import RunError
from anabranch.engine.spark.stream.arrivals import FolderScan
from engines.spark.streams import arrive


def noticing(folder: Path, *passing: str) -> FolderScan:
    (source,) = ab.read_csv(folder / "in", int, name="rows").write_stdout().graph().sources
    return FolderScan(str(folder / "arrived"), [source], passing)


def names(given: FolderScan, batch: int) -> list[str]:
    return [Path(arrived.file).name for arrived in given.arrived(batch)]


def test_a_batch_has_what_is_new(tmp_path):
    (tmp_path / "in").mkdir()
    first = noticing(tmp_path)
    assert not first.notice()
    for number in (1, 0):
        arrive(tmp_path / "in", number, ["5"], "value")
    assert first.notice() and not first.notice()
    arrive(tmp_path / "in", 2, ["5"], "value")
    assert first.notice()
    again = noticing(tmp_path)
    assert not again.notice()
    for given in (first, again):
        assert [names(given, n) for n in (0, 1)] == [["00000.csv", "00001.csv"], ["00002.csv"]]


def test_a_batch_that_was_not_noted_wholly_has_not_begun(tmp_path):
    arrive(tmp_path / "in", 0, ["5"], "value")
    noticing(tmp_path).notice()
    whole = (tmp_path / "arrived").read_bytes()
    (tmp_path / "arrived").write_bytes(whole + b'{"rows": ["/in/1')
    again = noticing(tmp_path)
    assert len(again.batches) == 1 and (tmp_path / "arrived").read_bytes() == whole
    (tmp_path / "arrived").write_bytes(b"what?\n" + whole)
    with pytest.raises(RunError, match="the checkpoint is damaged"):
        noticing(tmp_path)


def test_what_only_passes_is_removed(tmp_path):
    arrive(tmp_path / "in", 0, ["5"], "value")
    given = noticing(tmp_path, "rows")
    given.notice()
    given.done(0)
    given.done(0)
    assert not list((tmp_path / "in").iterdir()) and not given.notice()
