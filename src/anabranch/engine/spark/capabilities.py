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
    "workers": Limit("with `--workers`", "the master decides, as in --master local[4]"),
    "connect": Limit("on Spark Connect", "it has no RDDs, which carry the slices",
                     "give the cluster's own master"),
    "limit": Limit("a stream with `--limit`", "it goes on from batch to batch",
                   "--trigger once stops when it has read what is there"),
    "divert": Limit("a stream with `--on-error divert`",
                    "the file of diverted rows is written once", "--on-error skip counts them"),
    "once": Limit("a stream of standard input", "it cannot be read again after an interruption",
                  "write it into files of a folder"),
    "remote": Limit("a stream of folders that are not this machine's",
                    "rows are read by Python from a path", "name a path, without **"),
}

REFUSES = {"workers": LIMITS["workers"].why}
"""The options of a run that mean nothing here."""
