"""What runs in and around the channels of a replicated region: splitters, replicas, mergers.

All of them are kinds of operators, so that a replicated graph runs on the sequential engine and on
every Brooklet schedule. After Schneider et al., section 4.
"""
