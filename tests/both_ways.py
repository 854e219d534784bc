"""Reads a text by compiled blocks and by rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anabranch.batch.record_batch import items_of
from anabranch.core.errors import DataError
from anabranch.io.rows import BadRows
from anabranch.io.text.columns import Unusual
from anabranch.ir.types import RecordOf


@dataclass(frozen=True)
class BothWays:
    """The two ways of a format; a way gives None where it gives up."""

    extracts: Callable
    source: Callable
    item: RecordOf

    def of_text(self, text: bytes, size: int, threads: int = 1) -> tuple[list | None, list | None]:
        """The items by blocks of so many rows, and by rows."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "in"
            path.write_bytes(text)
            return self.in_blocks(path, size, threads), self.in_rows(path)

    def in_blocks(self, path: Path, size: int, threads: int = 1) -> list | None:
        found = self.extracts(str(path), self.item, threads=threads, block=size)
        try:
            return [item for extract in found for item in items_of(extract.batch, self.item)]
        except (Unusual, ValueError):
            return None

    def in_rows(self, path: Path) -> list | None:
        try:
            return list(self.source(str(path), self.item).items(BadRows.parse("stop")))
        except DataError:
            return None
