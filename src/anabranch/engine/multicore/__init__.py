"""The multicore engine: a physical plan on all cores of this machine, in order.

Source tuples are cut into slices. Each slice passes the plan's stages; several workers serve
different stages, different slices of a stateless stage, or different buckets of keys of a
partitioned one. Within a slice every item knows its source tuple, so whatever was done in parallel
is put back into the sequential order, and what leaves is what the sequential engine gives.
"""

from anabranch.engine.multicore.run import run
from anabranch.plan.physical.fuse import execution
from anabranch.plan.tuning import Knobs

__all__ = ["Knobs", "execution", "run"]
