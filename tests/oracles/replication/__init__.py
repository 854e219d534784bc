"""Parallel regions as the papers have them: a graph whose regions have replicas, between splitters
and mergers, and the rules that move these.

Splitters, replicas and mergers are kinds of operators, so that a replicated graph runs on the
sequential engine and on every Brooklet schedule. After Schneider et al., section 4.
"""
