"""Small wrong changes to the source, each of which the tests must catch: `make mutants`.

    __main__.py     draws mutants, runs the tests against each, and shows those that survive
    changes.py      every change that can be made to a module's text
    places.py       the modules that are changed, and the tests that are run for each
    trial.py        runs tests against a mutant, in a copy of the repository
    equivalent.txt  mutants that behave as the source does, each with the reason
"""
