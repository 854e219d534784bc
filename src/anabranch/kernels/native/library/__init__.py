"""What generated code calls while it runs: Python's results to the last bit."""
