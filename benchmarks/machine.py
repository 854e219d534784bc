"""What a result was measured on: cores, memory, versions, the commit, the load."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from anabranch.core.source import PACKAGE

BENCHMARKS = str(Path(__file__).parent / "*.py")
"""Their programs, in Git's words; not their results."""

STOLEN = 7
"""Which of the system's counts of processor time it is."""

LIBRARIES = ("anabranch", "numba", "numpy", "pyarrow", "pyspark")


def described() -> dict[str, object]:
    """The machine now, as it stands in results."""
    return {"measured": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), "commit": commit(),
            "cores": os.cpu_count(), "processor": _processor(), "memory": _memory(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(), "load": round(os.getloadavg()[0], 2),
            "versions": {name: _version(name) for name in LIBRARIES}}


def commit() -> str:
    """The short name of the commit, with `+` when there are changes on top of it."""
    folder = Path(PACKAGE).parent
    try:
        name = _git(folder, "rev-parse", "--short", "HEAD")
        changes = _git(folder, "status", "--porcelain", "--", PACKAGE, BENCHMARKS)
        return name + ("+" if changes else "")
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def stolen(stat: Path = Path("/proc/stat")) -> float:
    """The seconds that the host of a virtual machine has taken from all its processors so far, to
    give them to others; 0 where nobody tells."""
    try:
        counts = stat.read_text().partition("\n")[0].split()[1:]
        return int(counts[STOLEN]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True,
                          check=True, timeout=20).stdout.strip()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    return _line("/proc/cpuinfo", "model name") or platform.processor() or "unknown"


def _memory() -> str:
    kilobytes = _line("/proc/meminfo", "MemTotal").split()
    return f"{int(kilobytes[0]) / 2**20:.0f} GiB" if kilobytes else "unknown"


def _line(file: str, name: str) -> str:
    """The value behind a name in one of the system's files; empty where there is none."""
    try:
        lines = Path(file).read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
