"""The peers' own environments, installed once, from pinned names.

They are in the user's cache.

A peer is a folder in `peers/` with its programs and, if it needs any, its `requirements.txt`.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.data import cache
from benchmarks.measurement import NotThere

PEERS = Path(__file__).parent / "peers"
PATIENCE = 900


def python_of(peer: str, tell: Callable[[str], None] = lambda text: None) -> Path:
    """The interpreter that has what the peer needs; `NotThere` when it cannot be installed."""
    requirements = PEERS / peer / "requirements.txt"
    if not requirements.exists():
        return Path(sys.executable)
    if not is_installed(peer):
        tell(f"installing {peer}")
        _install(environment(peer), requirements)
    return environment(peer) / "bin" / "python"


def environment(peer: str) -> Path:
    """Its folder; another one as soon as a version changes."""
    text = (PEERS / peer / "requirements.txt").read_text() + sys.version
    return cache("peers") / f"{peer}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def is_installed(peer: str) -> bool:
    """Whether the peer can run without installing anything."""
    return not (PEERS / peer / "requirements.txt").exists() or (
        environment(peer) / "ready").exists()


def _install(folder: Path, requirements: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(folder)])
    _run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet",
          "--disable-pip-version-check", "-r", str(requirements)])
    (folder / "ready").touch()


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise NotThere(f"installing it took more than {PATIENCE} s") from None
    if done.returncode:
        raise NotThere(f"cannot be installed: {last_line(done.stderr)}")


def last_line(text: str) -> str:
    """What a failing command said at last; an error rather than what came behind it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["it said nothing"])[-1][:300]
