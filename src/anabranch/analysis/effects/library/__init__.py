"""What is known of Python's own functions and classes, and of NumPy: all else is not known."""
