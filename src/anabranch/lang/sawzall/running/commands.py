"""Tables whose text goes to a command of the shell: `proc("sort -u")`."""

from __future__ import annotations

import subprocess
import tempfile

from anabranch.errors import RunError
from anabranch.lang.sawzall.running.places import Command
from anabranch.source import Span


class Process:
    """A command that is given all its text when the program has ended well; before, nothing runs.
    """

    def __init__(self, command: Command, where: Span | None = None):
        self.line, self.where = command.line, where
        self.text = tempfile.TemporaryFile()  # noqa: SIM115 (open until the program has ended)

    def write_bytes(self, data: bytes) -> None:
        self.text.write(data)

    def commit(self) -> None:
        """Runs the command; what it writes comes on our own standard output."""
        self.text.seek(0)
        status = subprocess.run(["/bin/sh", "-c", self.line], stdin=self.text).returncode
        self.abort()
        if status:
            raise RunError(f"the command '{self.line}' ended with {status}", self.where)

    def abort(self) -> None:
        self.text.close()
