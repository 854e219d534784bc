"""Rows that come too late for their window, in a job and in a stream, which goes on behind them."""

from __future__ import annotations

import json

import pytest

import anabranch as ab
from anabranch.core.errors import RunError
from engines.spark.streams import arrive, parts, sequential, streamed
from engines.test_late_rows import IN_TIME, LATE, ROWS, Reading, opaque, overall, read, run

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

HEADER = "ts,key"


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("build", [opaque, overall])
def test_a_job_keeps_late_rows_apart(build, tmp_path):
    expected, seen = run(build(read(ROWS)), "sequential", on_error="skip")
    kept = tmp_path / "late.jsonl"
    out, report = run(build(read(ROWS)), "spark", on_error=f"divert={kept}")
    assert out == expected
    assert report.bad_rows == seen.bad_rows.replace("skipped", f"diverted to {kept}")
    assert len(kept.read_text().splitlines()) == int(seen.bad_rows.split()[0])


def lines(rows) -> list[str]:
    return [f"{ts},{key}" for ts, key in rows]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("policy", ["skip", "divert"])
def test_a_stream_that_stopped_at_a_late_row_goes_on_with_a_policy(policy, tmp_path):
    def build() -> ab.Stream:
        return opaque(ab.read_csv(tmp_path / "in", Reading)).write_csv(tmp_path / "out", name="out")
    options = {"checkpoint": str(tmp_path / "checkpoint")}
    arrive(tmp_path / "in", 1, lines(ROWS[:3]), HEADER)
    streamed(build, **options)
    arrive(tmp_path / "in", 2, lines(ROWS[3:6]), HEADER)
    for _ in range(2):
        with pytest.raises(RunError, match="an item comes late") as failed:
            streamed(build, **options)
        assert "--on-error skip leaves such items out" in failed.value.help
    kept = tmp_path / "late"
    options["on_error"] = "skip" if policy == "skip" else f"divert={kept}"
    first = streamed(build, **options)
    assert first.bad_rows.startswith("2 late rows ")
    arrive(tmp_path / "in", 3, lines(ROWS[6:]), HEADER)
    second = streamed(build, until_idle=0.1, **options)
    assert second.bad_rows.startswith("1 late row ")
    arrive(tmp_path / "whole", 1, lines(IN_TIME), HEADER)
    expected = sequential(build, tmp_path / "out", inputs={"in": str(tmp_path / "whole")})
    assert parts(tmp_path / "out") == expected
    if policy == "divert":
        raw = [json.loads(line)["raw"] for file in sorted(kept.iterdir())
               for line in file.read_text().splitlines()]
        assert raw == LATE
