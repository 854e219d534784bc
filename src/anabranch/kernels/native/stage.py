"""A stage as the text of one module: a function for each operator, each calling the next.

`run` goes over the rows of a slice, `end<k>` over the keys of the operator number k. The row at
which they stopped is in `c`, so that they can go on there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.analysis.facts.selectivity import gives_one
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply, Filter, Map, Split
from anabranch.ir.types import Type
from anabranch.ir.windows import AggregateWindow
from anabranch.kernels.native import expressions  # noqa: F401 (it fills the walk's handlers)
from anabranch.kernels.native.body import Body, Registry, Variable, Wider
from anabranch.kernels.native.functions import ITEM, functions, helpers
from anabranch.kernels.native.layout import Inner, Table
from anabranch.kernels.native.operators import WRITERS, Site, Written, write_apply
from anabranch.kernels.native.outputs import Column, as_declared, output_columns
from anabranch.kernels.native.sources import Source, input_shape, sources_of
from anabranch.kernels.native.splits import write_split
from anabranch.kernels.native.values import (
    CONTEXT,
    Shape,
    Unsupported,
    common,
    no_form,
    received,
)
from anabranch.kernels.native.windows import write_window

HEADER = """from math import copysign, isfinite, isinf, isnan

from numba import njit
from numpy import int64, uint32, uint64

from anabranch.kernels.native.libm import *
from anabranch.kernels.native.numeric import *
from anabranch.kernels.native.strings import larger_text, smaller_text, text_order
from anabranch.kernels.native.tables import (
    Full, at_slot, find, float_word, found, insert, or_else, position, stamp_of)
from anabranch.kernels.native.ticks import ticks
from anabranch.kernels.native.times import *
from anabranch.kernels.native.whole_numbers import *

INF, NAN = float("inf"), float("nan")
TRACKED = False
"""


@dataclass(frozen=True)
class Stage:
    """The text of a stage's module, and what its functions are called with.

    `made` has Python expressions over the text `_text`, and the kind of what they give; `outer`
    the objects that they use. `aware` says that its own times are instants, or wall-clock times;
    None where it can take either.
    """

    source: str
    arguments: tuple[str, ...]
    sources: tuple[Source, ...]
    inputs: tuple[int, ...]
    texts: tuple[str, ...]
    made: tuple[tuple[str, str], ...]
    outer: dict[str, object]
    tables: tuple[Table, ...]
    inner: Inner
    ending: frozenset[int]
    columns: tuple[Column, ...]
    widens: bool = False
    aware: bool | None = None

    @property
    def tracking(self) -> str:
        """The module that also notes which keys are touched."""
        return self.source.replace("TRACKED = False", "TRACKED = True", 1)

    @property
    def owners(self) -> list[Table]:
        """The tables that are an operator's own, each with those inside of it."""
        return [table for table in self.tables if not table.is_inner]


More = Callable[[Registry, list[Table]], list[str]]
"""Further functions of a stage's module, as lines; `<context>` stands for their arguments."""


def write_stage(operators: tuple[Operator, ...], input_type: Type, output_type: Type,
                more: More = lambda registry, tables: []) -> Stage:
    """The module of a stage; `Unsupported` when some operator has no native form."""
    wider: dict[Variable, Shape] = {}
    while True:
        try:
            stage = _stage(operators, input_type, output_type, more, Registry(wider))
        except Wider as found:
            wider[found.variable] = found.shape
        else:
            _check(stage, operators)
            return stage


def _check(stage: Stage, operators: tuple[Operator, ...]) -> None:
    """Refuses a text that Python cannot read: the fault is ours, and rows have none of it."""
    for text, mode in [*((made, "eval") for made, _ in stage.made), (stage.source, "exec")]:
        try:
            compile(text, "<stage>", mode)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            what = text if mode == "eval" else _line(text, error)
            raise _located(operators[0], Unsupported(no_form(what, error))) from error


