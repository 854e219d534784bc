"""From the syntax of functions to typed Python source.

The text is the same for both tiers: plain Python, where it is the meaning of the program, and
compiled loops. What it calls (`_f`, `_idiv`, ...) is defined twice, in `execution`.

    composites.py   Pipelines, split-joins and feedback loops: bodies as Python that adds streams
    expressions.py  Expressions: typed Python text, statements in front of it where order matters
    facts.py        What a function's text tells without running it: rounds, items, its one way
    filters.py      A filter's functions as one text: fields, rates, work, and many firings in a row
    functions.py    Functions and filters before their text is made: what they call, use and change
    lanes.py        Firings side by side: the work of many in loops over lanes, as vectors
    module.py       A generated text as functions: lines, constants, the user's line behind each
    operations.py   The text of operations on typed values: widths, parts, built-in functions
    records.py      What compiled code holds as records: structures, arrays, and what is printed
    scope.py        What names mean while a function is coded, and what the function may do
    statements.py   Statements: control flow as Python with C's meaning, messages to portals
"""
