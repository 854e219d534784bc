"""Every code block of the documents runs, in order, in one folder per document.

A `python` block with `title="name.py"` is also written to that file, so that a following `console`
block can use it. A `console` block holds `$ command` lines, each followed by its exact output.
Blocks in other languages with a title are written to their file.
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


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: str(d.relative_to(ROOT)))
def test_blocks_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    namespace = {"__name__": "__document__"}
    for number, (language, title, text) in enumerate(BLOCK.findall(document.read_text())):
        if title:
            Path(title).write_text(text)
        if language == "python":
            _run_python(text, title or f"{document.stem}_{number}.py", namespace)
        elif language == "console":
            _run_console(text)


def _run_python(text: str, file: str, namespace: dict) -> None:
    path = Path(file).resolve()
    # Functions are analysed from their source, so the block must be a file that can be found.
    path.write_text(text)
    exec(compile(text, str(path), "exec"), namespace)


def _run_console(text: str) -> None:
    for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = step.partition("\n")
        if command.startswith(NEVER_RUN):
            continue
        assert _output_of(command) == expected.rstrip("\n"), command


def _output_of(command: str) -> str:
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1",
                   "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    words = shlex.split(command)
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60)
    lines = (done.stdout + done.stderr).rstrip("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines)
