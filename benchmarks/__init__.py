"""Benchmarks: how fast programs run, beside what users would pick instead.

    python -m benchmarks --suite multicore --only w1 --quick

Results are in `results`. Nothing here is asserted by tests: times belong to a machine. Answers are
checked in every run. Depends on the whole package; nothing in the package depends on it.

    __main__.py      `python -m benchmarks`, which is `anabranch bench` as well
    answers.py       Whether an answer is right, and whether it is in order
    command.py       The command, which measures, checks every answer, and reports
    data.py          The inputs: the same rows on every machine, written once and kept
    elsewhere.py     Workloads on a machine that has neither the command line nor Git
    environments.py  The peers' own environments, installed once, from pinned names
    machine.py       What a result was measured on: cores, memory, versions, the commit, the load
    measurement.py   What benchmarks are made of: contenders, measurements, goals, plots, outcomes
    processes.py     Programs as contenders: each run is a process of its own
    runner.py        Runs contenders against each other, and checks every answer
    suites.py        The suites: which workloads each has, in the order in which they run
    papers/          The papers' own figures, to stand beside ours: a file for each paper
    peers/           The workloads for other systems, which run in environments of their own
    programs/        The workloads as programs of ours, as a user would write them
    report/          Results as people and programs read them: a table, Markdown, JSON, plots
    standalone/      Scripts of their own, which print what they measure and keep nothing
    workloads/       The workloads: a module with `measure(setting)` is one, and gives an `Outcome`
"""
