"""Which files belong to a batch, from the logs that Spark keeps of a query."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anabranch.core.errors import RunError
from anabranch.engine.spark.stream.log import files_of


def offsets(folder: Path, batch: int, *ends: int | None) -> None:
    lines = ["-" if end is None else json.dumps({"logOffset": end}) for end in ends]
    put(folder / "offsets" / str(batch), "{}", *lines)


def entries(folder: Path, source: int, name: str, files: dict[str, int]) -> None:
    lines = [f'{{"path":"file:///in/{file}","timestamp":1,"batchId":{entry}}}'
             for file, entry in files.items()]
    put(folder / "sources" / str(source) / name, *lines)


def put(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["v1", *lines]))


def test_files_between_two_batches(tmp_path):
    offsets(tmp_path, 0, 0, None)
    offsets(tmp_path, 1, 2, 0)
    entries(tmp_path, 0, "0", {"a.csv": 0})
    entries(tmp_path, 0, "1", {"b%20b.csv": 1, "c.csv": 1})
    entries(tmp_path, 0, "2", {"d.csv": 2})
    entries(tmp_path, 1, "0", {"e.csv": 0})
    assert list(files_of(tmp_path, 0)) == [(0, "/in/a.csv")]
    assert list(files_of(tmp_path, 1)) == [(0, "/in/b b.csv"), (0, "/in/c.csv"), (0, "/in/d.csv"),
                                           (1, "/in/e.csv")]


def test_an_entry_that_repeats_all_before(tmp_path):
    offsets(tmp_path, 3, 8)
    offsets(tmp_path, 4, 9)
    entries(tmp_path, 0, "9.compact", {"a.csv": 0, "b.csv": 8, "c.csv": 9})
    assert list(files_of(tmp_path, 4)) == [(0, "/in/c.csv")]


def test_logs_that_are_not_as_expected(tmp_path):
    offsets(tmp_path, 0, 0)
    with pytest.raises(RunError, match="cannot read the checkpoint"):
        list(files_of(tmp_path, 0))
    (tmp_path / "offsets" / "0").write_text("v9\n{}\n")
    with pytest.raises(RunError, match="the checkpoint is damaged"):
        list(files_of(tmp_path, 0))
