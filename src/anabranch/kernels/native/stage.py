"""A stage as the text of one module: a function for each operator, each calling the next.

`run` goes over the rows of a slice, `end<k>` over the keys of the operator number k. The row at
which they stopped is in `c`, so that they can go on there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply
from anabranch.ir.types import Type
from anabranch.ir.windows import AggregateWindow
from anabranch.kernels.native import expressions  # noqa: F401 (it fills the walk's handlers)
from anabranch.kernels.native.body import Body, Helper, Registry
from anabranch.kernels.native.layout import OUT, OUT_BEFORE, ROW, Table
from anabranch.kernels.native.operators import WRITERS, Site, Written, write_apply
from anabranch.kernels.native.outputs import Column, as_declared, output_columns
from anabranch.kernels.native.sources import Source, input_shape, sources_of
from anabranch.kernels.native.values import (
    CONTEXT,
    Shape,
    Unsupported,
    common,
    leaves,
    parameters,
    received,
)
from anabranch.kernels.native.windows import write_window

HEADER = """from math import copysign, isfinite, isinf, isnan

from numba import njit
from numpy import int64

from anabranch.kernels.native.libm import *
from anabranch.kernels.native.numeric import *
from anabranch.kernels.native.strings import larger_text, smaller_text, text_order
from anabranch.kernels.native.tables import Full, find, float_word, found, insert, stamp_of
from anabranch.kernels.native.times import *
from anabranch.kernels.native.whole_numbers import *

INF, NAN = float("inf"), float("nan")
"""
# Without its reference counts (_nrt) Numba passes arrays for nothing; nothing here allocates one.
INNER = "@njit(nogil=True, _nrt=False)"
ENTRY = "@njit(nogil=True, _nrt=False, cache=True)"
ITEM = "a"


@dataclass(frozen=True)
class Stage:
    """The text of a stage's module, and what its functions are called with.

    `made` has Python expressions over the text `_text`, and the kind of what they give; `outer`
    the objects that they use.
    """

    source: str
    arguments: tuple[str, ...]
    sources: tuple[Source, ...]
    inputs: tuple[int, ...]
    texts: tuple[str, ...]
    made: tuple[tuple[str, str], ...]
    outer: dict[str, object]
    tables: tuple[Table, ...]
    ending: frozenset[int]
    columns: tuple[Column, ...]
    widens: bool = False


More = Callable[[Registry, list[Table]], list[str]]
"""Further functions of a stage's module, as lines; `<context>` stands for their arguments."""


def write_stage(operators: tuple[Operator, ...], input_type: Type, output_type: Type,
                more: More = lambda registry, tables: []) -> Stage:
    """The module of a stage; `Unsupported` when some operator has no native form."""
    registry, item, parts, tables, widens = Registry(), input_shape(input_type), [], [], False
    for place, op in enumerate(operators):
        written = _written(op, received(item, ITEM), registry, len(tables), place)
        tables += [written.table] if written.table else []
        parts.append((op, item, written))
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
    shapes = [*(shape for _, shape, _ in parts[1:]), item]
    functions = [*_functions(parts, shapes, item, last, tables), *more(registry, tables)]
    lines = [line for helper in registry.helpers.values() for line in _helper(helper)] + functions
    return _assembled(lines, registry, sources, tables, columns,
                      frozenset(w.table.number for _, _, w in parts if w.end),
                      widens or any(column.widened for column in columns))


def _written(op: Operator, item: Shape, registry: Registry, table: int, place: int) -> Written:
    try:
        if isinstance(op.kind, Apply):
            return write_apply(op, item, registry, table, place)
        if isinstance(op.kind, AggregateWindow):
            return write_window(op, item, registry, table, place)
        if type(op.kind) in WRITERS:
            return WRITERS[type(op.kind)](op, item, registry)
        raise Unsupported(f"is a {op.kind.label}")
    except Unsupported as why:
        raise _located(op, why) from None


