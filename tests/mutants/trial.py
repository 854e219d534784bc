"""Runs tests against a mutant, in a copy of the repository, in a fork that has the libraries."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import pytest

from mutants.places import ROOT

HEAVY = ("numpy", "numba", "pyarrow", "pyarrow.parquet", "lark", "click", "rich")
TAKEN = ("src", "tests", "examples", "docs", "pyproject.toml", "README.md", "Makefile")
LONGEST = 900.0
"""Seconds for all tests of a mutant, unless it is known how long they take."""


@dataclass(frozen=True)
class Verdict:
    caught: bool
    how: str
    seconds: float


class Copy:
    """A copy of the repository; its source is changed for one mutant at a time."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name in HEAVY:
            importlib.import_module(name)
        shutil.rmtree(folder / "copy", ignore_errors=True)
        for name in TAKEN:
            source, target = ROOT / name, folder / "copy" / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def text(self, module: Path) -> str:
        return self._file(module).read_text()

    def _file(self, module: Path) -> Path:
        return self.folder / "copy" / module.relative_to(ROOT)

    def tried(self, module: Path, text: str, stages: list[tuple[str, ...]],
              limit: float = LONGEST) -> Verdict:
        """What the tests say about a module with another text. Tests that never end have caught it
        as well."""
        file, before = self._file(module), self.text(module)
        began = time.monotonic()
        try:
            file.write_text(text)
            status = self._run(stages, limit)
        finally:
            file.write_text(before)
        how = {0: "survived", None: "did not end"}.get(status, "caught")
        return Verdict(status != 0, how, time.monotonic() - began)

    def _run(self, stages: list[tuple[str, ...]], limit: float) -> int | None:
        """The status of the tests in a process of their own; None when they do not end."""
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.setsid()
            os._exit(self._child(stages))
        ends = time.monotonic() + limit
        while time.monotonic() < ends:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                self._end(child)
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        self._end(child)
        os.waitpid(child, 0)
        return None

    @staticmethod
    def _end(child: int) -> None:
        """Ends the process and what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)

    def _child(self, stages: list[tuple[str, ...]]) -> int:
        try:
            with open(self.folder / "last.txt", "w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            os.chdir(self.folder / "copy")
            source = str(self.folder / "copy" / "src")
            sys.path[:] = [source, *(p for p in sys.path if not p.endswith(("/src", "/tests")))]
            os.environ |= {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1",
                           "XDG_CACHE_HOME": str(self.folder / "cache")}
            for name in [n for n in sys.modules if n.split(".")[0] in ("anabranch", "mutants")]:
                del sys.modules[name]
            return self._tests(stages)
        except BaseException:
            traceback.print_exc()
            return 3

    @staticmethod
    def _tests(stages: list[tuple[str, ...]]) -> int:
        for stage in stages:
            status = int(pytest.main([*stage, "-x", "-q", "-n", "0", "-m", "not long",
                                      "-p", "no:cacheprovider", "-W",
                                      "ignore::pytest.PytestAssertRewriteWarning"]))
            if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                return status
        return 0
