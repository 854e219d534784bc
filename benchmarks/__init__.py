"""Benchmarks: how fast programs run, beside what users would pick instead.

    python -m benchmarks --suite multicore --only w1 --quick

    answers         is an answer right, and is it in order?
    command         the command, which measures, checks and reports
    data            the inputs: the same rows on every machine, written once and kept
    elsewhere       workloads on a machine that has neither the command line nor Git
    environments    the peers' own environments, installed once, from pinned names
    machine         what a result was measured on: cores, memory, versions, the commit
    measurement     contenders, measurements, goals, plots, outcomes
    processes       programs as contenders, each run a process of its own
    runner          runs contenders against each other, and checks every answer
    suites          which workloads each suite has, in the order in which they run
    papers          the papers' own figures, to stand beside ours
    peers           the workloads for other systems, in their own environments
    programs        the workloads as programs of ours, as a user would write them
    report          results as a table, Markdown, JSON, plots
    standalone      scripts of their own, which print what they measure
    workloads       the workloads, with streams in memory, files, languages, Spark

Results are in `results`. Nothing here is asserted by tests: times belong to a machine. Answers are
checked in every run. Depends on the whole package; nothing in the package depends on it.
"""
