"""What may be parallelised beyond Schneider et al., each under a name of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Extensions:
    """The switches; with all of them off, regions are exactly those of the paper.

    prolific: operators with more than one output per input. All outputs of a firing travel under
    one stamp, so that the merger keeps them together.
    fan_in: an operator with several inputs may begin a region. Stamps from the sources on decide
    the order between its inputs.
    fan_out: an operator with several outputs or readers may end a region, with a joint on each.
    """

    prolific: bool = False
    fan_in: bool = False
    fan_out: bool = False


PAPER = Extensions()
ALL = Extensions(prolific=True, fan_in=True, fan_out=True)
