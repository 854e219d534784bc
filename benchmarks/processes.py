"""Programs as contenders: each run is a process of its own.

It runs in the environment of its system.
"""

from __future__ import annotations

import ast
import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pyarrow as pa

from anabranch.engine.spark.session.java import quiet_java_home
from benchmarks.answers import loaded
from benchmarks.environments import PEERS, last_line, python_of
from benchmarks.measurement import Contender, NotThere, Run, Setting

HARNESS = PEERS / "harness.py"
PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[1]
PATIENCE = 300
ON_JAVA = ("pyspark", "pyflink")
_numbers = itertools.count()


@dataclass(frozen=True)
class Script:
    """A program of a system, and how it is run; "anabranch" is the system in this package.

    `warm` is how often it runs before the run that counts, `environment` what it finds in its
    environment beside what is there."""

    system: str
    program: str
    options: dict[str, object] = field(default_factory=dict)
    warm: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        folder = PROGRAMS if self.ours else PEERS / self.system
        return folder / f"{self.program}.py"

    @property
    def ours(self) -> bool:
        return self.system == "anabranch"


def contender(name: str, script: Script, source: Path, schema: pa.Schema, setting: Setting
              ) -> Contender:
    """A script as a contender whose answer is what it writes, in the form of what it reads; a
    folder is one of CSV files."""
    return Contender(name, partial(_run, script, source, schema, setting), script.ours,
                     lines_of_code(script.file) if script.file.exists() else None)


def _run(script: Script, source: Path, schema: pa.Schema, setting: Setting) -> Run:
    if not script.file.exists():
        raise NotThere(f"{script.system} has no program for {script.program}")
    target = setting.folder / f"answer-{next(_numbers)}{source.suffix or '.csv'}"
    python = python_of(script.system, setting.tell)
    figures = run_script(python, script, source, target)
    try:
        return Run(figures["seconds"], loaded(target, schema), figures["startup"])
    except (OSError, pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise NotThere(f"its answer cannot be read: {last_line(str(error))}") from error


def run_script(python: Path, script: Script, source: Path, target: Path,
               patience: float = PATIENCE) -> dict:
    """What the harness reported; `NotThere` with the program's own words when it fails."""
    asked = {"program": str(script.file), "source": str(source), "target": str(target),
             "options": script.options, "warm": script.warm, "began": time.time()}
    # The harness ends without any clean-up, so what is left behind is left in here.
    with tempfile.TemporaryDirectory(prefix="anabranch-bench-", ignore_cleanup_errors=True) as own:
        environment = {**os.environ, "TMPDIR": own, **_needed(script, python),
                       **script.environment}
        done = _finished([str(python), str(HARNESS), json.dumps(asked)], environment, patience)
    if done.returncode:
        raise NotThere(f"it failed: {last_line(done.stderr)}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def _needed(script: Script, python: Path) -> dict[str, str]:
    """What would not be found by itself: `benchmarks`, by our programs and by Spark's workers that
    run them; the interpreter for the workers of PySpark and PyFlink, and a Java, where none is
    installed."""
    if script.ours:
        paths = (str(ROOT), os.environ.get("PYTHONPATH"))
        return {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    if script.system not in ON_JAVA:
        return {}
    there = "JAVA_HOME" in os.environ or shutil.which("java")
    java = {} if there else {"JAVA_HOME": quiet_java_home(own_logging=True)}
    return {"PYSPARK_PYTHON": str(python), **java}


def _finished(command: list[str], environment: dict, patience: float
              ) -> subprocess.CompletedProcess:
    """The ended process. One that takes too long is ended with all that it has started."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        raise NotThere(f"it took more than {patience:g} s") from None
    finally:
        _end(process)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _end(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.communicate()


def lines_of_code(file: Path) -> int:
    """Lines with code of the user: without blank lines, comments and docstrings."""
    tree = ast.parse(file.read_text())
    texts = {line for node in ast.walk(tree) if _is_text(node)
             for line in range(node.lineno, node.end_lineno + 1)}
    lines = enumerate(file.read_text().splitlines(), 1)
    return sum(1 for number, line in lines if line.strip() and number not in texts
               and not line.strip().startswith("#"))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
