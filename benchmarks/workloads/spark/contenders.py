"""What these workloads share: two cores, a warm session, parts as answers."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from anabranch.runtime.options import RunOptions
from benchmarks import data
from benchmarks.measurement import Contender, NotThere, Outcome, Run, Setting
from benchmarks.processes import PROGRAMS, Script, contender, lines_of_code
from benchmarks.runner import compared
from benchmarks.workloads.files.contenders import OURS, right_answer

CASE = "csv to csv"
SHARE = 4
NO_STREAMING = "the Spark engine has no streaming mode"


def streams() -> bool:
    """Whether the Spark engine runs unbounded inputs."""
    return "stream" in RunOptions.__dataclass_fields__


def on_spark(name: str, program: str, source: Path, schema: pa.Schema, setting: Setting,
             how: str = "on_spark") -> Contender:
    """A program of ours on the Spark engine, after a run to warm up; `how` is as a batch, or as a
    stream with "stream_on_spark"."""
    script = Script(OURS, how, {"program": program}, warm=1)
    made = contender(name, script, source, schema, setting)
    return Contender(name, made.run, True, lines_of_code(PROGRAMS / f"{program}.py"))


def by_hand(name: str, program: str, source: Path, schema: pa.Schema, setting: Setting
            ) -> Contender:
    """A hand-written PySpark program, after a run to warm up."""
    return contender(name, Script("pyspark", program, warm=1), source, schema, setting)


def missing(name: str, reason: str) -> Contender:
    """A contender that is not there."""
    def run() -> Run:
        raise NotThere(reason)
    return Contender(name, run, ours=True)


def against(program: str, dataset: str, peers: dict[str, str], setting: Setting, share: int = SHARE
            ) -> Outcome:
    """Ours as a batch on Spark against programs written by hand."""
    rows = max(1, setting.rows // share)
    right = right_answer(program, dataset, rows, setting)
    source, schema = data.written(dataset, rows, "csv"), right.schema
    contenders = [on_spark(OURS, program, source, schema, setting),
                  *(by_hand(name, made, source, schema, setting) for name, made in peers.items())]
    return compared(CASE, contenders, right, rows, setting)
