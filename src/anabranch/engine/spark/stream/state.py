"""The state of stages between batches: in Python workers, and in checkpoint files.

A batch starts from one version of the state and leaves the next one. For each bucket that it has
touched it writes a page with the touched keys only, or, when such pages have outgrown it, a page
with all keys. A worker keeps the states of the buckets it has served. It has an old version when
another worker has served the bucket meanwhile; then it reads the pages between, so the cost of a
batch follows the keys that are touched, wherever its tasks run.

A volume has the pages that one task leaves, of all its buckets, behind each other in one file: a
file for each page would cost a batch more than its rows do. A volume only grows, and a task that is
killed leaves a volume whose last page is cut; it does not count.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import BinaryIO, NamedTuple

from anabranch.batch.value_codec import standing_for
from anabranch.core.errors import RunError
from anabranch.engine.spark.fields import states_in
from anabranch.engine.spark.stream.checkpoint import (
    DIGEST,
    PRIVATE,
    Chain,
    Place,
    damaged,
    digest,
    failing,
)
from anabranch.engine.spark.stream.pages import Remembering, remembering
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.plan.physical.stages import Stage


class BucketState(NamedTuple):
    """What runs a stage for a bucket, with the volume and the form of its saved state."""

    runner: object
    volume: str | None = None
    form: bytes | None = None


_KEPT: dict[str, dict[Place, BucketState]] = {}
"""What this Python worker knows, of the run that it served last."""

_OPEN: dict[Place, BucketState] = {}
"""What is in use now: a worker serves one task at a time."""


@dataclass(frozen=True)
class SavedStates:
    """What a task must know of the state: where it is, and what is there before the batch that
    leaves version `number`."""

    folder: str
    run: str
    number: int
    chains: dict[Place, Chain]
    knobs: SparkKnobs = field(default_factory=SparkKnobs)

    def opened(self, stage: Stage, bucket: int, make: Callable[[], object]) -> object:
        """What runs the stage, with the state that the bucket has before this batch."""
        place = stage.index, bucket
        chain = self.chains.get(place, Chain())
        held = self._kept().pop(place, None)
        if held is None or held.volume not in (chain.last, *chain.volumes):
            held = BucketState(make())
            remembering(held.runner).track()
        missing = [v for v in chain.volumes if held.volume is None or v > held.volume]
        if missing:
            pages = [page_of(self._path(volume), place) for volume in missing]
            with standing_for(states_in(stage.operators)):
                remembering(held.runner).adopt(pages)
            held = held._replace(volume=chain.last, form=pages[-1][:1])
        _OPEN[place] = held
        return held.runner

    def closed(self, stage: Stage, bucket: int, runner: object) -> None:
        """Saves what the batch has changed, and keeps the runner for the next one."""
        place = stage.index, bucket
        held, chain, own = _OPEN.pop(place), self.chains.get(place, Chain()), remembering(runner)
        every = own.form != held.form
        page = _page(stage, own, every)
        if page is not None:
            if not every and _outgrown(chain, bucket, len(page), self.knobs):
                page, every = _page(stage, own, every=True), True
            volume = f"{self._prefix}{_task()}"
            append(self._path(volume), place, every, page)
            held = held._replace(volume=volume, form=own.form)
        self._kept()[place] = held

    def check(self) -> None:
        """Raises what reading the state before this batch raises, if that is damaged."""
        for place, chain in self.chains.items():
            for volume in chain.volumes:
                page_of(self._path(volume), place)

    def after(self) -> dict[Place, Chain]:
        """The chains behind this batch, from the volumes that its tasks have left."""
        chains = dict(self.chains)
        for volume in self._left():
            for entry in kept(self._path(volume)):
                before = self.chains.get(entry.place, Chain())
                chains[entry.place] = before.then(volume, entry.every, entry.size)
        return chains

    def clean(self, wanted: dict[Place, Chain]) -> None:
        """Removes the volumes of this checkpoint that `wanted` does not need."""
        # Where the folder is gone, the state is read, and found missing, later.
        there = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        for volume in set(there) - _needed(wanted):
            os.unlink(self._path(volume))

    def forget(self, before: dict[Place, Chain], now: dict[Place, Chain]) -> None:
        """Removes the volumes of which pages with all keys have replaced every page."""
        for volume in _needed(before) - _needed(now):
            os.unlink(self._path(volume))

    def _left(self) -> Iterator[str]:
        return (name for name in sorted(os.listdir(self.folder)) if name.startswith(self._prefix))

    def _kept(self) -> dict[Place, BucketState]:
        if self.run not in _KEPT:
            _KEPT.clear()
        return _KEPT.setdefault(self.run, {})

    @property
    def _prefix(self) -> str:
        """How the volumes of this batch are called. A driver that was killed may have left tasks
        that still write theirs."""
        return f"{self.number:012}-{self.run}-"

    def _path(self, volume: str) -> str:
        return os.path.join(self.folder, volume)


def _task() -> str:
    """The task that runs here, or the driver; a task that is done again is another one."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return str(context.taskAttemptId()) if context is not None else "driver"


def _outgrown(chain: Chain, bucket: int, size: int, knobs: SparkKnobs) -> bool:
    """Whether pages with touched keys are more than one with all keys. Buckets differ in their
    patience, so that not all of them write all their keys in one batch."""
    patience = 1 + bucket % 16 / 16
    return (chain.changes_bytes + size > patience * chain.whole_bytes + knobs.small_pages
            or len(chain.changes) >= patience * knobs.most_pages)


def _needed(chains: dict[Place, Chain]) -> set[str]:
    return {volume for chain in chains.values() for volume in chain.volumes}


def _page(stage: Stage, own: Remembering, every: bool) -> bytes | None:
    try:
        return own.page(every)
    except RunError as error:
        # Of an error in a task Spark tells one line.
        raise RunError(f"the state of {stage.name} cannot be kept: {error.what}") from error


_HEAD = Struct(f"<IIBQ{DIGEST}s")


class PageEntry(NamedTuple):
    """A page in a volume: whose it is, whether it has every key, and where it stands."""

    place: Place
    every: bool
    start: int
    size: int
    known: bytes


def append(path: str, place: Place, every: bool, page: bytes) -> None:
    """Puts a page behind those that are there."""
    head = _HEAD.pack(*place, every, len(page), digest(page))
    with failing("write"), open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE),
                                "ab") as file:
        file.write(head + page)


def kept(path: str) -> list[PageEntry]:
    """The whole pages of a volume, which from now on outlives a crash."""
    with failing("read"), open(path, "rb") as file:
        os.fsync(file.fileno())
        return list(_entries(file))


def page_of(path: str, place: Place) -> bytes:
    """A page of a volume; a `RunError` when it is not what was written."""
    if not os.path.exists(path):
        raise damaged(path)
    with failing("read"), open(path, "rb") as file:
        found = next((entry for entry in _entries(file) if entry.place == place), None)
        if found is not None:
            file.seek(found.start)
            page = file.read(found.size)
            if digest(page) == found.known:
                return page
    raise damaged(path)


def _entries(file: BinaryIO) -> Iterator[PageEntry]:
    end, start = os.fstat(file.fileno()).st_size, 0
    while start + _HEAD.size <= end:
        file.seek(start)
        stage, bucket, every, size, known = _HEAD.unpack(file.read(_HEAD.size))
        start += _HEAD.size + size
        if start <= end:
            yield PageEntry((stage, bucket), bool(every), start - size, size, known)
