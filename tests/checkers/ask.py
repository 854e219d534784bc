"""Type checkers by name: how each is called in strict mode, and what it says, line by line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from checkers.programs import ROOT

SOURCE = str(ROOT / "src")
BESIDE = ("retail", "project")
"""Folders of examples whose files import each other."""


@dataclass
class Answer:
    """What a checker says of the files of a folder: errors as (file, line, text), and the types
    that it reveals, by file and line."""

    errors: list[tuple[str, int, str]] = field(default_factory=list)
    revealed: dict[tuple[str, int], str] = field(default_factory=dict)

    def lines_of(self, file: str) -> set[int]:
        return {line for name, line, _ in self.errors if name == file}


def plain(text: str) -> str:
    """A type without the modules of its parts."""
    return re.sub(r"\b[a-z_]+\.", "", text.replace("builtins.", ""))


def mypy(folder: Path) -> Answer:
    """It is given the files that are there, and looks for the examples' own modules beside them."""
    files = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.py"))]
    path = os.pathsep.join([SOURCE, *(str(folder / "examples" / each) for each in BESIDE)])
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-pretty",
         "--explicit-package-bases", "--no-error-summary", "--show-error-end",
         "--cache-dir", str(folder / ".mypy"), *files],
        capture_output=True, text=True, cwd=folder, env={**os.environ, "MYPYPATH": path})
    assert done.returncode in (0, 1) and not done.stderr, done.stderr + done.stdout
    found = re.findall(r"^([^:\n]+):(\d+):[\d:]+ (error|note): (.*)$", done.stdout, re.MULTILINE)
    answer = Answer()
    for file, line, kind, text in found:
        if kind == "error":
            answer.errors.append((file, int(line), text))
        elif shown := re.fullmatch(r'Revealed type is "(.*)"', text):
            answer.revealed[file, int(line)] = plain(shown[1])
    return answer


def pyright(folder: Path) -> Answer:
    """The one of npm, which `make types` installs."""
    packages = [SOURCE, *(p for p in sys.path if p.endswith("site-packages"))]
    (folder / "pyrightconfig.json").write_text(json.dumps({
        "include": ["."], "typeCheckingMode": "strict", "pythonVersion": "3.11",
        "extraPaths": packages}))
    done = subprocess.run(["node", str(ROOT / "out/types/node_modules/pyright/index.js"),
                           "--outputjson", "-p", "."], capture_output=True, text=True, cwd=folder)
    answer = Answer()
    for each in json.loads(done.stdout)["generalDiagnostics"]:
        file = str(Path(each["file"]).relative_to(folder.resolve()))
        line = each["range"]["start"]["line"] + 1
        if each["severity"] == "error":
            answer.errors.append((file, line, each["message"]))
        elif shown := re.search(r' is "(.*)"$', each["message"]):
            answer.revealed[file, line] = shown[1]
    return answer


def ty(folder: Path) -> Answer:
    """The one that `make types` installs, with every rule as an error."""
    packages = [part for path in sys.path if path.endswith("site-packages")
                for part in ("--extra-search-path", path)]
    done = subprocess.run(
        [str(ROOT / "out/types/bin/ty"), "check", "--error", "all", "--output-format", "concise",
         "--python-version", "3.11", "--extra-search-path", SOURCE, *packages,
         *(part for each in BESIDE for part in ("--extra-search-path", f"examples/{each}")), "."],
        capture_output=True, text=True, cwd=folder)
    answer = Answer()
    for file, line, kind, text in re.findall(r"^([^:\n]+):(\d+):\d+: (\S+) (.*)$", done.stdout,
                                             re.MULTILINE):
        if kind.startswith("error"):
            answer.errors.append((file, int(line), text))
        elif shown := re.search(r"`(.*)`$", text):
            answer.revealed[file, int(line)] = shown[1]
    assert answer.revealed, done.stderr + done.stdout
    return answer


CHECKERS: dict[str, Callable[[Path], Answer]] = {"mypy": mypy, "pyright": pyright, "ty": ty}

UNSEEN = {"ty": {"selectivty"}}
"""Mistakes of `wrong.py` that a checker does not know of: keyword arguments of a typed dict."""
