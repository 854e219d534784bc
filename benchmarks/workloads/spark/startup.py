"""Starting up: `anabranch run` of ten rows on Spark against a bare session."""

from __future__ import annotations

import subprocess
import sys
import time

import pyarrow as pa

from benchmarks.environments import last_line, python_of
from benchmarks.measurement import Contender, NotThere, Outcome, Run, Setting
from benchmarks.processes import PROGRAMS, Script, run_script
from benchmarks.runner import at_most, compared

CASE = "ten rows"
OURS, BARE = "anabranch run", "bare session"
RIGHT = pa.table({"value": [n * n + 1 for n in range(10)]})
PATIENCE = 120


def measure(setting: Setting) -> Outcome:
    contenders = [Contender(OURS, _ours, ours=True), Contender(BARE, lambda: _bare(setting))]
    outcome = compared(CASE, contenders, RIGHT, len(RIGHT), setting)
    ours, bare = outcome.of(CASE, OURS), outcome.of(CASE, BARE)
    more = ours.median - bare.median if ours and bare else None
    return outcome.joined(Outcome(goals=[at_most("more than a bare session", more, 2.0, "s")]))


def _ours() -> Run:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "anabranch", "run", str(PROGRAMS / "ten.py"), "--engine", "spark",
         "--master", "local[2]"], capture_output=True, text=True, timeout=PATIENCE)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise NotThere(f"it failed: {last_line(done.stderr)}")
    return Run(seconds, pa.table({"value": [int(n) for n in done.stdout.split()[1:]]}))


def _bare(setting: Setting) -> Run:
    """The whole process, from its start to its end. It has no answer to get wrong."""
    python = python_of("pyspark", setting.tell)
    began = time.perf_counter()
    run_script(python, Script("pyspark", "bare"), setting.folder, setting.folder, PATIENCE)
    return Run(time.perf_counter() - began, RIGHT)
