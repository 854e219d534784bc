"""The logical plan: rewrite rules, regions and joints, the same for every engine.

    arrival.py   Merges by time of live sources pass items on as they arrive
    fuse.py      Fuses straight-line pipelines: the operators of one `@Fuse(id)` become one operator
    growth.py    A region while it grows: its operators, and the key that routes all of them
    hoist.py     Hoists selections: a filter goes before the operator whose outputs it drops
    joints.py    Gives regions their joints: parallel source, split, shuffle, merge, parallel sink
    machines.py  Chooses which operators stand on the same machine: `@Group` and `@Parallel`
    ordering.py  Chooses how a region keeps order: from state, selectivity, and shuffles behind it
    plan.py      The logical plan: which operators run in parallel, how tuples are routed, ordered
    regions.py   Forms parallel regions, from the sources on, as long as all safety conditions hold
    rules.py     The ordered rules by which a graph is rewritten before its regions are formed
    safety.py    The conditions under which an operator may be replicated; each names its violation
    unfused.py   Takes fused operators apart, so that a failure names the user's own operator
    whole.py     Programs of which a language knows more than the graph tells
"""
