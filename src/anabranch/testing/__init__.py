"""Tests of stream programs: the same output on every engine, however the input is cut.

`check` runs a program on rows that a test gives, on all engines that are installed, and compares
what comes out with what is expected and with the sequential engine. Hypothesis, which comes with
the extra `anabranch[testing]`, draws cuts, degrees and rows; without it a fixed few are tried.

    checking.py    `check`: a program on rows of a test, on all engines, however the input is cut
    clock.py       A clock that a test sets, for heartbeats and for functions that take one
    comparison.py  The first difference between two sequences, with what stands around it
    engines.py     The engines that are installed, and the ways in which a test runs a program
    golden.py      Golden files: what a sink gives, kept beside the test, and written when asked for
    plugin.py      The plug-in for pytest: which engines a test is to try, golden files, a clock
    rows.py        Rows that Hypothesis draws for a record class, by the types of its fields
"""

from anabranch.testing.checking import check
from anabranch.testing.clock import Clock
from anabranch.testing.comparison import Mismatch
from anabranch.testing.engines import installed
from anabranch.testing.rows import rows

__all__ = ["Clock", "Mismatch", "check", "installed", "rows"]
