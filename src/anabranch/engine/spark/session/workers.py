"""The Python workers of Spark: their package, variables and collector.

The package is found by its path, or sent as an archive. Behind each task Spark has a worker's
garbage collector look at everything; with a compiler loaded that takes longer than many a task
does, so what has been imported is taken out of its sight.
"""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anabranch.core.source import PACKAGE

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


@contextmanager
def with_variables(environment: MutableMapping[str, str], wanted: Mapping[str, str]
                   ) -> Iterator[None]:
    """The environment has the wanted variables, and is as it was behind the block.

    >>> known = {"A": "1"}
    >>> with with_variables(known, {"A": "2", "B": "3"}):
    ...     print(known)
    {'A': '2', 'B': '3'}
    >>> known
    {'A': '1'}
    """
    before = {name: environment.get(name) for name in wanted}
    environment.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del environment[name]
            else:
                environment[name] = value


_settled = 0
"""How many modules there were when it was done last."""


def settle() -> None:
    """Takes all that is there out of the collector's sight, if modules have come since the last
    time. To be called where a task begins: nothing of an earlier one is left then."""
    global _settled
    if len(sys.modules) != _settled:
        gc.freeze()
        _settled = len(sys.modules)
