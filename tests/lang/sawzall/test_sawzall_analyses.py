"""Whole programs as people write them: logs, histograms, searches, small algorithms.

A block of `analyses.txt` is a program: what it is about, its options, and behind `--- input` the
lines that it reads.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from anabranch.engine.spark.job.pickling import dumped
from anabranch.lang.sawzall import compiled
from lang.sawzall.szl import both
from lang.sawzall.test_sawzall_programs import said

ANALYSES = Path(__file__).with_name("analyses.txt").read_text().rstrip("\n").split("\n%%\n")


def printed(block: str, engine: str, folder: Path) -> str:
    program, _, lines = block.partition("--- input\n")
    files = (folder / "input.txt",) if lines else ()
    for path in files:
        path.write_text(f"{lines}\n")
    workers = None if engine == "sequential" else 2
    return "".join(both(program, files, engine=engine, workers=workers, **options_of(block)))


def options_of(block: str) -> dict[str, bool]:
    return dict.fromkeys((said(block, "options") or "").split(), True)


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_programs_print(golden, tmp_path, monkeypatch, engine):
    monkeypatch.setenv("TZ", "PST8PDT")
    golden("lang/sawzall_analyses.txt", "\n".join(
        f"{block}\n=>\n{printed(block, engine, tmp_path)}" for block in ANALYSES))


def test_programs_travel_to_executors():
    for block in ANALYSES:
        program = block.partition("--- input\n")[0]
        assert dumped(compiled(program, "program.szl", **options_of(block)))
