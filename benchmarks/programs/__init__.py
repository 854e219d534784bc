"""The workloads as programs of ours, as a user would write them."""
