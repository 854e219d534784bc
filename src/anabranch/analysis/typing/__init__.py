"""The types of a function's expressions; what is wrong before a program runs.

    calls.py        The types of calls: built-in functions, methods, records, annotated functions
    diagnostics.py  What inference says about a wrong program, at the user's expression
    expressions.py  The type of every expression of a function, from the types of its variables
    inference.py    The type of what a user's function gives, found before anything runs
    operations.py   The types of arithmetic and comparison; None where Python refuses the operands
    types.py        Types as inference uses them: those of items, and two more that never leave it
"""
