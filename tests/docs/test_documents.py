"""Every code block of the documents runs, in order, in one folder per document.

A `python` block with `title="name.py"` is also written to that file, so that a following `console`
block can use it. A `console` block holds `$ command` lines, each followed by its exact output.
Blocks in other languages with a title are written to their file. With `pytest --update-golden` the
outputs in the documents are written anew.

The commands of README.md run as a user runs them, each in a process of its own. Those of the other
documents run in this one, where they find everything loaded, and a Spark session that is there.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from anabranch.cli import commands

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
NEVER_RUN = ("make ", "pip ", "git ")
ON_SPARK = re.compile(r"^\$ anabranch run (?!.*--engine)", re.MULTILINE)
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1"}
# How long a run took is not the same twice.
TAKEN = re.compile(r"( in (?:\d+ batch(?:es)?, )?)[0-9.]+ s$")


def _needs_session(document: Path) -> bool:
    return document.name != "README.md" and any(
        ON_SPARK.search(text) if language == "console" else "SparkSession" in text
        for language, _, text in BLOCK.findall(document.read_text())
        if language in ("console", "python"))


def _case(document: Path):
    marks = [pytest.mark.xdist_group("spark")] if _needs_session(document) else []
    return pytest.param(document, id=str(document.relative_to(ROOT)), marks=marks)


@pytest.mark.parametrize("document", list(map(_case, DOCUMENTS)))
def test_blocks_run(document, tmp_path, monkeypatch, request):
    original = document.read_text()
    if _needs_session(document):
        request.getfixturevalue("spark")
    done = _in_its_own_process if document.name == "README.md" else _in_this_process
    monkeypatch.chdir(tmp_path)
    # A block may say where Python looks for packages.
    monkeypatch.setattr(sys, "path", [*sys.path])
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    namespace = {"__name__": "__document__"}
    for number, (language, title, text) in enumerate(BLOCK.findall(original)):
        if title:
            Path(title).parent.mkdir(exist_ok=True)
            Path(title).write_text(text)
        if language == "python":
            _run_python(text, title or f"{document.stem}_{number}.py", namespace)
        elif language == "console":
            seen = _run_console(text, done)
            if request.config.getoption("--update-golden"):
                document.write_text(document.read_text().replace(text, seen))
            else:
                assert seen == text


def _run_python(text: str, file: str, namespace: dict) -> None:
    path = Path(file).resolve()
    # Functions are analysed from their source, so the block must be a file that can be found.
    path.write_text(text)
    exec(compile(text, str(path), "exec"), namespace)


def _run_console(text: str, done: Callable[[list[str]], str]) -> str:
    """The block as it should be: each command followed by what it prints now."""
    lines = [line for line in text.split("\n") if line.startswith("$ ")]
    return "".join(f"{line}\n{_shown(line.removeprefix('$ '), done)}" for line in lines)


def _shown(command: str, done: Callable[[list[str]], str]) -> str:
    if command.startswith(NEVER_RUN):
        return ""
    lines = done(shlex.split(command)).rstrip("\n").split("\n")
    shown = [TAKEN.sub(r"\g<1>0.01 s", line.rstrip()) for line in lines]
    return "".join(f"{line}\n" for line in shown) if any(shown) else ""


def _in_its_own_process(words: list[str]) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(words, capture_output=True, text=True, timeout=300,
                          env={**os.environ, **PLAIN, "PATH": path})
    return done.stdout + done.stderr


def _in_this_process(words: list[str]) -> str:
    if words[0] != "anabranch":
        return _in_its_own_process(words)
    done = CliRunner().invoke(commands, words[1:], env=PLAIN)
    return done.stdout + done.stderr
