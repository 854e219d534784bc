"""Plans: what may run in parallel, how one engine runs it, and plans of workers.

    tuning.py  What decides how a run is made: the knobs that a user turns, and what things cost
    logical/   The logical plan: rewrite rules, regions and joints, the same for every engine
    physical/  The physical plan: how one engine runs a program, stage by stage, as it is
    sync/      Synchronization plans: trees of workers that fork and join one state
"""
