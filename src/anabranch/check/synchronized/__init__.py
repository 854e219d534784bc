"""Equations between a synchronized operator's functions, tried on reached states.

    cases.py        Cases on which a synchronized operator's functions are tried, from a sample
    consistency.py  Do a program's functions fit together? Equations tried on reached states
    equations.py    The equations of a synchronized operator, both sides computed for a case
    smallest.py     The smallest case that is still broken: no event, tag or fork too many
"""
