"""What is known of Python's own functions and classes, and of NumPy: all else is not known.

- `functions`: built-in functions, and those of `operator`, `itertools`, `functools`, `heapq`
- `methods`: the methods of built-in classes
- `modules`: modules of the standard library as a whole, and what their functions give
- `arrays`: NumPy
"""
