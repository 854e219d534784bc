"""What an operator's functions do besides computing: known only where it is proved.

A function is walked with values of which the class and the origin are known, or nothing is. An
operation on a built-in class is looked up, one on a class of the user's is walked as the call that
it is, and everything else is not known. `docs/soundness.md` says what that proves.
"""
