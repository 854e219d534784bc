"""The checkpoint: a private folder from which an interrupted stream goes on.

    program         what the program is, and how many buckets its keys have
    spark/          Structured Streaming's own: which files belong to which batch
    arrived         the same, where there is no query of Spark's
    batches/        manifests, one for each batch; the last one is where the stream stands
    state/          volumes of pages of state, each with the version that it leads to
    inputs/         rows of sources that cannot be read again
    delivered       how many items have gone where nothing can be taken back

A manifest is what is true behind a batch, and the moment at which the batch has happened. Before
its manifest is there, nothing of a batch counts; behind it, everything does: which rows were read,
which version of the state belongs to it, and which part files of the sinks. Files of a checkpoint
are there whole and unchanged, or not at all; only their owner may see them.

Nothing in it is code: reading a checkpoint makes values, and runs nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import NamedTuple
from uuid import uuid4

from anabranch.batch.value_codec import decode, encode
from anabranch.core.errors import RunError, UsageError
from anabranch.core.scratch import scratch_folder

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
def opened(path: str | None, noted: dict, buckets: int, start_over: bool) -> Iterator[Checkpoint]:
    """The checkpoint in a folder; without a path, one that is gone at the end of the run. A new one
    has `noted` what its program is."""
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
            put(file, json.dumps({"format": FORMAT, "id": uuid4().hex, "buckets": buckets, **noted}
                                 ).encode())
        known = json.loads(got(file))
        if known["format"] != FORMAT:
            raise RunError("the checkpoint was made by another version of anabranch",
                           expected=f"format {FORMAT}", got=f"format {known['format']}",
                           help=START_OVER)
        yield Checkpoint(folder, known["id"], known["buckets"])


def program_of(folder: str) -> dict:
    """What the checkpoint knows of its program."""
    file = os.path.join(folder, "program")
    if not os.path.exists(file):
        raise UsageError("the folder is no checkpoint of a stream", folder,
                         help="name the folder of --checkpoint, or of checkpointLocation")
    return json.loads(got(file))


@contextmanager
def at_rest(path: str) -> Iterator[Checkpoint]:
    """The checkpoint of a stream that does not run."""
    folder = os.path.abspath(path)
    known = program_of(folder)
    _check_private(folder)
    with _locked(folder):
        yield Checkpoint(folder, known["id"], known["buckets"])


@contextmanager
def _folder(path: str | None) -> Iterator[str]:
    if path is None:
        with scratch_folder("stream") as folder:
            yield str(folder)
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


class Chain(NamedTuple):
    """The saved state of a bucket: the volume that has every key, then those with touched keys.

    The name of a volume begins with the version of the state that it belongs to.

    >>> Chain().then("3-a", True, 100).then("4-a", False, 10)
    Chain(whole='3-a', whole_bytes=100, changes=('4-a',), changes_bytes=10)
    """

    whole: str | None = None
    whole_bytes: int = 0
    changes: tuple[str, ...] = ()
    changes_bytes: int = 0

    @property
    def last(self) -> str | None:
        return self.changes[-1] if self.changes else self.whole

    @property
    def volumes(self) -> tuple[str, ...]:
        return () if self.whole is None else (self.whole, *self.changes)

    def then(self, volume: str, every: bool, size: int) -> Chain:
        if every:
            return Chain(volume, size)
        return self._replace(changes=(*self.changes, volume),
                             changes_bytes=self.changes_bytes + size)


Place = tuple[int, int]
"""A stage and a bucket."""


@dataclass(frozen=True)
class Manifest:
    """`number` counts the batches that have happened, so it is the version of the state.

    `spark` is the last batch of Spark's that is wholly in it, and `begun` has, of the one behind
    it, the number of files of each source that are. `held` has for each source the files of which
    some rows still wait, with the number of rows that were taken; `times` the last time of each;
    `whole` are sources that have been read to their end; `taken` counts the rows that have gone on.
    `parts` are the part files of the batch, by sink, and `delivered` counts the items that have
    gone to all other sinks. `kernels` tells that state may be in the form
    of kernels, and `ended` that the operators have been told of the end of the input. `of` says
    what the pages are of, where that is not what the checkpoint began with.
    """

    number: int = 0
    spark: int = -1
    begun: dict[str, int] = field(default_factory=dict)
    held: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    times: dict[str, object] = field(default_factory=dict)
    whole: tuple[str, ...] = ()
    taken: int = 0
    chains: dict[Place, Chain] = field(default_factory=dict)
    parts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    delivered: int = 0
    kernels: bool = False
    ended: bool = False
    of: dict[str, object] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        chains = {place: tuple(chain) for place, chain in self.chains.items()}
        return encode(vars(replace(self, chains=chains)))

    @staticmethod
    def from_bytes(data: bytes) -> Manifest:
        values = decode(data)
        chains = {place: Chain(*chain) for place, chain in values["chains"].items()}
        return Manifest(**values | {"chains": chains})


PRIVATE = 0o600
DIGEST = 16


def put(path: str, data: bytes) -> None:
    """Writes a file in one step: also after a crash it is the old one or the new one."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{uuid4().hex}")
    try:
        with failing("write"), _new(temporary) as file:
            file.write(digest(data))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, path)
    except RunError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def got(path: str) -> bytes:
    """The data of a file; a `RunError` when it is not what was written."""
    with failing("read"), open(path, "rb") as file:
        expected, data = file.read(DIGEST), file.read()
    if expected != digest(data):
        raise damaged(path)
    return data


def made(folder: str) -> str:
    """A folder that only its owner may look into, with those above it."""
    os.makedirs(folder, 0o700, exist_ok=True)
    return folder


def digest(data: bytes) -> bytes:
    """By which changed data is noticed."""
    return blake2b(data, digest_size=DIGEST).digest()


def damaged(path: str) -> RunError:
    return RunError("the checkpoint is damaged", path,
                    help="--start-over begins anew, with the whole input")


@contextmanager
def failing(doing: str) -> Iterator[None]:
    """What the system refuses inside of it is a `RunError`."""
    try:
        yield
    except OSError as error:
        raise RunError(f"cannot {doing} the checkpoint: {error}") from error


def _new(path: str):
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb")
