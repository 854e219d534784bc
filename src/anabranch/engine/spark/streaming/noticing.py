"""Files that have come into the folders of sources, without a query of Spark's that tells of them.

Which of them belong to which batch is a line of a file of the checkpoint, written before the batch
begins; so a batch that is done again has the same files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from contextlib import suppress

from anabranch.engine.spark.streaming.arrivals import Arrived
from anabranch.engine.spark.streaming.durable import PRIVATE, damaged, failing
from anabranch.io.paths import NothingToRead
from anabranch.ir.graph import Operator

Files = dict[str, list[str]]


class Noticing:
    """The sources that grow. Files of those called `passing` are removed when they were read."""

    def __init__(self, path: str, sources: Sequence[Operator], passing: Collection[str] = ()):
        self.path, self.sources, self.passing = path, sources, passing
        self.batches: list[Files] = self._noted()
        self.known = {file for batch in self.batches for own in batch.values() for file in own}

    def notice(self) -> bool:
        """Makes a batch of the files that are new; whether there are any."""
        new = {op.name: own for op in self.sources if (own := self._new(op))}
        if new:
            self._note(new)
            self.batches.append(new)
            self.known.update(file for own in new.values() for file in own)
        return bool(new)

    def arrived(self, batch: int) -> list[Arrived]:
        """The files of a batch."""
        return [Arrived(source, file, os.path.getsize(file))
                for source, files in self.batches[batch].items() for file in files]

    def done(self, batch: int) -> None:
        """Of this batch nothing is read any more."""
        for source in self.passing:
            for file in self.batches[batch].get(source, ()):
                with suppress(FileNotFoundError):
                    os.unlink(file)

    def _new(self, op: Operator) -> list[str]:
        return [file for file in map(os.path.abspath, present(op)) if file not in self.known]

    def _note(self, files: Files) -> None:
        with failing("write"), open(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT,
                                            PRIVATE), "ab") as file:
            file.write(json.dumps(files).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _noted(self) -> list[Files]:
        """A last line without an end is of a batch that has not begun."""
        if not os.path.exists(self.path):
            return []
        with failing("read"), open(self.path, "r+b") as file:
            lines = file.read().split(b"\n")
            file.truncate(sum(len(line) + 1 for line in lines[:-1]))
        try:
            return [json.loads(line) for line in lines[:-1]]
        except ValueError:
            raise damaged(self.path) from None


def present(op: Operator) -> list[str]:
    """The files of a source, in the order of their names; there may be none for now."""
    try:
        return op.kind.spec.files()
    except NothingToRead:
        return []
