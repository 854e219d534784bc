"""The multicore engine: a physical plan on all cores of this machine, in order.

Source tuples are cut into slices. Each slice passes the plan's stages; several workers serve
different stages, different slices of a stateless stage, or different buckets of keys of a
partitioned one. Within a slice every item knows its source tuple, so whatever was done in parallel
is put back into the sequential order, and what leaves is what the sequential engine gives.

    assignment.py   Who serves a stage: one worker, some by buckets, any, processes, or a plan's
    compilation.py  The kernels of a run: compiled beside it while rows flow, where that pays
    crew.py         The crew: worker threads that ask the scheduler what to do, and what stops them
    intake.py       The intake: source tuples are cut into slices, by size or by time
    lines.py        What takes rows through a stage: its kernel, plain Python, or a sink's text
    metrics.py      What was measured of each stage at work, and of the merges that keep order
    network.py      The network: services joined as the graph says; slices pass each stage once
    partitioned.py  A partitioned stage at work: a slice's rows part by key and come together
    reorder.py      Merges: slices are finished in any order, and go on as the plan's strategy says
    run.py          Runs a plan: forks processes, starts the crew, reads the sources, cleans up
    scheduler.py    The scheduler: which stage should a worker serve now? Heuristics pick one
    service.py      Services: a stage at work; slices come and go in the order of their numbers
    sizing.py       Sizing: how many rows make a slice, and how many slices are under way
    waves.py        Waves: rounds of operators that share variables, several under way at once
    worklists.py    Worklists: what waits to be done in a stage, and which of it a worker may take
    gangs/          Synchronized stages: one state, forked for several workers when that pays
    remote/         Stages in worker processes: who is given what, how buckets change hands
"""

from anabranch.engine.multicore.run import execute, run
from anabranch.plan.physical.multicore import execution, multicore_plan
from anabranch.plan.tuning import Knobs, tuning_of

__all__ = ["Knobs", "execute", "execution", "multicore_plan", "run", "tuning_of"]
