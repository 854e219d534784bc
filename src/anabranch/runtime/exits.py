"""Who ends the process of a run without a word is told of, with the line.

`os._exit` asks nobody: sinks are not committed, and nothing says why. Python's own modules and ours
end child processes by it; what is told is a call in the user's text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from anabranch.core.errors import RunError
from anabranch.core.source import frame_span, is_installed


@contextmanager
def exits_told() -> Iterator[None]:
    """Has `os._exit` say who called it, while the block runs."""
    leave = os._exit

    def told(status: int) -> None:
        frame = sys._getframe(1)
        if not is_installed(frame.f_code.co_filename):
            where = frame_span(frame.f_code, frame.f_lasti, frame.f_lineno)
            error = RunError(f"a function has ended the process: os._exit({status})", where,
                             help="raise an error instead: the run stops, and cleans up")
            with suppress(OSError, ValueError, AttributeError):
                sys.stderr.write(f"{error}\n")
                sys.stderr.flush()
        leave(status)
    os._exit = told
    try:
        yield
    finally:
        os._exit = leave
