"""Synchronization plans: trees of workers that fork and join one state.

    plan.py      Plans: binary trees of workers, each with its tags; and which are allowed
    planning.py  The plan of a synchronized operator: the user's own, or an optimizer's
    program.py   A synchronized operator's functions, ready to call, with checks of what they give
    optimizers/  Optimizers: from a program, the rates of its tags and a number of workers to a plan
"""
