"""Small graphs around one operator, and functions from generated text."""

from __future__ import annotations

import itertools
import linecache
import textwrap

from anabranch.analysis.fact import OperatorFacts
from anabranch.analysis.facts.summary import analyse
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Graph
from anabranch.ir.operators import Kind, Sink, Source
from anabranch.ir.records import Record, State
from anabranch.ir.types import ANY, RecordOf, Type

_files = itertools.count(1)


class Entry(Record):
    ts: float
    uid: int
    name: str
    amount: float
    tags: list[str]
    note: str | None = None


class Out(Record):
    uid: int
    total: float


class Renamed(Record):
    user: int
    name: str
    amount: float = 0.0


class Balance(State):
    total: float = 0.0
    count: int = 0
    names: list[str] = []
    by_name: dict = {}
    last: object = None


ENTRY = RecordOf(Entry)


def compiled(text: str, scope: dict | None = None) -> dict:
    """The names that a text defines; analyses find its source."""
    text = textwrap.dedent(text)
    file = f"<test {next(_files)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"Entry": Entry, "Out": Out, "Renamed": Renamed, "Balance": Balance, **(scope or {})}
    exec(compile(text, file, "exec"), names)
    return names


def function(text: str, scope: dict | None = None, name: str = "f") -> Function:
    """The function `f` of a text."""
    return Function.of(compiled(text, scope)[name])


def single(kind: Kind, inputs: list[Type] | None = None, outputs: list[Type] | None = None,
           annotations: tuple[Annotation, ...] = ()) -> Graph:
    """Sources, the operator `op`, and a sink for each of its outputs."""
    b = Builder()
    given = [b.add(f"in{i}", Source(), (), [t])[0] for i, t in enumerate(inputs or [ENTRY])]
    queues = b.add("op", kind, given, outputs or [ANY], annotations)
    for i, queue in enumerate(queues):
        b.add(f"out{i}", Sink(), [queue])
    return b.graph()


def facts(kind: Kind, inputs: list[Type] | None = None, outputs: list[Type] | None = None,
          annotations: tuple[Annotation, ...] = ()) -> OperatorFacts:
    return analyse(single(kind, inputs, outputs, annotations))["op"]
