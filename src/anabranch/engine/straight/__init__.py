"""The sequential engine's firings as plain Python loops, for graphs without cycles.

`text` writes a loop, `machine` runs the loops of a graph, and `bulk` brings the source tuples in
lists. `sequential.Machine` says what they mean.
"""

from anabranch.engine.straight.bulk import in_bulk
from anabranch.engine.straight.machine import Straight
from anabranch.engine.straight.text import is_straight

__all__ = ["Straight", "in_bulk", "is_straight"]
