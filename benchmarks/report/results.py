"""The results of a suite as JSON: each workload with the machine it was measured on.

    {"schema": 1, "suite": "multicore", "workloads": {"w1": {
        "title": "...", "rows": 2000000, "repeat": 3, "machine": {...},
        "measurements": [{"case", "contender", "ours", "rows", "seconds": [...], "verdict",
                          "startup", "lines", "median", "rows_per_second"}],
        "absent": [{"case", "contender", "reason"}],
        "goals": [{"what", "wanted", "measured", "reached"}],
        "plots": [{"name", "title", "x", "y", "lines": {name: [[x, y], ...]}, "log"}],
        "notes": ["..."], "beside": [{"what", "paper", "ours", "why"}]}}}

`verdict` is "in order", "not in order" or "wrong"; `reached` is null when it was not measured.
Results of one workload replace its earlier ones; those of others stay. Those of other machines are
in folders of the folder, one for each, in the same form.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from anabranch.core.errors import DataError
from benchmarks.answers import Verdict
from benchmarks.machine import described
from benchmarks.measurement import (
    Absent,
    Beside,
    Goal,
    Measurement,
    Outcome,
    Plot,
    Setting,
    Workload,
)

SCHEMA = 1


def entry(workload: Workload, outcome: Outcome, setting: Setting) -> dict:
    """A workload's part of the file."""
    return {"title": workload.title, "rows": setting.rows, "repeat": setting.repeat,
            "machine": described(), "measurements": list(map(_measured, outcome.measurements)),
            **{part: list(map(asdict, getattr(outcome, part)))
               for part in ("absent", "goals", "plots", "beside")}, "notes": outcome.notes}


def outcome_of(found: dict) -> Outcome:
    """The outcome that an entry was made of."""
    return Outcome([_measurement(m) for m in found["measurements"]],
                   [Absent(**a) for a in found["absent"]], [Goal(**g) for g in found["goals"]],
                   [Plot(**p) for p in found["plots"]], found["notes"],
                   [Beside(**b) for b in found.get("beside", ())])


def folders(folder: Path) -> list[Path]:
    """The folder of this machine's results, and those of others in it."""
    return [folder, *sorted({file.parent for file in folder.glob("*/*.json")})]


def read(folder: Path, suite: str) -> dict[str, dict]:
    """The entries of a suite by workload; none when nothing was measured yet."""
    file = folder / f"{suite}.json"
    if not file.exists():
        return {}
    try:
        found = json.loads(file.read_text())
    except json.JSONDecodeError as error:
        raise DataError("the earlier results are not JSON", str(file), got=str(error),
                        help="remove the file, or give another folder with --out") from None
    if found.get("schema") != SCHEMA:
        raise DataError("the earlier results have another form", str(file),
                        expected=f"schema {SCHEMA}", got=f"schema {found.get('schema')}",
                        help="remove the file, or give another folder with --out")
    return found["workloads"]


def write(folder: Path, suite: str, entries: dict[str, dict]) -> Path:
    """Writes the whole file, or leaves the old one as it is."""
    file = folder / f"{suite}.json"
    text = json.dumps({"schema": SCHEMA, "suite": suite, "workloads": entries}, indent=1)
    temporary = file.with_suffix(".tmp")
    temporary.write_text(text + "\n")
    os.replace(temporary, file)
    return file


def _measured(m: Measurement) -> dict:
    return {**asdict(m), "verdict": m.verdict.value, "median": m.median,
            "rows_per_second": m.rows_per_second}


def _measurement(found: dict) -> Measurement:
    known = {name: found[name] for name in Measurement.__dataclass_fields__}
    return Measurement(**known | {"verdict": Verdict(found["verdict"]),
                                  "seconds": tuple(found["seconds"])})
