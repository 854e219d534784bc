"""Every code block of the documents runs, in order, in one folder per document.

A `python` block with `title="name.py"` is also written to that file, so that a following `console`
block can use it. A `console` block holds `$ command` lines, each followed by its exact output.
Blocks in other languages with a title are written to their file. With `pytest --update-golden` the
outputs in the documents are written anew.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
NEVER_RUN = ("make ", "pip ", "git ")
# How long a run took is not the same twice.
TAKEN = re.compile(r"( in (?:\d+ batch(?:es)?, )?)[0-9.]+ s$")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: str(d.relative_to(ROOT)))
def test_blocks_run(document, tmp_path, monkeypatch, request):
    original = document.read_text()
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    namespace = {"__name__": "__document__"}
    for number, (language, title, text) in enumerate(BLOCK.findall(original)):
        if title:
            Path(title).write_text(text)
        if language == "python":
            _run_python(text, title or f"{document.stem}_{number}.py", namespace)
        elif language == "console":
            seen = _run_console(text)
            if request.config.getoption("--update-golden"):
                document.write_text(document.read_text().replace(text, seen))
            else:
                assert seen == text


def _run_python(text: str, file: str, namespace: dict) -> None:
    path = Path(file).resolve()
    # Functions are analysed from their source, so the block must be a file that can be found.
    path.write_text(text)
    exec(compile(text, str(path), "exec"), namespace)


def _run_console(text: str) -> str:
    """The block as it should be: each command followed by what it prints now."""
    commands = [line for line in text.split("\n") if line.startswith("$ ")]
    return "".join(f"{line}\n{_output_of(line.removeprefix('$ '))}" for line in commands)


def _output_of(command: str) -> str:
    if command.startswith(NEVER_RUN):
        return ""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1",
                   "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    words = shlex.split(command)
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300)
    lines = (done.stdout + done.stderr).rstrip("\n").split("\n")
    shown = [TAKEN.sub(r"\g<1>0.01 s", line.rstrip()) for line in lines]
    return "".join(f"{line}\n" for line in shown) if any(shown) else ""
