"""The workloads, one in each file: each has `measure(setting)`, which gives an `Outcome`."""
