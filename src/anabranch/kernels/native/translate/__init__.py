"""The user's functions as the text of native code: statements and expressions.

    arithmetic.py   Arithmetic and comparison of numbers and times as native code, or None
    body.py         The function being translated: its names, its lines, what its stage is told
    calls.py        Calls as native code: built-in functions, methods, and those that make records
    control.py      The heads of loops as native code, and `match` as a chain of `if`
    expressions.py  Expressions as native code: names, arithmetic, conditions, comparisons
    formatting.py   Texts made of several values, such as f"{t.name}: {state.count}"
    functions.py    Functions of the user that an operator calls, as native functions of their own
    spans.py        Arithmetic of times and of what lies between them, a number of microseconds
    statements.py   Statements as native code. What a function gives goes to `deliver`, by item
    texts.py        What is computed from one text: Python does it, once for each distinct text
    values.py       What an expression is, known before it runs: its kind, and its native code
    walk.py         From an expression to what it stands for: the walk over a function's tree
"""
