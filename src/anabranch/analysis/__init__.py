"""What is known of a program before it runs, each fact with its reason.

Depends on `core` and `ir` alone.

    by_name.py       Records that are read by name: `order["amount"]` of a typed dict
    constants.py     Names outside of a function that keep one value while the program runs
    fact.py          What is known of an operator, with why it holds and where in the user's text
    output_count.py  How many items a function gives for one call: what it yields or returns
    scope.py         Names and nested functions within a function's tree, by its text alone
    syntax.py        The syntax of a user's function: its tree with positions of its file, its names
    effects/         What an operator's functions do besides computing: known only where proved
    facts/           The facts of every operator, one fact for each module
    typing/          The types of a function's expressions; what is wrong before a program runs
"""
