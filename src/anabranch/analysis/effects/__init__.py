"""What an operator's functions do besides computing: known only where proved.

A function is walked with values of which the class and the origin are known, or nothing is. An
operation on a built-in class is looked up, one on a class of the user's is walked as the call that
it is, and everything else is not known. `docs/soundness.md` says what that proves.

    access.py       Items and iteration: what is read from a collection, and what is put into it
    attributes.py   Attributes: what is read from an object, a class or a module, and put there
    calls.py        What a call does: which function is called, with what, and what comes back
    classes.py      What making an instance of a class does
    environment.py  Objects from outside of a function: what they hold, and who can change them
    handed_on.py    What operators give out while it can still change, and who takes it
    machine.py      One analysis: what was found of an operator's functions and all that they call
    members.py      What a class has, found without running any of its code
    operations.py   Operators and what Python calls by itself: a user's class has methods for them
    purity.py       Purity: what an operator's functions do besides computing, and what they give
    shapes.py       What the items of a stream may be, from what is known of their source
    values.py       What a value may be: the abstract values that the effect analysis computes with
    walk.py         Walks a function: what its expressions may be, and what evaluating them does
    library/        What is known of Python's functions and classes, and of NumPy; all else is not
"""
