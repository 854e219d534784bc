"""When a window changes though no row comes: the times at which rows leave it.

Time is a line of ticks: whole numbers count seconds, and other timestamps have microseconds. A row
of `[range 2]` that came at 1 is gone at 4, whether or not another row comes then. A window on a
stream that a query makes has rows that came when something left a window before it: so each path
from an input is a number of moves, one for each window on the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction

from anabranch.core.errors import ProgramError
from anabranch.ir.types import FLOAT, INT, Type
from anabranch.lang.cql.algebra import Input, Node, Window
from anabranch.lang.cql.execution.rows.batches import (
    EndsAfter,
    Leaves,
    NextMicrosecond,
    Path,
    SlidesIn,
    SlidesOut,
    ToWhole,
    windows_of,
)
from anabranch.lang.cql.translate import Program

Paths = Mapping[str, frozenset[Path]]
MICROSECOND = Fraction(1, 1_000_000)


class Expiry:
    """The paths from the inputs of a program to when its windows change; `unit` gives a number of
    seconds as the timestamps, which are of the type `clock`, count them."""

    def __init__(self, program: Program, clock: Type, unit: Callable[[Fraction], object]):
        self.clock, self.unit = clock, unit
        self.named = {result.name.lower(): result.node for result in program.results}
        self.found = _union(self.paths(r.node) for r in program.results if r.written)

    def of(self, name: str) -> tuple[Path, ...]:
        """The paths from an input to times that are not its own."""
        return tuple(sorted(self.found.get(name, frozenset()) - {()}, key=repr))

    def paths(self, node: Node) -> Paths:
        """From each input to the times at which a node may change."""
        if isinstance(node, Input):
            made_by = self.named.get(node.name.lower())
            return {node.name: frozenset({()})} if made_by is None else self.paths(made_by)
        paths = _union(map(self.paths, node.inputs))
        if not isinstance(node, Window):
            return paths
        moves = [(), *self._moves(node)]
        return {name: frozenset(path + move for path in of for move in moves)
                for name, of in paths.items()}

    def _moves(self, node: Window) -> Iterator[Path]:
        if node.kind in ("hop", "session"):
            for end in self._ends(node):
                yield end
                yield (*end, *self._leaves(Fraction(0)))
            return
        length = Fraction(0) if node.kind == "now" else node.length
        if length is None:
            return
        if node.slide is None:
            yield self._leaves(length)
            return
        end = (ToWhole(),) if self.clock == INT and node.slide.denominator != 1 else ()
        yield SlidesIn(self.unit(node.slide)), *end
        yield SlidesOut(self.unit(length), self.unit(node.slide)), *end

    def _ends(self, node: Window) -> Iterator[Path]:
        """When the windows end that a row is in."""
        if self.clock == INT and any(t.denominator != 1 for t in (node.length, node.slide or 1)):
            raise ProgramError("this window ends between two timestamps, which are whole numbers",
                               node.span, help="take whole seconds, or declare the timestamp")
        length = self.unit(node.length)
        if node.kind == "session":
            yield (Leaves(length),)
            return
        slide = self.unit(node.slide)
        yield from ((EndsAfter(slide, n),) for n in range(windows_of(length, slide)))

    def _leaves(self, length: Fraction) -> Path:
        """To the first tick at which a row is older than `length`."""
        if self.clock == FLOAT:
            return Leaves(self.unit(length)), NextMicrosecond()
        whole = Fraction(math.floor(length) + 1)
        return (Leaves(self.unit(whole if self.clock == INT else length + MICROSECOND)),)


def _union(several: Iterable[Paths]) -> Paths:
    joined: dict[str, frozenset[Path]] = {}
    for paths in several:
        for name, of in paths.items():
            joined[name] = joined.get(name, frozenset()) | of
    return joined
