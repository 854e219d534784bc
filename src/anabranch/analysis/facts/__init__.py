"""The facts of every operator, one fact for each module.

    copies.py        Finds output items that copy the input: `t`, `t.replace(...)`, `Out(t.uid, 1)`
    declarations.py  Facts that the program declares: they override the analysis; `check` tests them
    forwarding.py    Forwarding: which output attributes are input attributes unchanged, by port
    live_fields.py   Live fields: which fields of a queue's items anything behind it may look at
    order.py         Order: whether anything downstream can observe the order of the outputs
    selectivity.py   Selectivity: how many outputs one input gives; those at the end do not count
    state.py         State: what an operator remembers, and by which key it falls apart
    summary.py       All facts of a graph, in one go
    totality.py      Totality: whether a function gives a result for every item, without an error
"""
