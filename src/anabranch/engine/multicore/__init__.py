"""The multicore engine: a plan on all cores of this machine, in order.

Source tuples are cut into slices. Each slice passes the plan's stages; several workers serve
different stages, different slices of a stateless stage, or different buckets of keys of a
partitioned one. Within a slice every item knows its source tuple, so whatever was done in parallel
is put back into the sequential order, and what leaves is what the sequential engine gives.

    together.py   which operators must run together       stages.py    the stages of a plan
    slices.py     slices, batches, failures               intake.py    sizing.py: cutting slices
    room.py       how many of them may be under way       pieces.py    small parts that go together
    line.py       line_steps.py: a stage in plain Python  rounds.py    loops and sinks
    flows.py      what passes a stage, and its outcome
    turns.py      waves.py: rounds that overlap, of operators that share variables
    service.py    partitioned.py: a stage at work         network.py   stages joined
    reorder.py    back into order                         worklists.py who may take what
    scheduler.py  heuristics.py: what is to be done       crew.py      idlers.py: worker threads

    tiers.py      which stages have kernels, and why not  kernel_line.py a stage as a kernel
    worth.py      coming.py: whether kernels pay          compilation.py gets them ready
    late.py       late_line.py: kernels that come later   lines.py     what runs a stage
    parted.py     joined.py: stages cut and joined        places.py    order, for kernels
    feed.py       by_time.py: sources in columns          texts.py     text made for the sinks
    hashes.py     of keys in columns                      double_check.py the first rows, twice

    placement.py  which stages run in worker processes    processes.py child.py: both ends of them
    memory.py     what they share                         transport.py messages.py: what travels
    remote.py     owned.py: stages in processes           packs.py     unseen.py: items that stay so
    moving.py     buckets that change hands               services.py  who serves a stage
    fields.py     records as columns of their values
    routing.py    which bucket an item is for             balance.py   which bucket should move
    dispatcher.py one thread talks with all processes     wire.py      the way there and back
    interpreter.py its settings during a run

Depends on the plan, the graph and the sequential engine's machine; nothing depends on it but the
table of engines.
"""

from anabranch.engine.multicore.joined import execution
from anabranch.engine.multicore.knobs import Knobs
from anabranch.engine.multicore.run import run

__all__ = ["Knobs", "execution", "run"]
