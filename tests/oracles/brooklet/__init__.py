"""The calculus underneath: operators over one-to-one queues, fired in any order.

Its interpreter is the oracle for translations and rewrites: two graphs mean the same in Brooklet
when the sets of their final outputs are the same. After Soulé et al., "River: an intermediate
language for stream processing". Depends on `ir`, and on `engine.failure` for the errors of users'
functions.
"""

from oracles.brooklet.difference import Difference, equivalent
from oracles.brooklet.explore import explore
from oracles.brooklet.interpreter import Configuration, Final, eligible, run, start, step
from oracles.brooklet.program import Clause, Program, lower

__all__ = ["Clause", "Configuration", "Difference", "Final", "Program", "eligible", "equivalent",
           "explore", "lower", "run", "start", "step"]
