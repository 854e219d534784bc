"""A slice on its way through a team."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from anabranch.engine.multicore.flows import Outcome
from anabranch.engine.multicore.slices import Rows, Slice
from anabranch.kernels.native.shares import Given, Part, Share


@dataclass
class Job:
    """A slice on its way: what all see of it (nothing when it is for one place), who does what,
    what they have done and how long that took. `missing` counts the workers that are not through;
    it is `over` when it was done in one place."""

    number: int
    slice: Slice
    rows: Rows
    final: bool
    missing: int
    given: Given | None = None
    shares: dict[int, Share] = field(default_factory=dict)
    parts: dict[int, Part | None] = field(default_factory=dict)
    seconds: float = 0.0
    outcome: Outcome | None = None
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def is_done(self) -> bool:
        """Whether all have done their shares."""
        return bool(self.parts) and None not in self.parts.values()
