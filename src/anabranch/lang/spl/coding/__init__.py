"""What is written in operators, as functions in Python that analyses read.

    bodies.py       Statements as the lines of a Python function
    calls.py        Calls of functions: those of the library, and the user's own
    changes.py      What an expression changes: lines before the statement in which it stands
    expressions.py  Expressions: each gets its type, and the Python text that computes it
    files.py        What generated code calls for files that a program opens itself
    intrinsics.py   What a program may ask of its compiler: its file, its ports, the values of a run
    keys.py         The key of a Custom operator's state, found in its logic
    library.py      The functions of the standard toolkit: their types and their Python text
    lines.py        The lines of a Python text, each with the user's own in a comment
    lists.py        What generated code calls for lists, sets and maps
    operations.py   Operations of values, casts, and values as text: checked, and as Python text
    runtime.py      The names that generated code can use
    scopes.py       What names mean in a place, and the user's functions
    times.py        What generated code calls for times
    values.py       What generated code calls: what is not as in Python, and the library
"""
