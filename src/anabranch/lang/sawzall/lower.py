"""From a program to the graph: one map over lines, reducers by table and key.

    input --program--> text for the standard streams
                  \\--> what a block adds to tables --reduce--> rows --> lines in key order

All tables but collections are commutative: their reducers need no order before them.
"""

from __future__ import annotations

from anabranch.io.text.places import LineBlock, LineBlocks
from anabranch.ir.graph import Annotation, Builder, Graph
from anabranch.ir.operators import Apply, FlatMap, Sink, Source, Split, Union
from anabranch.ir.types import RecordOf
from anabranch.lang.common.codegen import function
from anabranch.lang.sawzall import conversion
from anabranch.lang.sawzall.library import aggregates, emissions
from anabranch.lang.sawzall.library.output import Streams
from anabranch.lang.sawzall.native.form import body_of
from anabranch.lang.sawzall.program import Program
from anabranch.lang.sawzall.tables import Table
from anabranch.lang.sawzall.types import TupleOf, plain

PURE, COMMUTATIVE = Annotation("Pure"), Annotation("Commutative")
SORTED = Annotation("Commutative", ("sorted",))
AT_END = Annotation("Selectivity", (0, 0))
"""Nothing comes out for an input: all comes at the end."""
OUTPUT, RESULT = RecordOf(emissions.Output), RecordOf(aggregates.Result)
FOLDED = 1 << 20
"""So many bytes are a block, about, whose emissions are folded: the more is folded at once, the
less is joined. What is printed should come soon."""
LARGEST, BLOCKS = 8 << 20, 32
"""So many bytes at most, and so many blocks at least of as many bytes."""
RUNNING = {name: value for name, value in vars(aggregates).items() if callable(value)}


def graph_of(program: Program, files: tuple[str, ...], *, reduces: bool) -> Graph:
    """The graph of a program; with `reduces`, its tables are aggregated at the end."""
    builder, span = Builder(), program.span
    size = _size(program, files) if reduces else None
    source = Source(LineBlocks(files, size=size, span=span))
    builder.place("input", source, (), ["input"], [RecordOf(LineBlock)], span=span)
    kind = FlatMap(body_of(program.compiled, span), program.form)
    [outputs] = builder.add("program", kind, ["input"], [OUTPUT], [PURE], span)
    if reduces:
        outputs = _reduced(builder, program, outputs)
    builder.place("stdout", Sink(Streams(span)), [outputs], (), (), span=span)
    return builder.graph()


def _size(program: Program, files: tuple[str, ...]) -> int:
    """How many bytes are a block: the more, the more there are."""
    total = program.form.size() if program.form is not None else 0
    return max(FOLDED, min(LARGEST, total // BLOCKS))


def _reduced(builder: Builder, program: Program, outputs: str) -> str:
    """Adds the reducers; gives the queue with all that is not reduced."""
    ordered = bool(program.compiled.ordered)
    kinds = (emissions.TEXT, emissions.ORDERED) if ordered else (emissions.TEXT,)
    predicates = tuple(function(f"lambda item: item.kind == {kind}", None) for kind in kinds)
    texts, *parts = builder.add("tables", Split(predicates), [outputs],
                                [OUTPUT] * (len(kinds) + 1), [PURE])
    results = [_keyed(builder, "reduce", parts.pop(), program, COMMUTATIVE)]
    if ordered:
        collected = _keyed(builder, "collect", parts.pop(), program)
        results = builder.add("results", Union(2), [*results, collected], [RESULT], [PURE])
    _write_rows(builder, program, results[0])
    return texts


def _write_rows(builder: Builder, program: Program, results: str) -> None:
    """The lines of all tables, sorted at the end."""
    scope = RUNNING | {"shows": _shows(program.tables)}
    kind = Apply(function("lambda state, result: gathered(state, result)", None, scope),
                 aggregates.Gathered, at_end=function("lambda state: lines(state, shows)", None,
                                                    scope))
    [rows] = builder.add("rows", kind, [results], [OUTPUT], [PURE, AT_END, SORTED],
                         program.span)
    builder.place("table_output", Sink(Streams(program.span)), [rows], (), (), span=program.span)


def _keyed(builder: Builder, name: str, queue: str, program: Program, *more: Annotation) -> str:
    kind = Apply(function("lambda entries, output: added(entries, output)", None, RUNNING),
                 aggregates.Entries, ("table",),
                 function("lambda entries: reduced(entries)", None, RUNNING))
    return builder.add(name, kind, [queue], [RESULT], [PURE, AT_END, *more], program.span)[0]


def _shows(tables: tuple[Table, ...]) -> dict:
    """For each table its name, how its key is shown, and how each cell of its rows is."""
    return {t.number: (t.name, conversion.in_tables(TupleOf((None,) * len(t.indices), t.indices)),
                       _cells(t)) for t in tables}


def _cells(table: Table) -> list:
    if table.kind == "unique":
        return [str]
    value = conversion.in_tables(table.shown_type)
    if not table.rule.weighted or table.kind == "bootstrapsum":
        return [value]
    if table.kind == "weightedsample":
        return [value, _plain_number]
    weight = conversion.in_tables(table.weight)
    if table.kind == "inversehistogram":
        return [weight, _plain_number]
    return [value, weight, _deviation(table)] if table.kind == "top" else [value, weight]


def _deviation(table: Table):
    weight = plain(table.weight)
    return conversion.in_tables(weight) if isinstance(weight, TupleOf) else _plain_number


def _plain_number(value: float) -> str:
    return f"{value:.15g}"
