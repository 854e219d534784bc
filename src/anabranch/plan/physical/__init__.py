"""The physical plan: how one engine runs a program, stage by stage, as it is.

    bonds.py      Which operators must run together, one source tuple after another
    columns.py    Which columns of its sources a run needs: those that its kernels take
    cost.py       Whether kernels pay: how long rows take without them, how long kernels take
    cut.py        A stage with operators that have no kernel is cut, so that others keep theirs
    ends.py       The ends of a physical plan: in which form sources are read and sinks written
    fuse.py       Stages that follow each other as kernels become one stage with one kernel
    hot_keys.py   Keys too frequent for one worker: their windows are computed in parts, by all
    multicore.py  The plan of the multicore engine: stages, who serves each, and what keeps order
    order.py      What keeps the order of slices: the strategies that the plan's joints name
    plan.py       The physical plan: how an engine runs a program by stages; `explain` prints it
    rounds.py     Rounds: which operators on loops, or with shared variables, need not wait
    rules.py      The ordered rules by which a logical plan becomes the stages of a physical plan
    stages.py     Stages: the operators that one worker takes a slice through at a time
    steps.py      Steps of the engine's own, without state, which any worker does in front of others
    tiers.py      The tier of every stage: a kernel, whole columns, or rows, and then why
    spark/        The physical plan for Spark: segments, exchanges, tiers, placement, DataFrames
"""
