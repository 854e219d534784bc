"""A stream without a query of Spark's: folders are looked at from here.

On Spark Connect the batches of a query would be handed to a process of the server's, which knows
neither the user's callbacks nor this checkpoint. What makes a batch happen once is the same.
"""

from __future__ import annotations

import time
from threading import Event

from anabranch.engine.spark.streaming.query import POLL, Query
from anabranch.engine.spark.streaming.settings import AVAILABLE, interval


class Watch(Query):
    """Does what a query does; its listing is a `Noticing`."""

    def _until_done(self, trigger: dict[str, object], interrupted: Event) -> None:
        self.active = time.monotonic()
        while not self._is_over(None, trigger):
            begun = time.monotonic()
            if self._next_batch():
                pause = interval(trigger) - (time.monotonic() - begun)
            elif trigger == AVAILABLE:
                break
            else:
                pause = POLL
            if interrupted.wait(max(0.0, pause)):
                break
        self._raise_errors()

    def _next_batch(self) -> bool:
        """Does the batch that was begun, or one of what is new; whether there was any."""
        number = self.stream.manifest.spark + 1
        if self.stream.is_full:
            return False
        if number == len(self.listing.batches) and not self.listing.notice():
            return False
        self.stream.batch(number, self.listing.arrived(number))
        self.listing.done(number)
        self.active = time.monotonic()
        return True

    def _is_idle(self, query: None) -> bool:
        limit = self.settings.until_idle
        return limit is not None and time.monotonic() - self.active > limit
