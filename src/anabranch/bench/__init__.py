"""Benchmarks: how fast programs run, beside what users would pick instead; all answers are checked.

    command.py   suites.py: what is run                   workloads/  one workload in each file
    data.py      inputs, the same on every machine        programs/   the workloads as our programs
    runner.py    medians of runs in alternating order     peers/      the same for other systems
    scripted.py  environments.py: programs as processes   answers.py  is it right, and in order?
    machine.py   what it was measured on                  report/     table, Markdown, JSON, plots

Nothing here is asserted by tests: times belong to a machine. Answers are checked in every run.
Depends on the whole package; only the command `anabranch bench` depends on it.
"""
