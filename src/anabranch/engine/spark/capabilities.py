"""What this engine does not do, and why: for the refusals, the documentation and the tests."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.errors import UsageError


@dataclass(frozen=True)
class Limit:
    """Something that is refused before anything starts."""

    what: str
    why: str
    help: str | None = None

    def refusal(self, got: str) -> UsageError:
        return UsageError(f"the spark engine does not run {self.what}: {self.why}", got=got,
                          help=self.help)


LIMITS = {
    "workers": Limit("with `--workers`", "the master decides, as in --master local[4]; "
                                         "--engine multicore has workers"),
    "connect": Limit("a stream on Spark Connect", "its batches are handed to the driver's process",
                     "give the cluster's own master"),
    "remote": Limit("a stream of folders that are not this machine's",
                    "rows are read by Python from a path", "name a path, without **"),
}

REFUSES = {"workers": LIMITS["workers"].why}
"""The options of a run that mean nothing here."""
