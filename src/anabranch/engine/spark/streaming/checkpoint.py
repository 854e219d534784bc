"""The checkpoint: a private folder with all that a stream needs to go on after an interruption.

    program         what the program is, and how many buckets its keys have
    spark/          Structured Streaming's own: which files belong to which batch
    arrived         the same, where there is no query of Spark's
    batches/        manifests, one for each batch; the last one is where the stream stands
    state/          volumes of pages of state, each with the version that it leads to
    inputs/         rows of sources that cannot be read again
    delivered       how many items have gone where nothing can be taken back

Nothing in it is code: reading a checkpoint makes values, and runs nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

from anabranch.engine.spark.streaming.durable import damaged, failing, got, made, put
from anabranch.engine.spark.streaming.fingerprint import Fingerprint, difference
from anabranch.engine.spark.streaming.manifest import Manifest
from anabranch.errors import RunError, UsageError
from anabranch.ir.graph import Graph

FORMAT = 2
OWN = ("program", "spark", "batches", "state", "inputs", "arrived", "delivered")
START_OVER = "--start-over forgets the checkpoint and begins with the whole input again"


@dataclass(frozen=True)
class Checkpoint:
    """An open checkpoint, which no other run has open. `id` is another one after a new start."""

    folder: str
    id: str
    buckets: int

    @property
    def spark(self) -> str:
        return os.path.join(self.folder, "spark")

    @property
    def state(self) -> str:
        return os.path.join(self.folder, "state")

    @property
    def inputs(self) -> str:
        return os.path.join(self.folder, "inputs")

    @property
    def arrived(self) -> str:
        return os.path.join(self.folder, "arrived")

    @property
    def delivered(self) -> str:
        return os.path.join(self.folder, "delivered")

    def latest(self) -> Manifest:
        """Where the stream stands."""
        names = self._manifests()
        return Manifest.from_bytes(got(self._batch(names[-1]))) if names else Manifest()

    def check_latest(self, manifest: Manifest) -> None:
        """Refuses to go on from an earlier batch than the last one: its manifest is gone."""
        commits = os.path.join(self.spark, "commits")
        done = [int(n) for n in os.listdir(commits) if n.isdigit()] if os.path.isdir(
            commits) else []
        # Batches that come when the input has ended, as behind a limit, leave no manifest.
        if not manifest.ended and max(done, default=-1) > manifest.spark:
            raise damaged(self._batch(f"{manifest.number + 1:012}"))

    def commit(self, manifest: Manifest) -> None:
        """The batch has happened. Older manifests are of no use any more."""
        put(self._batch(f"{manifest.number:012}"), manifest.to_bytes())
        with failing("write"):
            for name in self._manifests()[:-2]:
                os.unlink(self._batch(name))

    def _manifests(self) -> list[str]:
        try:
            return sorted(n for n in os.listdir(self._batch("")) if not n.startswith("."))
        except OSError:
            raise damaged(self._batch("")) from None

    def _batch(self, name: str) -> str:
        return os.path.join(self.folder, "batches", name)


@contextmanager
def opened(path: str | None, program: Graph, layout: list, fingerprint: Fingerprint, buckets: int,
           start_over: bool) -> Iterator[Checkpoint]:
    """The checkpoint in a folder; without a path, one that is gone at the end of the run.

    `layout` says how the program was planned: state is stored by stage.
    """
    with _folder(path) as folder, _locked(folder):
        file = os.path.join(folder, "program")
        begun = os.path.exists(file) or _has_manifests(folder)
        if start_over and begun:
            _emptied(folder)
        elif begun and not os.path.exists(file):
            raise damaged(file)
        if not os.path.exists(file):
            _refuse_other_files(folder)
            for name in ("batches", "state", "inputs"):
                made(os.path.join(folder, name))
            put(file, json.dumps({"format": FORMAT, "id": uuid4().hex, "buckets": buckets,
                                  "layout": layout, "operators": fingerprint}).encode())
        known = json.loads(got(file))
        _check(known, program, layout, fingerprint)
        yield Checkpoint(folder, known["id"], known["buckets"])


@contextmanager
def _folder(path: str | None) -> Iterator[str]:
    if path is None:
        with tempfile.TemporaryDirectory(prefix="anabranch-stream-") as folder:
            yield folder
        return
    if "://" in path:
        raise UsageError("a checkpoint is a folder that the driver and all executors see",
                         got=path, help="name a path of a file system that all machines share")
    folder = os.path.abspath(path)
    try:
        made(folder)
        if not os.listdir(folder):
            os.chmod(folder, 0o700)
    except OSError as error:
        raise UsageError(f"the checkpoint cannot be made: {error}") from None
    _check_private(folder)
    yield folder


def _check_private(folder: str) -> None:
    """Refuses a folder into which somebody else can write: its content decides what is computed."""
    info = os.stat(folder)
    if info.st_uid != os.getuid():
        raise UsageError("the checkpoint belongs to another user", folder)
    if info.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError("others may use the folder of the checkpoint", folder,
                         expected="a folder for its owner alone",
                         help=f"chmod 700 {folder}, if nobody has changed anything in it")


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    path = os.path.join(folder, "lock")
    try:
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UsageError(f"the checkpoint cannot be locked: {error.strerror}", path) from None
    with open(number, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError("another run uses this checkpoint", folder) from None
        yield


def _emptied(folder: str) -> None:
    """Removes what is a checkpoint's own, and nothing else."""
    # Without its first file it is a checkpoint no more, whatever is left of it.
    for name in OWN:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)


def _has_manifests(folder: str) -> bool:
    batches = os.path.join(folder, "batches")
    return os.path.isdir(batches) and bool(os.listdir(batches))


def _refuse_other_files(folder: str) -> None:
    others = [name for name in os.listdir(folder)
              if name not in (*OWN, "lock") and not name.startswith(".program.")]
    if others:
        raise UsageError("the folder is no checkpoint, and holds other files", folder,
                         got=", ".join(sorted(others)[:5]), help="name a new folder")


def _check(known: dict, program: Graph, layout: list, now: Fingerprint) -> None:
    if known["format"] != FORMAT:
        raise RunError("the checkpoint was made by another version of anabranch",
                       expected=f"format {FORMAT}", got=f"format {known['format']}",
                       help=START_OVER)
    changed = difference(known["operators"], now)
    if changed is not None:
        where = program[changed.operator].span if changed.operator in program else None
        raise UsageError(f"the program is not the one of the checkpoint: {changed.operator} has "
                         "changed", where, expected=changed.before or "nothing of this name",
                         got=changed.now or "nothing of this name", help=START_OVER)
    if known["layout"] != layout:
        raise UsageError("the program is planned in another way than when the checkpoint was made",
                         expected=str(known["layout"]), got=str(layout), help=START_OVER)
