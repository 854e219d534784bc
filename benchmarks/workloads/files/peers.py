"""W1 to W4 and two applications from CSV to CSV, against other systems.

Streaming systems take longer, so all contenders get a quarter of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from benchmarks import data
from benchmarks.measurement import Contender, Goal, NotThere, Outcome, Run, Setting
from benchmarks.processes import Script, contender
from benchmarks.runner import at_least, compared, ratio
from benchmarks.workloads.files.contenders import OURS, ours, right_answer

CASE = "csv to csv"
SHARE = {"w1": 4, "w2": 4, "w3": 4, "w4": 80, "tags": 4, "fraud": 4}
DATASETS = {"w1": "payments", "w2": "entries", "w3": "events", "w4": "jobs",
            "tags": "posts", "fraud": "transactions"}


@dataclass(frozen=True)
class Peer:
    """A system; `warm` when it can run a program twice in a process, `streams` when it is one for
    streams; `cannot` says what it has no program for, and why. Its programs are those of the system
    that its name begins with, with `suffix` behind their names."""

    name: str
    warm: int = 1
    streams: bool = False
    suffix: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    cannot: Mapping[str, str] = field(default_factory=dict)

    @property
    def system(self) -> str:
        return self.name.partition(" ")[0]


PEERS = (
    Peer("polars"), Peer("duckdb"), Peer("loop", 0),
    Peer("bytewax", 0, True),
    Peer("pathway", 0, True, environment={"PATHWAY_THREADS": "2"}),
    Peer("pyspark"),
    Peer("pyspark streaming", 0, True, "_stream", cannot={
        "w2": "its watermark never closes the last windows of an input that ends",
        **dict.fromkeys(("w3", "tags", "fraud"), "a streaming DataFrame has no order of rows")}),
    Peer("pyflink", 1, True),
)


def measure(setting: Setting, program: str) -> Outcome:
    rows = max(1, setting.rows // SHARE[program])
    right = right_answer(program, DATASETS[program], rows, setting)
    source = data.written(DATASETS[program], rows, "csv")
    contenders = [ours(program, source, right.schema, setting, setting.most_workers, warm=1),
                  *(_peer(peer, program, source, right.schema, setting) for peer in PEERS)]
    outcome = compared(CASE, contenders, right, rows, setting)
    return outcome.joined(Outcome(goals=_goals(outcome, program)))


def _peer(peer: Peer, program: str, source: Path, schema: pa.Schema, setting: Setting
          ) -> Contender:
    if program in peer.cannot:
        return Contender(peer.name, lambda: _refuse(peer.cannot[program]))
    script = Script(peer.system, program + peer.suffix, {"workers": setting.most_workers},
                    peer.warm, dict(peer.environment))
    return contender(peer.name, script, source, schema, setting)


def _refuse(reason: str) -> Run:
    raise NotThere(reason)


def _goals(outcome: Outcome, program: str) -> list[Goal]:
    if program != "w1":
        return []
    streaming = [peer.name for peer in PEERS if peer.streams]
    return [at_least("against the fastest system for streams",
                     ratio(outcome, CASE, OURS, *streaming), 20.0)]
