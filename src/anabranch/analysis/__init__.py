"""What is known of a program before it runs, each fact with its reason. Depends on `ir` alone.

- `syntax`: the tree of a user's function, and what its names stand for
- `scope`: names and inner functions within a tree
- `constants`: names outside of a function that keep one value
- `fact`: a fact, and the values that facts have
- `typing`: the types of expressions, and wrong programs
- `effects`: what functions do besides computing
- `facts`: state, selectivity, forwarding and order of every operator
"""
