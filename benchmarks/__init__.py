"""Benchmarks: how fast programs run, beside what users would pick instead.

    python -m benchmarks --suite multicore --only w1 --quick

Nothing here is asserted by tests: times belong to a machine. Answers are checked in every run.
Depends on the whole package; nothing in the package depends on it.
"""
