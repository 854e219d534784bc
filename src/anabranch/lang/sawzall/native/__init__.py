"""Counting in machine code: some programs become one compiled loop over the bytes.

These are programs that look at the fields of a line between commas, or at pieces of the line,
compute with integers, and emit integers and texts to commutative tables. A line that is not as
simple as that (a quote, a number that is none, a field that is not there) is left to the usual
function, which is always right.

    expressions.py  Expressions of a simple program, with calls and patterns, as text to compile
    form.py         The compiled form of a program: when it is taken, a physical plan says
    loop.py         The compiled loop of a simple program, and what it counts in a block
    lowering.py     From the syntax of a simple program to the source of a loop that can be compiled
    scan.py         What the compiled loops call: reading numbers, comparing texts, patterns
    sites.py        Emissions of a compiled loop: where they stand in the table, their text
"""
