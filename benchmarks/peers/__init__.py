"""The workloads for other systems: a folder for each, with its pinned requirements.

These files run in the environments of those systems, by `harness.py`; nothing imports them here.
"""
