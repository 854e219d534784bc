"""Standard output for a sink that is not the first to write there.

Several results on one stream would be mixed line by line, in an order that depends on how they were
computed. So what comes for the later ones is held back, and follows when those before are complete.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from tempfile import SpooledTemporaryFile

from anabranch.errors import RunError
from anabranch.io.output import StandardOutput
from anabranch.source import Span

IN_MEMORY = 1 << 20


class HeldOutput:
    """Keeps text, on disk if it is much, and writes it to standard output in the end.

    >>> held = HeldOutput(); held.write("later\\n"); print("first")
    first
    >>> held.commit()
    later
    """

    def __init__(self, where: Span | None = None):
        self.standard, self.where = StandardOutput(where), where
        # It is closed by commit or abort, one of which every writer ends with.
        self.kept = SpooledTemporaryFile(IN_MEMORY, "w+", encoding="utf-8",  # noqa: SIM115
                                         newline="")

    def write(self, text: str) -> None:
        try:
            self.kept.write(text)
        except OSError as error:
            raise RunError(f"a result cannot be held back: {error}", self.where) from error

    def write_bytes(self, data: bytes | memoryview) -> None:
        self.write(bytes(data).decode())

    def commit(self) -> None:
        self.kept.seek(0)
        shutil.copyfileobj(self.kept, self.standard)
        self.standard.commit()
        self.kept.close()

    def abort(self) -> None:
        """What was held back of a run that failed is not complete, and is not shown."""
        with suppress(OSError):
            self.kept.close()
