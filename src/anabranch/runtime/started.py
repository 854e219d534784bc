"""A stream that runs in the background, and what is known of it meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from anabranch.core.threads import start_thread

if TYPE_CHECKING:
    from anabranch.runtime.options import RunKeywords, RunReport


class StartedStream:
    """A stream at work, as `start` gives it: much like a `StreamingQuery` of Spark's."""

    def __init__(self, run: Callable[..., RunReport], options: RunKeywords):
        self._stopping, self._report, self._error = threading.Event(), None, None
        self._told = options.get("progress")
        self._progress: dict[str, object] = {"batches": 0, "rows": {}, "at": None}
        asked = {**options, "stream": True, "stopping": self._stopping, "progress": self._note}
        self._thread = start_thread(self._run, run, asked, name="stream")

    def _run(self, run: Callable[..., RunReport], options: RunKeywords) -> None:
        try:
            self._report = run(options)
        except BaseException as error:
            self._error = error

    def _note(self, rows: Mapping[str, int], batches: int = 0) -> None:
        self._progress = {"batches": batches, "rows": dict(rows), "at": time.time()}
        if self._told is not None:
            self._told(rows, batches)

    @property
    def is_active(self) -> bool:
        return self._thread.is_alive()

    @property
    def status(self) -> str:
        """What it does: starting, running, stopping, stopped, or failed."""
        if not self.is_active:
            return "stopped" if self._error is None else "failed"
        if self._stopping.is_set():
            return "stopping"
        return "running" if self._progress["batches"] else "starting"

    @property
    def last_progress(self) -> dict[str, object]:
        """How many batches have happened in this run, the rows read by each source, and when the
        last batch was done."""
        return dict(self._progress)

    @property
    def report(self) -> RunReport | None:
        """What `run` would have given, when it has ended."""
        return self._report

    def exception(self) -> BaseException | None:
        return self._error

    def await_termination(self, timeout: float | None = None) -> bool:
        """Waits until it has ended, at most so many seconds; whether it has. What has ended it is
        raised."""
        self._thread.join(timeout)
        if self._error is not None:
            raise self._error
        return not self.is_active

    def stop(self) -> None:
        """Ends it behind the batch that is being done, and waits for that."""
        self._stopping.set()
        self._thread.join()

    def __repr__(self) -> str:
        return f"StartedStream({self.status}, {self._progress['batches']} batches)"
