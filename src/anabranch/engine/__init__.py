"""The engines: each runs a plan and gives the sequential engine's output sequence.

    contract.py     What an engine gives: how it runs a plan, and which options mean nothing to it
    defaults.py     Defaults of runs: ANABRANCH_ENGINE, and the file anabranch.toml of a project
    directives.py   What annotations ask of an engine: it is done, or refused by name
    in_sequence.py  The sequential engine as a run asks for it
    line.py         Programs that one Python loop runs: a line from a file to a file
    on_cores.py     The multicore engine as a run asks for it, imported where workers are needed
    on_spark.py     The Spark engine as a run asks for it
    one_loop.py     Runs a line from a file to a file as one Python loop, if that is all it takes
    run.py          What all engines share: their names, and how a plan runs from sources to sinks
    whole.py        Programs that their language runs as a whole: see `plan.logical.whole`
    multicore/      The multicore engine: a physical plan on all cores of this machine, in order
    sequential/     The sequential engine: the definition of what a program means
    spark/          The Spark engine: a plan as a batch job on a cluster, or on this machine's cores
"""
