"""The papers' own figures, to stand beside ours: a file for each paper.

Each has a function for each figure, which takes what was measured of a workload and gives lines of
the paper's figure, ours, and what makes them differ. They depend on nothing but what measurements
are made of.

    comparison.py  What was measured here, in the words of the papers' figures
    kallas.py      Kallas et al., "Stream Processing with Dependency-Guided Synchronization"
    prasaad.py     Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory Multicores"
    schneider.py   Schneider et al., on stateful distributed streaming applications
    soule.py       Soulé et al., "River: an intermediate language for stream processing"
"""

from __future__ import annotations

from importlib import import_module

from benchmarks.measurement import Beside, Outcome


def beside(paper: str, figure: str, outcome: Outcome) -> list[Beside]:
    """The lines of a figure; a paper goes by the name of its first author."""
    return import_module(f"{__name__}.{paper}").FIGURES[figure](outcome)
