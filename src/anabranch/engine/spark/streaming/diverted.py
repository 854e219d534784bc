"""Malformed rows of a stream, kept apart: part files of a folder, like those of a sink."""

from __future__ import annotations

from anabranch.io.badrows import BadRows
from anabranch.io.output import WholeFile

DIVERTED = "--on-error"
"""Under this name the part files of malformed rows stand in a manifest: no sink can have it."""


class Diverted(BadRows):
    """Malformed rows as part files of a folder; `file` is that of the batch, if there are any."""

    def __init__(self, path: str):
        super().__init__("divert", path)
        self.file = ""

    def commit(self) -> None:
        if self._out is not None:
            self._out.commit()
        self._out = None

    def _diverted(self) -> WholeFile:
        if self._out is None:
            self._out = WholeFile(self.file, private=True)
        return self._out


def bad_rows(on_error: str) -> BadRows:
    """What is done with malformed rows in a stream."""
    policy, _, path = on_error.partition("=")
    return Diverted(path) if policy == "divert" and path else BadRows.parse(on_error)
