"""What an operator's functions do besides computing: known only where it is proved.

A function is walked with values of which the class and the origin are known, or nothing is. An
operation on a built-in class is looked up, one on a class of the user's is walked as the call that
it is, and everything else is not known. `docs/soundness.md` says what that proves.

- `purity`: the effects of every operator of a graph, and what its outputs are
- `shapes`: what the items of a source are
- `things`: abstract values, and the heap of the objects that are followed
- `outside`: objects from outside of a function, looked at without running their code
- `machine`: one analysis: frames, variables, and the effects found so far
- `walk`: statements and expressions of a function
- `names`: which names are its variables
- `access`: items and iteration of collections
- `attributes`: attributes of objects, classes and modules
- `operations`: operators, comparisons, texts, hashes
- `members`: what a class has
- `calls`: which function a call runs, with what
- `classes`: making an instance
- `library`: what is known of Python's own functions and classes
"""
