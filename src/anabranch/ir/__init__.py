"""The intermediate language: typed, frozen graphs of operators, queues and variables.

Depends on `core` alone; everything else depends on it.

    aggregates.py       What a window computes: folds with `add`, `join`, `result`, or user's own
    changes.py          Items of one time in order, and the changes of windows as items
    ends.py             What sources and sinks are: all that anybody asks of them
    foreign.py          Classes of others as records: dataclasses, named tuples, typed dicts, models
    function.py         A user's function: the callable, and where it stands in the user's text
    graph.py            The frozen graph: operators joined by queues, state in named variables
    keys.py             Keys: what makes two of them the same one, everywhere
    operators.py        The core operators, each a frozen description that is open to analysis
    records.py          Typed records and state: classes whose annotations are the schema
    statistics.py       Aggregates about how values are spread, and which there are
    synchronization.py  An operator whose state can be forked: independent tuples may part
    times.py            Event times: when two are ordered, and how far a silent source has come
    types.py            The types of items: what a record's annotations mean, and how types meet
    verify.py           The invariants of a graph, each with its error for a person to read
    windows.py          Windows and windowed joins: operators on items that are close to each other
    text/               The `.river` language: Brooklet's topology language with River's annotations
"""
