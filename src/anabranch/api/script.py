"""A program that `python` starts and that runs nothing says what to type.

`python balances.py` builds the streams and writes nothing; silence would look like success. It is
said once, on standard error, of the file that was started: not of modules that are imported, in
notebooks, under pytest, while `anabranch run` loads a file, after a failure, or where anything of
the program was run, explained or looked at.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress

from anabranch.api.node import is_loading
from anabranch.core.source import shown_path

_waiting: list[str] = []
"""The file whose sinks wait for somebody to run them."""


def waits(file: str) -> None:
    """A sink was made at a line of this file."""
    started = getattr(sys.modules.get("__main__"), "__file__", None)
    if _waiting or started is None or is_loading() or not _are_one(file, started):
        return
    _waiting.append(started)
    atexit.register(_tell, os.getpid())


def is_looked_at() -> None:
    """Something was run or explained: the program does by itself what it is to do."""
    atexit.unregister(_tell)
    _waiting[:] = _waiting or [""]


def _are_one(file: str, started: str) -> bool:
    return os.path.abspath(file) == os.path.abspath(started)


def _tell(process: int) -> None:
    # A process that was forked ends without having been asked to do anything.
    if process != os.getpid() or hasattr(sys, "last_type"):
        return
    file = shown_path(os.path.abspath(_waiting[0]))
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"nothing was run: type `anabranch run {file}`, or end the program with "
                         ".run(engine=\"multicore\")\n")
