"""The state of stages between batches: kept in the Python workers, and in files of the checkpoint.

A batch starts from one version of the state and leaves the next one. For each bucket that it has
touched it writes a page with the touched keys only, or, when such pages have outgrown it, a page
with all keys. A worker keeps the states of the buckets it has served. It has an old version when
another worker has served the bucket meanwhile; then it reads the pages between, so the cost of a
batch follows the keys that are touched, wherever its tasks run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from anabranch.engine.multicore.stages import Stage
from anabranch.engine.spark.streaming.durable import got, made, put
from anabranch.engine.spark.streaming.manifest import Chain, Place
from anabranch.engine.spark.streaming.remembering import Remembering, remembering
from anabranch.errors import RunError

SMALL = 1 << 16
WHOLE, CHANGES = "whole", "changes"


class Held(NamedTuple):
    """What runs a stage for a bucket, with the version and the form of its saved state."""

    runner: object
    version: int | None = None
    form: bytes | None = None


_KEPT: dict[str, dict[Place, Held]] = {}
"""What this Python worker knows, of the run that it served last."""

_OPEN: dict[Place, Held] = {}
"""What is in use now: a worker serves one task at a time."""


@dataclass(frozen=True)
class SavedStates:
    """What a task must know of the state: where it is, and what is there before the batch that
    leaves version `number`."""

    folder: str
    run: str
    number: int
    chains: dict[Place, Chain]

    def opened(self, stage: Stage, bucket: int, make: Callable[[], object]) -> object:
        """What runs the stage, with the state that the bucket has before this batch."""
        place = stage.index, bucket
        chain = self.chains.get(place, Chain())
        held = self._kept().pop(place, None)
        if held is None or held.version not in (chain.last, *chain.versions):
            held = Held(make())
            remembering(held.runner).track()
        missing = [v for v in chain.versions if held.version is None or v > held.version]
        if missing:
            pages = [got(self._file(place, v, v == chain.whole)) for v in missing]
            remembering(held.runner).adopt(pages)
            held = held._replace(version=chain.last, form=pages[-1][:1])
        _OPEN[place] = held
        return held.runner

    def closed(self, stage: Stage, bucket: int, runner: object) -> None:
        """Saves what the batch has changed, and keeps the runner for the next one."""
        place = stage.index, bucket
        held, chain, own = _OPEN.pop(place), self.chains.get(place, Chain()), remembering(runner)
        every = own.form != held.form
        page = _page(stage, own, every)
        if page is not None:
            if not every and self._outgrown(chain, bucket, len(page)):
                page, every = _page(stage, own, every=True), True
            made(os.path.dirname(self._file(place, 0, every)))
            put(self._file(place, self.number, every), page)
            held = held._replace(version=self.number, form=own.form)
        self._kept()[place] = held

    def after(self, places: list[Place]) -> dict[Place, Chain]:
        """The chains behind this batch, from the files that its tasks have left."""
        chains = dict(self.chains)
        for place in places:
            for every in (True, False):
                file = self._file(place, self.number, every)
                if os.path.exists(file):
                    chain = chains.get(place, Chain())
                    chains[place] = chain.then(self.number, every, os.path.getsize(file))
                    break
        return chains

    def clean(self, wanted: dict[Place, Chain]) -> None:
        """Removes the pages of this checkpoint that `wanted` does not need."""
        needed = {self._file(place, v, v == chain.whole) for place, chain in wanted.items()
                  for v in chain.versions}
        for folder, _, names in os.walk(self.folder):
            for path in (os.path.join(folder, name) for name in names):
                if path not in needed:
                    os.unlink(path)

    def forget(self, before: dict[Place, Chain], now: dict[Place, Chain]) -> None:
        """Removes the pages that a page with all keys has replaced."""
        for place, chain in before.items():
            if now[place].whole != chain.whole:
                for version in chain.versions:
                    os.unlink(self._file(place, version, version == chain.whole))

    @staticmethod
    def _outgrown(chain: Chain, bucket: int, size: int) -> bool:
        """Whether pages with touched keys are more than one with all keys. Buckets differ in their
        patience, so that not all of them write all their keys in one batch."""
        patience = 1 + bucket % 16 / 16
        return chain.changes_bytes + size > patience * chain.whole_bytes + SMALL

    def _kept(self) -> dict[Place, Held]:
        if self.run not in _KEPT:
            _KEPT.clear()
        return _KEPT.setdefault(self.run, {})

    def _file(self, place: Place, version: int, every: bool) -> str:
        stage, bucket = place
        return os.path.join(self.folder, str(stage), str(bucket),
                            f"{version:012}.{WHOLE if every else CHANGES}")


def _page(stage: Stage, own: Remembering, every: bool) -> bytes | None:
    try:
        return own.page(every)
    except RunError as error:
        # Of an error in a task Spark tells one line.
        raise RunError(f"the state of {stage.name} cannot be kept: {error.what}") from error
