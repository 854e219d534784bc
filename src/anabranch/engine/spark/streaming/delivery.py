"""Items for standard output, callbacks and lists, from where nothing comes back: each goes once.

How many have gone is noted behind each of them, in a file of the checkpoint. A batch that is done
again gives the same items in the same order, and those that had gone are left out. So a driver that
is killed repeats at most the one item that it was giving away.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from struct import Struct

from anabranch.engine.spark.streaming.durable import PRIVATE, damaged, failing
from anabranch.io.writer import Writer

_NUMBER = Struct("<QQ")
_ALL = (1 << 64) - 1


class Delivery:
    """Counts the items that have gone; `total` is how many that are, of the whole stream."""

    def __init__(self, path: str):
        self.path, self.total, self.gone = path, 0, 0

    def begin(self, total: int) -> None:
        """So many had gone behind the last batch that has happened."""
        self.total = total
        self.gone = max(total, self._noted())

    def give(self, items: Iterable[tuple[Writer, object]]) -> None:
        """Gives the items of a batch to their writers, without those that had gone before."""
        with failing("write"):
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT, PRIVATE)
        try:
            for writer, item in items:
                if self.total >= self.gone:
                    writer.write(item)
                    writer.commit()
                    self._note(file)
                self.total += 1
        finally:
            os.close(file)

    def _note(self, file: int) -> None:
        self.gone = self.total + 1
        with failing("write"):
            os.pwrite(file, _NUMBER.pack(self.gone, self.gone ^ _ALL), 0)

    def _noted(self) -> int:
        if not os.path.exists(self.path):
            return 0
        with failing("read"), open(self.path, "rb") as file:
            data = file.read()
        if not data:
            return 0
        if len(data) != _NUMBER.size or sum(_NUMBER.unpack(data)) != _ALL:
            raise damaged(self.path)
        return _NUMBER.unpack(data)[0]
