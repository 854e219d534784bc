"""What runs a StreamIt program: in blocks by several workers, on demand, or item by item.

What generated text calls is defined twice: in plain Python, which is what it means, and compiled.
"""