def _line(text: str, error: Exception) -> str:
    lines = text.splitlines()
    number = getattr(error, "lineno", None) or 0
    return lines[number - 1].strip() if 0 < number <= len(lines) else "its function"


def _stage(operators: tuple[Operator, ...], input_type: Type, output_type: Type, more: More,
           registry: Registry) -> Stage:
    item, parts, tables, widens = input_shape(input_type), [], [], False
    for place, op in enumerate(operators):
        written = _written(op, received(item, ITEM), registry, len(tables), place,
                           _is_undone(operators[:place]))
        tables += [written.table, *written.inner] if written.table else []
        parts.append((item, written))
        if op is operators[-1]:
            widens = as_declared(written.sites, output_type)
        item = _handed_on(op, written.sites)
    last = Body(None, {}, registry)
    sources = sources_of(input_type)
    try:
        columns = output_columns(last, received(item, ITEM), output_type,
                                 [source.type for source in sources])
    except Unsupported as why:
        raise _located(operators[-1], why) from None
    shapes = [*(shape for shape, _ in parts[1:]), item]
    inner = Inner(len(tables), tuple(map(gives_one, operators)))
    lines = functions(parts, shapes, last, tables, inner)
    lines = [*helpers(registry), *lines, *more(registry, tables)]
    return _assembled(lines, registry, sources, tables, inner, columns,
                      frozenset(w.table.number for _, w in parts if w.end),
                      widens or any(column.widened for column in columns))


def _is_undone(before: tuple[Operator, ...]) -> bool:
    """Whether a row may stop when an operator behind these has stored its state. Behind filters and
    maps alone, that is the last thing that a row does."""
    return not all(isinstance(op.kind, (Filter, Map)) for op in before)


def _written(op: Operator, item: Shape, registry: Registry, table: int, place: int,
             logs: bool) -> Written:
    try:
        if isinstance(op.kind, Apply):
            return write_apply(op, item, registry, table, place, logs)
        if isinstance(op.kind, AggregateWindow):
            return write_window(op, item, registry, table, place)
        if isinstance(op.kind, Split):
            return write_split(op, item, registry)
        if type(op.kind) in WRITERS:
            return WRITERS[type(op.kind)](op, item, registry)
        raise Unsupported(f"is a {op.kind.label}")
    except Unsupported as why:
        raise _located(op, why) from None
    except Wider:
        raise
    except Exception as error:
        raise _located(op, Unsupported(no_form("its function", error))) from error


def _located(op: Operator, why: Unsupported) -> Unsupported:
    return Unsupported(f"{op.name} {why.why}", why.span or op.span)


def _handed_on(op: Operator, sites: list[Site]) -> Shape:
    if not sites:
        raise _located(op, Unsupported("gives nothing"))
    shape = common([s.given for s in sites])
    if shape is None:
        raise _located(op, Unsupported("gives items of different types"))
    return shape


def _assembled(lines: list[str], registry: Registry, sources: tuple[Source, ...],
               tables: list[Table], inner: Inner, columns: list[Column],
               ending: frozenset[int], widens: bool) -> Stage:
    inputs = tuple(sorted(registry.columns))
    made = tuple(registry.tables)
    arguments = ["i", "timed", "c", "stamps", "rows", "starts", "texts",
                 *(f"in{n}" for n in inputs),
                 *(f"no{n}" for n in inputs),
                 *(f"{a}{n}" for n in range(len(made)) for a in ("tab", "known")),
                 *(name for t in tables for name in t.names),
                 *(name for col in columns for name, _ in col.arrays)]
    text = HEADER + "\n".join(lines).replace(CONTEXT, ", ".join(arguments)) + "\n"
    return Stage(text, tuple(arguments), sources, inputs, tuple(registry.texts), made,
                 dict(registry.outer), tuple(tables), inner, ending, tuple(columns), widens,
                 registry.aware)
