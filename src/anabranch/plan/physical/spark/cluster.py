"""The cluster that a plan is made for: how many cores, and what it can do."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

LOCAL = re.compile(r"local(?:\[(\d+|\*)(?:,\d+)?\])?")


@dataclass(frozen=True)
class Cluster:
    """`cores` is how many tasks run at the same time; it is `guessed` where only the master knows.
    A `local` one is this machine; on Spark Connect there are no RDDs and no barriers."""

    cores: int
    local: bool = True
    connect: bool = False
    guessed: bool = False

    @staticmethod
    def named(master: str | None) -> Cluster:
        """What is known of a master before a session is there.

        >>> Cluster.named("local[4]"), Cluster.named("local").cores
        (Cluster(cores=4, local=True, connect=False, guessed=False), 1)
        >>> Cluster.named("spark://host:7077").guessed
        True
        """
        here, found = os.cpu_count() or 2, LOCAL.fullmatch(master or "local[*]")
        if found is None:
            return Cluster(here, local=False, connect=(master or "").startswith("sc://"),
                           guessed=True)
        cores = found[1] or "1"
        return Cluster(here if cores == "*" else max(1, int(cores)))

    @property
    def has_gangs(self) -> bool:
        """Whether tasks can begin together, and are more than one."""
        return self.cores > 1 and not self.connect

    def __str__(self) -> str:
        cores = f"{self.cores} core{'' if self.cores == 1 else 's'}"
        if self.guessed:
            return f"planned for {cores}; the master tells how many there are"
        return f"planned for {cores}{' of this machine' if self.local else ''}"
