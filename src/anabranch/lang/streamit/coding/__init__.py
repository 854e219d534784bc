"""From the syntax of functions to typed Python source.

The text is the same for both tiers: plain Python, where it is the meaning of the program, and
compiled loops. What it calls (`_f`, `_idiv`, ...) is defined twice, in `execution`.
"""
