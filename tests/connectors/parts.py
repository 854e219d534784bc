"""What is fetched, and how: jars by Maven, PySpark of other versions by pip; see out/connectors.

A part that its registry does not have is a test that is skipped, with the registry's own word.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "out" / "connectors"
LIST = Path(__file__).with_name("pom.xml")

PACKAGES = {"spark-4.2": ("pyspark==4.2.0", "delta-spark==4.4.1"), "spark-4.1": ("pyspark==4.1.4",),
            "moto": ("moto[server]==5.2.5",)}
"""What environments of their own have. Where Maven has no connector for the newest Spark, the
newest connector says for which version that is. Delta's own package is there to see that it goes
together with ours."""

LIMIT = 900


@contextmanager
def _alone() -> Iterator[None]:
    """One process at a time fetches something."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@_alone()
def jars(part: str) -> list[Path]:
    """The jars of a profile of pom.xml."""
    folder = KEPT / f"{part}-{hashlib.sha256(LIST.read_bytes()).hexdigest()[:12]}"
    if not folder.is_dir():
        if shutil.which("mvn") is None:
            pytest.fail("make connectors fetches jars with Maven: install the command mvn")
        coming = folder.with_suffix(".coming")
        shutil.rmtree(coming, ignore_errors=True)
        _fetched(f"the jars of {part}", [
            "mvn", "--quiet", "--batch-mode", "--file", str(LIST), "--activate-profiles", part,
            "dependency:copy-dependencies", "-DincludeScope=runtime",
            f"-DoutputDirectory={coming}"])
        coming.rename(folder)
    return sorted(folder.glob("*.jar"))


@_alone()
def python_of(environment: str) -> str:
    """The Python of an environment, which has its packages, and all else from that of the tests."""
    wanted = PACKAGES.get(environment)
    if wanted is None:
        return sys.executable
    folder = KEPT / environment
    python, ready = folder / "bin" / "python", folder / f".{'-'.join(wanted)}"
    if not ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        _fetched(" and ".join(wanted), [str(python), "-m", "pip", "install", "--quiet",
                                        "--disable-pip-version-check", *wanted])
        # What is found first is what is installed here.
        behind = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}), "zz_behind.pth")
        behind.write_text("\n".join([str(ROOT / "src"), *filter(_is_of_packages, sys.path)]))
        ready.touch()
    return str(python)


def _is_of_packages(path: str) -> bool:
    return Path(path).name in ("site-packages", "dist-packages")


def command(name: str) -> str:
    """A program of this machine, by its name."""
    found = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *_DEBIANS]))
    if found is None:
        pytest.fail(f"make connectors starts {name}, which is not there: install its package")
    return found


_DEBIANS = [str(folder) for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"))]


def _fetched(what: str, words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
        pytest.skip(f"{what} cannot be had here: {(said or ['no word'])[0][:300]}")
