"""This package where Python workers run: found by its path, or sent there as an archive."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anabranch.engine.spark.environment import with_variables
from anabranch.source import PACKAGE

if TYPE_CHECKING:
    from pyspark import SparkContext


@contextmanager
def package_there(context: SparkContext) -> Iterator[None]:
    """This package can be imported in the Python workers: by its path, or sent as an archive."""
    if not context.master.startswith("local"):
        _send(context)
        yield
        return
    paths = [str(Path(PACKAGE).parent), context.environment.get("PYTHONPATH")]
    with with_variables(context.environment, {"PYTHONPATH": os.pathsep.join(filter(None, paths))}):
        yield


def _send(context: SparkContext) -> None:
    """Once in a session, which takes no other file of this name. Executors that come later fetch
    the archive from where it is now, so it stays as long as the session's own files."""
    with archived() as archive:
        kept = Path(context._temp_dir, Path(archive).name)
        if kept.name not in context._python_includes:
            shutil.copy(archive, kept)
            context.addPyFile(str(kept))


@contextmanager
def archived() -> Iterator[str]:
    """The package as an archive. Its name tells its content, since sessions may keep both."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "anabranch.zip")
        _pack(made)
        content = hashlib.sha256(made.read_bytes()).hexdigest()[:16]
        yield str(made.rename(made.with_stem(f"anabranch-{content}")))


def _pack(path: Path) -> None:
    root = Path(PACKAGE)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(root.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(root.parent))
