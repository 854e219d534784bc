"""The multicore engine: a plan on all cores of this machine, in order.

Source tuples are cut into slices. Each slice passes the plan's stages; several workers serve
different stages, different slices of a stateless stage, or different buckets of keys of a
partitioned one. Within a slice every item knows its source tuple, so whatever was done in parallel
is put back into the sequential order, and what leaves is what the sequential engine gives.

    together.py   which operators must run together       stages.py    the stages of a plan
    slices.py     slices, batches, failures               intake.py    cutting, holding back
    line.py       a stage in plain Python                 rounds.py    loops and sinks
    runners.py    here, or in worker processes            processes.py transport.py
    service.py    partitioned.py: a stage at work         network.py   stages joined
    reorder.py    back into order                         worklists.py who may take what
    scheduler.py  heuristics.py: what is to be done       crew.py      the worker threads

Depends on the plan, the graph and the sequential engine's machine; nothing depends on it but the
table of engines.
"""

from anabranch.engine.multicore.joined import execution
from anabranch.engine.multicore.run import run

__all__ = ["execution", "run"]
