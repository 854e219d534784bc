"""Synchronized stages: one state, forked for several workers when that pays.

    child.py      The life of a process with workers of a plan, forked before the plan is known
    gangs.py      The gangs of a run: one for each synchronized stage, in processes or in threads
    keys.py       Keys of a synchronized stage: which are split, and buckets for the seldom ones
    mail.py       A gang whose workers send messages: the slices it works on, and what leaves
    processes.py  A gang in processes: one for each leaf of the plan, a few for those above
    roster.py     Who of a team does what: the states that are forked, the keys that are not
    service.py    A stage with a state that can be forked: in one place at first, then shared
    shards.py     A state in native memory, forked among a team: of a hot key, or the only one
    states.py     Which state of a team an event belongs to, and its tag: whole columns at once
    team.py       A team: workers in threads that go through each slice together, in native code
    threads.py    A gang: the workers of a synchronization plan at work, each in a thread
"""
