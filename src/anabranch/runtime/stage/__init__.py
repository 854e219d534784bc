"""A stage at work on one slice: rows in plain Python, kernels over columns, operators that go tuple by tuple."""
