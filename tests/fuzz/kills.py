"""Ends runs from outside at any moment: a signal to the command, or a worker process killed.

Whatever happens, each file of the program is whole and right or not there, the exit status says
which, and no process is left.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fuzz.engines import placed
from fuzz.programs import Case, write
from fuzz.user_programs import Finding, as_test

ROWS = 2000
HOW = ("command SIGTERM", "command SIGINT", "command SIGKILL", "worker SIGKILL", "worker SIGTERM")
IMPORTS = "import random\nfrom collections import Counter\n\nfrom fuzz.kills import killed"
CHECK = 'killed(case, random.Random({seed}), Counter()) == ""'
LONGEST = 60.0
"""A run that has not ended after so many seconds never will."""


def main(seconds: float, seed: int) -> list[Finding]:
    end, findings, ends = time.monotonic() + seconds, [], Counter()
    while time.monotonic() < end and len(findings) < 5:
        seed += 1
        case = write(seed, ROWS)
        if case.hidden or ".write_" not in case.source or ".loop(" in case.source:
            continue
        wrong = killed(case, random.Random(seed), ends)
        if wrong:
            title = f"seed {seed}: {wrong}"
            print(f"found: {title}", flush=True)
            findings.append((title, as_test(case, [], title, IMPORTS, CHECK.format(seed=seed))))
    shown = ", ".join(f"exit {status} {count}" for status, count in ends.most_common())
    print(f"kills: {ends.total()} runs ({shown}), {len(findings)} findings", flush=True)
    return findings


def killed(case: Case, draw: random.Random, ends: Counter) -> str:
    """What is wrong after the program was ended in each way, if something is; `ends` counts the
    exit statuses."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = placed(case, Path(folder))
        whole = Run(path, ["--engine", "sequential"])
        if whole.ended() != 0:
            return ""
        options = ["--engine", "multicore", "--workers", "2", "--tune", "slice_size=20",
                   "--tune", f"processes={draw.choice(['always', 'never'])}"]
        wanted, began = files(path.parent), time.monotonic()
        wrong = judged(Run(path, options), "", wanted, 0.0, ends)
        lasts = time.monotonic() - began
        for how in HOW:
            moment = draw.random() * lasts
            wrong = wrong or judged(Run(path, options), how, wanted, moment, ends)
    return wrong


def judged(run: Run, how: str, wanted: dict[str, bytes], moment: float, ends: Counter) -> str:
    """What is wrong with a run that is ended after so many seconds."""
    if how:
        time.sleep(moment)
        run.kill(*how.split())
    status, left = run.ended(), files(run.path.parent)
    ends[status] += 1
    what = f"{how} after {moment:.3f} s: " if how else "not ended from outside: "
    if status is None:
        return f"{what}it did not end"
    if run.left():
        return f"{what}processes are left"
    if status == 0 and left != wanted:
        return f"{what}exit 0, but the files are not right"
    # Files appear together at the end, one after another; it may be ended when all are there.
    if status and how != "command SIGKILL" and left not in ({}, wanted):
        return f"{what}exit {status}, but there is {', '.join(left)}"
    if any(wanted.get(name) != content for name, content in left.items()):
        return f"{what}exit {status}, but a file is not whole"
    return ""


def files(folder: Path) -> dict[str, bytes]:
    """What the program has written, without traces of what never became a file."""
    return {path.name: path.read_bytes() for path in folder.glob("out*") if path.is_file()}


@dataclass
class Run:
    """The command in a process of its own, in a session of its own."""

    path: Path
    options: list[str]

    def __post_init__(self):
        for old in self.path.parent.glob("out*"):
            old.unlink()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _command(["run", str(self.path), *self.options])

    def kill(self, whom: str, name: str) -> None:
        target = self.pid
        if whom == "worker":
            others = [pid for pid in self.left() if pid != self.pid]
            target = others[0] if others else None
        if target is not None:
            with suppress(ProcessLookupError):
                os.kill(target, getattr(signal, name))

    def ended(self) -> int | None:
        """The exit status; None when it had to be killed."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._settle()
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.005)
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None

    def _settle(self) -> None:
        """Orphans notice a moment later that nobody is there."""
        deadline = time.monotonic() + 5.0
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.02)

    def left(self) -> list[int]:
        """The processes of the command's session that are still there."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
                if int(session) == self.pid and state != "Z":
                    found.append(int(stat.parent.name))
        return found


def _command(arguments: list[str]) -> None:
    status = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from anabranch.cli import commands
        commands(arguments, prog_name="anabranch")
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    finally:
        os._exit(status)