def _located(op: Operator, why: Unsupported) -> Unsupported:
    return Unsupported(f"{op.name} {why.why}", why.span or op.span)


def _handed_on(op: Operator, sites: list[Site]) -> Shape:
    if not sites:
        raise _located(op, Unsupported("gives nothing"))
    shape = common([s.given for s in sites])
    if shape is None:
        raise _located(op, Unsupported("gives items of different types"))
    return shape


def _functions(parts: list, shapes: list[Shape], item: Shape, last: Body,
               tables: list[Table]) -> list[str]:
    """The functions, the last operator's first: each is defined before it is called."""
    names = [f"op{n}" for n in range(len(parts))] + ["emit"]
    lines = _function("emit", item, last.lines, "", item)
    for n in reversed(range(len(parts))):
        _, shape, written = parts[n]
        lines += _function(names[n], shape, written.lines, names[n + 1], shapes[n])
        if written.end:
            lines += _function(f"at_end{written.table.number}", None, written.end, names[n + 1],
                               shapes[n])
            lines += loop(f"end{written.table.number}", f"c[{written.table.count}]",
                          f"at_end{written.table.number}", tables)
    return lines + loop("run", "size", "op0", tables)


def _function(name: str, shape: Shape | None, body: list, following: str,
              handed: Shape) -> list[str]:
    given = [] if shape is None else parameters(shape, ITEM)
    lines = ["", "", INNER, f"def {name}({', '.join([CONTEXT, *given])}):"]
    for depth, line in body:
        texts = _call(line, following, handed) if isinstance(line, Site) else [line]
        lines += ["    " * depth + text for text in texts]
    return lines


def _helper(helper: Helper) -> list[str]:
    head = f"def {helper.name}({', '.join([CONTEXT, *helper.parameters])}):"
    return ["", "", INNER, head, *("    " * depth + line for depth, line in helper.lines)]


def _call(site: Site, following: str, handed: Shape) -> list[str]:
    codes = [code for (_, place), (_, value) in zip(leaves(handed, ITEM), leaves(site.given, ITEM))
             for code in site.body.passed(place, value)]
    # Numba takes no call with many arguments some of which have branches of their own.
    passed = [f"p{n}" for n in range(len(codes))]
    given = [f"{name} = {code}" for name, code in zip(passed, codes)]
    return [*given, f"{following}({', '.join([CONTEXT, *passed])})"]


def loop(name: str, size: str, called: str, tables: list[Table], order: str = "") -> list[str]:
    """A function that does one row after another; `order` names an array that has the rows."""
    lines = ["", "", ENTRY, f"def {name}({CONTEXT}, size):",
             f"    for at in range(c[{ROW}], {size}):", f"        c[{ROW}] = at",
             f"        i = {order}[at]" if order else "        i = at",
             f"        c[{OUT_BEFORE}] = c[{OUT}]"]
    for t in tables:
        lines += [f"        c[{t.count + 1}] = c[{t.count}]", f"        c[{t.count + 2}] = 0"]
    return [*lines, f"        {called}({CONTEXT})", f"    c[{ROW}] = {size}"]


def _assembled(lines: list[str], registry: Registry, sources: tuple[Source, ...],
               tables: list[Table],
               columns: list[Column], ending: frozenset[int], widens: bool) -> Stage:
    inputs = tuple(sorted(registry.columns))
    made = tuple(registry.tables)
    arguments = ["i", "c", "stamps", "rows", "starts", "texts", *(f"in{n}" for n in inputs),
                 *(f"no{n}" for n in inputs),
                 *(f"{a}{n}" for n in range(len(made)) for a in ("tab", "known")),
                 *(name for t in tables for name in t.names),
                 *(name for col in columns for name, _ in col.arrays)]
    text = HEADER + "\n".join(lines).replace(CONTEXT, ", ".join(arguments)) + "\n"
    return Stage(text, tuple(arguments), sources, inputs, tuple(registry.texts), made,
                 dict(registry.outer), tuple(tables), ending, tuple(columns), widens)
