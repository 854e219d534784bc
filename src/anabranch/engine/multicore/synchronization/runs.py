"""Several runs of outputs as one, in the order of their events."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from anabranch.engine.items import Columns, joined
from anabranch.sync.messages import Run


def in_one(runs: Sequence[Run]) -> Run:
    """The outputs of several runs in the order of their stamps; columns stay columns.

    >>> in_one([Run([0, 3], "ad"), Run([], []), Run([1], "b")])
    Run(stamps=[0, 1, 3], items=['a', 'b', 'd'])
    """
    # No stamps are of no type, which NumPy takes for floats.
    runs = [run for run in runs if len(run)]
    if len(runs) < 2:
        return runs[0] if runs else Run([], [])
    if all(isinstance(run.items, Columns) for run in runs):
        stamps = np.concatenate([np.asarray(run.stamps) for run in runs])
        order = np.argsort(stamps, kind="stable")
        return Run(stamps[order], joined([run.items for run in runs]).taken(order))
    pairs = sorted(((stamp, item) for run in runs for stamp, item in zip(run.stamps, run.items)),
                   key=itemgetter(0))
    return Run([stamp for stamp, _ in pairs], [item for _, item in pairs])
