"""The papers' own figures, to stand beside ours: a file for each paper.

    comparison    what was measured here, in the words of the papers' figures
    kallas        Kallas et al., "Stream Processing with Dependency-Guided Synchronization"
    prasaad       Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory ..."
    schneider     Schneider et al., "Auto-parallelizing stateful distributed ..."
    soule         Soulé et al., "River: an intermediate language for stream processing"

Each paper has a function for each figure, which takes what was measured of a workload and gives
lines of the paper's figure, ours, and what makes them differ. They depend on nothing but what
measurements are made of.
"""

from __future__ import annotations

from importlib import import_module

from benchmarks.measurement import Beside, Outcome


def beside(paper: str, figure: str, outcome: Outcome) -> list[Beside]:
    """The lines of a figure; a paper goes by the name of its first author."""
    return import_module(f"{__name__}.{paper}").FIGURES[figure](outcome)
