"""From the algebra to steps over columns: NumPy where it can be, else Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, singledispatchmethod

import numpy as np

from anabranch.ir.types import TIMESTAMP, Type
from anabranch.lang.cql import algebra as sra
from anabranch.lang.cql.codegen import duration
from anabranch.lang.cql.execution.columns import relations, windows
from anabranch.lang.cql.execution.columns.aggregates import Known
from anabranch.lang.cql.execution.columns.joins import Join
from anabranch.lang.cql.execution.columns.relations import Changed, grouped, is_known
from anabranch.lang.cql.execution.columns.rows import ByRows, WithArrivals, row_operator
from anabranch.lang.cql.execution.columns.terms import Compute, computed, holds, in_words
from anabranch.lang.cql.execution.columns.values import Texts
from anabranch.lang.cql.execution.columns.windows import LastOfEach

TIMES = {
    ("union", False): lambda a, b=0: ((a > 0) | (b > 0)).astype(np.int64),
    ("except", False): lambda a, b: ((a > 0) & (b <= 0)).astype(np.int64),
    ("except", True): lambda a, b: np.maximum(a - b, 0),
    ("intersect", False): lambda a, b: ((a > 0) & (b > 0)).astype(np.int64),
    ("intersect", True): np.minimum,
}


@dataclass(frozen=True)
class Placed:
    """A step of an operator, or of what else it is for, with the numbers of those whose results
    it takes."""

    of: sra.Node | str
    step: object
    inputs: tuple[int, ...] = ()


@dataclass
class Steps:
    """The steps of a program, each behind those that it takes from; the same algebra once."""

    clock: Type
    results: Mapping[str, sra.Node]
    texts: Texts = field(default_factory=Texts)
    placed: list[Placed] = field(default_factory=list)
    known: dict[sra.Node, int] = field(default_factory=dict)

    def number(self, node: sra.Node) -> int:
        """The number of the step that gives a node."""
        if isinstance(node, sra.Input) and node.name.lower() in self.results:
            return self.number(self.results[node.name.lower()])
        if node not in self.known:
            inputs = tuple(map(self.number, node.inputs))
            steps = self.steps(node)
            for step in steps if isinstance(steps, tuple) else (steps,):
                inputs = (self.add(node, step, *inputs),)
            [self.known[node]] = inputs
        return self.known[node]

    def add(self, of: sra.Node | str, step: object, *inputs: int) -> int:
        self.placed.append(Placed(of, step, inputs))
        return len(self.placed) - 1

    @singledispatchmethod
    def steps(self, node: sra.Node) -> object:
        """A step that takes the results of a node's inputs, or several, one behind the other."""
        raise TypeError(f"no rule makes a step of a {type(node).__name__}")

    @steps.register
    def _input(self, node: sra.Input):
        rows = relations.Same(node.name)
        return rows if node.is_stream else (rows, *self._counted(node, relations.there, 1))

    @steps.register
    def _window(self, node: sra.Window):
        if node.kind == "partitioned" and node.length is None:
            return LastOfEach(node.rows, node.by)
        if node.kind in ("partitioned", "hop", "session") or (
                node.kind == "rows" and node.slide is not None):
            return self._by_rows(node)
        length, slide = (duration_in(t, self.clock) for t in (node.length, node.slide))
        return {"now": lambda: windows.Now(), "unbounded": lambda: relations.Same(),
                "rows": lambda: windows.LastRows(node.rows),
                "range": lambda: windows.Recent(length) if slide is None else
                windows.Sliding(length, slide)}[node.kind]()

    @steps.register
    def _filter(self, node: sra.Filter):
        return relations.Filter(holds(node.condition, node.relation.schema, self.texts))

    @steps.register
    def _project(self, node: sra.Project):
        return relations.Project(self._computed(node.terms, node.relation))

    @steps.register
    def _union_all(self, node: sra.UnionAll):
        return relations.UnionAll()

    @steps.register
    def _distinct(self, node: sra.Distinct):
        return self._counted(node, TIMES["union", False], 1)

    @steps.register
    def _combine(self, node: sra.Combine):
        return self._counted(node, TIMES[node.operator, node.every], 2)

    @steps.register
    def _to_stream(self, node: sra.ToStream):
        if node.operator == "rstream":
            names = sra.inputs_below(node, self.results)
            return self._by_rows(node, partial(WithArrivals, names))
        return Changed(types_of(node), 1 if node.operator == "istream" else -1, self.texts)

    @steps.register
    def _group(self, node: sra.Group):
        if not all(map(is_known, node.calls)):
            return self._by_rows(node)
        return grouped(node, self._computed(node.keys, node.relation), self.texts)

    @steps.register
    def _join(self, node: sra.Join):
        pairs = list(zip(node.left_keys, node.right_keys))
        nullable = [left.optional or right.optional for left, right in pairs]
        return Join(self._keys(node.left_keys, nullable, node.left),
                    self._keys(node.right_keys, nullable, node.right), nullable)

    def _keys(self, terms, nullable: list[bool], relation: sra.Node) -> list[Compute]:
        """The columns of keys, in words where those of the other side may be null."""
        return [in_words(how, term.type) if maybe and not term.optional else how
                for how, term, maybe in zip(self._computed(terms, relation), terms, nullable)]

    @steps.register
    def _mark(self, node: sra.Mark):
        return self._by_rows(node)

    def _counted(self, node: sra.Node, times: Callable, sides: int) -> tuple:
        return (relations.RowSums(types_of(node), self.texts), Known(sides),
                relations.Counted(times, types_of(node)))

    def _by_rows(self, node: sra.Node, step: Callable[..., ByRows] = ByRows) -> ByRows:
        operate, at_each = row_operator(node, self.clock)
        return step(operate, list(map(types_of, node.inputs)), types_of(node), self.clock,
                    self.texts, at_each)

    def _computed(self, terms, relation: sra.Node) -> list[Compute]:
        return [computed(term, relation.schema, self.texts) for term in terms]


def types_of(node: sra.Node) -> list[Type]:
    return [column.type for column in node.schema]


def duration_in(seconds, clock: Type) -> object:
    """A length of time as columns count it."""
    if seconds is None or clock != TIMESTAMP:
        return duration(seconds, clock)
    return int(seconds * 1_000_000)
