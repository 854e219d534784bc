"""Whether kernels pay: how long rows take without them, how long kernels take.

A kernel is loaded when it has been compiled before; else another process compiles it first. Before
the first row it is only known that no row takes less than it costs, or what rows took in an earlier
run; later, what they have taken.

>>> Prospect(rows=2_000_000, loading=0.5).at_once
True
>>> short = Prospect(rows=40_000, loading=0.5, compiling=2.5)
>>> short.at_once, short.after(1_000, 0.05), short.after(1_000, 0.1)
(False, False, True)
>>> unknown = Prospect(rows=None, loading=0.5, compiling=2.5)
>>> unknown.after(1_000, 0.1), unknown.after(5_000, 0.5)
(False, True)
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from anabranch.core.lazy import Lazy
from anabranch.ir.ends import SourceSpec
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.synchronization import Synchronized
from anabranch.plan.tuning import costs

folder, scope = Lazy("anabranch.kernels.folder"), Lazy("anabranch.analysis.scope")
syntax = Lazy("anabranch.analysis.syntax")

BYTES_WORTH_COMPILING, BYTES_WORTH_LOADING = 32 << 20, 4 << 20
"""So many bytes of text are worth the seconds that it takes to compile what a language makes of a
function, and so many to load what was compiled before."""

MACHINERY = "anabranch.kernels.native.kernel"
"""The module that is there once Numba has been loaded."""

@dataclass(frozen=True)
class Prospect:
    """The `rows` that come, if that is known, each of which takes at least so long; and how long a
    run is busy with `loading` kernels, after another process was busy with `compiling` them."""

    rows: int | None
    loading: float
    compiling: float = 0.0
    least: float = costs().row

    @property
    def at_once(self) -> bool:
        """Whether a run should begin with kernels, when nothing is known of the rows but their
        number. It pays for loading them, and may end before they are compiled: then its rows must
        take twice as long."""
        price = 2 * self.loading if self.compiling else self.loading
        return self.rows is not None and self.rows * self.least >= price

    def after(self, rows: int, seconds: float) -> bool:
        """Whether they pay for the rest, when so many rows have taken so many seconds. Where nobody
        knows how many are left, they do as soon as rows have taken what kernels cost the run: so it
        never loses more than half."""
        if seconds < costs().measured:
            return False
        if self.rows is None or rows > self.rows:
            return seconds >= self.loading
        # Loading takes the interpreter's lock from those who hand rows on.
        return (self.rows - rows) * seconds / max(1, rows) >= 2 * self.loading + self.compiling


def prospect(graph: Graph, limit: int | None = None) -> Prospect:
    """That of a program whose sources are bound, for at most `limit` of their tuples."""
    heavy = any(isinstance(op.kind, Synchronized) or has_loop(op) for op in graph)
    # How workers of a plan meet is fixed before the first row: a later kernel is of no use.
    return prospect_of(graph, limit, costs().looping_row if heavy else costs().row)


def prospect_of(graph: Graph, limit: int | None, least: float) -> Prospect:
    """The same where it is known how long a row takes at least."""
    known, loading = folder.kernels_known(graph), loading_now()
    if known:
        return Prospect(rows_to_come(graph, limit), loading, 0.0,
                        max(least, folder.cost_known(graph)))
    return Prospect(rows_to_come(graph, limit), loading, costs().compiling, least)


def loading_now() -> float:
    """So many seconds kernels take that are on disk."""
    return costs().kernel_loading if MACHINERY in sys.modules else costs().numba_loading


def has_loop(op: Operator) -> bool:
    """Whether some function of the user's in it has a loop, as far as its text is at hand."""
    found = (syntax.syntax_of(function.call) for function in op.kind.functions)
    return any(_loops(each.node) for each in found if isinstance(each, syntax.FunctionSyntax))


@lru_cache(maxsize=1024)
def _loops(node: ast.AST) -> bool:
    return any(isinstance(inner, (ast.For, ast.While)) for inner in scope.every_node(node))


def pays_to_compile(size: int, is_saved: Callable[[], bool]) -> bool:
    """Whether a language's own machine code pays where so many bytes are read."""
    return size >= BYTES_WORTH_COMPILING or (size >= BYTES_WORTH_LOADING and is_saved())


def rows_to_come(graph: Graph, limit: int | None) -> int | None:
    """How many rows may come, if that is known."""
    rows = [rows_about(op.kind.spec) for op in graph.sources]
    known = [] if None in rows else [sum(rows)]
    return min([*known, *([] if limit is None else [limit])], default=None)


def rows_known(graph: Graph) -> int:
    """So many rows are known to come, about, if nothing limits them."""
    return sum(rows_about(op.kind.spec) or 0 for op in graph.sources)


def rows_about(spec: SourceSpec | None) -> int | None:
    """A guess at how many rows a source has; None when it cannot be known."""
    # A pipe has no size.
    known = spec is not None and (spec.replayable or not spec.paths)
    return spec.rows_about() if known else None
