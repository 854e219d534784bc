"""A stage as the text of one module: a function for each operator calls the next.

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
from anabranch.kernels.native.stage.columns import (
    InputColumn,
    OutputColumn,
    as_declared,
    input_shape,
    output_columns,
    sources_of,
)
from anabranch.kernels.native.stage.operators import (
    WRITERS,
    OperatorCode,
    OutputSite,
    write_apply,
    write_split,
)
from anabranch.kernels.native.stage.windows import write_window
from anabranch.kernels.native.state.layout import ROW, OperatorCounters, StateTable
from anabranch.kernels.native.translate import expressions  # noqa: F401 (it fills the walk's handlers)
from anabranch.kernels.native.translate.body import Body, Registry, Variable, Wider
from anabranch.kernels.native.translate.values import (
    CONTEXT,
    Shape,
    Unsupported,
    common,
    leaves,
    no_form,
    parameters,
    received,
)

HEADER = """from math import copysign, isfinite, isinf, isnan

from numba import njit
from numpy import int64, uint32, uint64

from anabranch.kernels.native.library.atomics import ticks
from anabranch.kernels.native.library.libm import *
from anabranch.kernels.native.library.numbers import *
from anabranch.kernels.native.library.strings import larger_text, smaller_text, text_order
from anabranch.kernels.native.library.tables import (
    Full, at_slot, find, float_word, found, insert, or_else, position, stamp_of)
from anabranch.kernels.native.library.times import *

INF, NAN = float("inf"), float("nan")
TRACKED = False
"""


@dataclass(frozen=True)
class StageModule:
    """The text of a stage's module, and what its functions are called with.

    `made` has Python expressions over the text `_text`, and the kind of what they give; `outer`
    the objects that they use. `aware` says that its own times are instants, or wall-clock times;
    None where it can take either.
    """

    source: str
    arguments: tuple[str, ...]
    sources: tuple[InputColumn, ...]
    inputs: tuple[int, ...]
    texts: tuple[str, ...]
    made: tuple[tuple[str, str], ...]
    outer: dict[str, object]
    tables: tuple[StateTable, ...]
    inner: OperatorCounters
    ending: frozenset[int]
    columns: tuple[OutputColumn, ...]
    widens: bool = False
    aware: bool | None = None

    @property
    def tracking(self) -> str:
        """The module that also notes which keys are touched."""
        return self.source.replace("TRACKED = False", "TRACKED = True", 1)

    @property
    def owners(self) -> list[StateTable]:
        """The tables that are an operator's own, each with those inside of it."""
        return [table for table in self.tables if not table.is_inner]


More = Callable[[Registry, list[StateTable]], list[str]]
"""Further functions of a stage's module, as lines; `<context>` stands for their arguments."""


def write_stage(operators: tuple[Operator, ...], input_type: Type, output_type: Type,
                more: More = lambda registry, tables: []) -> StageModule:
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


def _check(stage: StageModule, operators: tuple[Operator, ...]) -> None:
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
           registry: Registry) -> StageModule:
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
    inner = OperatorCounters(len(tables), tuple(map(gives_one, operators)))
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
             logs: bool) -> OperatorCode:
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


def _handed_on(op: Operator, sites: list[OutputSite]) -> Shape:
    if not sites:
        raise _located(op, Unsupported("gives nothing"))
    shape = common([s.given for s in sites])
    if shape is None:
        raise _located(op, Unsupported("gives items of different types"))
    return shape


def _assembled(lines: list[str], registry: Registry, sources: tuple[InputColumn, ...],
               tables: list[StateTable], inner: OperatorCounters, columns: list[OutputColumn],
               ending: frozenset[int], widens: bool) -> StageModule:
    inputs = tuple(sorted(registry.columns))
    made = tuple(registry.tables)
    arguments = ["i", "timed", "c", "stamps", "rows", "starts", "texts",
                 *(f"in{n}" for n in inputs),
                 *(f"no{n}" for n in inputs),
                 *(f"{a}{n}" for n in range(len(made)) for a in ("tab", "known")),
                 *(name for t in tables for name in t.names),
                 *(name for col in columns for name, _ in col.arrays)]
    text = HEADER + "\n".join(lines).replace(CONTEXT, ", ".join(arguments)) + "\n"
    return StageModule(text, tuple(arguments), sources, inputs, tuple(registry.texts), made,
                 dict(registry.outer), tuple(tables), inner, ending, tuple(columns), widens,
                 registry.aware)


# Without its reference counts (_nrt) Numba passes arrays for nothing; nothing here allocates one.
INNER = "@njit(nogil=True, _nrt=False)"
# A call hands over hundreds of words; where there is one call of a function, it is no call at all.
WITHIN = "@njit(nogil=True, _nrt=False, forceinline=True)"
ENTRY = "@njit(nogil=True, _nrt=False, cache=True)"
ITEM = "a"


@dataclass(frozen=True)
class NextFunction:
    """What a site hands its items to, in which shape; with `inner` it is an operator, counted there
    at its `place`."""

    name: str
    shape: Shape
    inner: OperatorCounters | None = None
    place: int = 0

    def called(self, arguments: str) -> list[str]:
        """The call, counted, and in some slices measured."""
        call = f"{self.name}({arguments})"
        if self.inner is None:
            return [call]
        rows, timed = self.inner.rows(self.place), "if timed:"
        counting = [f"c[{rows}] += 1"] if self.inner.is_counted(self.place) else []
        return [*counting, timed, f"    c[{rows + 2}] -= ticks()", call,
                timed, f"    c[{rows + 2}] += ticks()"]


def functions(parts: list[tuple[Shape, OperatorCode]], shapes: list[Shape], last: Body,
              tables: list[StateTable], inner: OperatorCounters) -> list[str]:
    """The functions, the last operator's first: each is defined before it is called. `parts` has
    what each operator is given, `shapes` what it hands on."""
    lines = _function("emit", shapes[-1], last.lines, None, _is_within(parts[-1][1]))
    for n, (shape, written) in reversed(list(enumerate(parts))):
        following = NextFunction("emit", shapes[n]) if n + 1 == len(parts) else (
            NextFunction(f"op{n + 1}", shapes[n], inner, n + 1))
        lines += _function(f"op{n}", shape, written.lines, following,
                           n == 0 or _is_within(parts[n - 1][1]))
        if written.end:
            number = written.table.number
            lines += _function(f"at_end{number}", None, written.end, following, True)
            lines += loop(f"end{number}", f"c[{written.table.count}]", f"at_end{number}", tables,
                          inner=inner)
    return lines + loop("run", "size", "op0", tables, inner=inner)


def _is_within(caller: OperatorCode) -> bool:
    """Whether an item, and the end of the input, each have one place that hands on."""
    return all(sum(isinstance(line, OutputSite) for _, line in lines) <= 1
               for lines in (caller.lines, caller.end or []))


def _function(name: str, shape: Shape | None, body: list, following: NextFunction | None,
              within: bool) -> list[str]:
    given = [] if shape is None else parameters(shape, ITEM)
    lines = ["", "", WITHIN if within else INNER, f"def {name}({', '.join([CONTEXT, *given])}):"]
    for depth, line in body:
        texts = _call(line, following) if isinstance(line, OutputSite) else [line]
        lines += ["    " * depth + text for text in texts]
    return lines


def helpers(registry: Registry) -> list[str]:
    """The user's functions that operators call."""
    lines = []
    for helper in registry.helpers.values():
        head = f"def {helper.name}({', '.join([CONTEXT, *helper.parameters])}):"
        lines += ["", "", INNER, head, *("    " * depth + line for depth, line in helper.lines)]
    return lines


def _call(site: OutputSite, following: NextFunction) -> list[str]:
    places, values = leaves(following.shape, ITEM), leaves(site.given, ITEM)
    codes = [code for (_, place), (_, value) in zip(places, values)
             for code in site.body.passed(place, value)]
    # Numba takes no call with many arguments some of which have branches of their own.
    passed = [f"p{n}" for n in range(len(codes))]
    given = [f"{name} = {code}" for name, code in zip(passed, codes)]
    return [*given, *following.called(", ".join([CONTEXT, *passed]))]


def loop(name: str, size: str, called: str, tables: list[StateTable], order: str = "",
         inner: OperatorCounters | None = None) -> list[str]:
    """A function that does one row after another; `order` names an array that has the rows."""
    lines = ["", "", ENTRY, f"def {name}({CONTEXT}, size):",
             f"    for at in range(c[{ROW}], {size}):", f"        c[{ROW}] = at",
             f"        i = uint64({order}[at])" if order else "        i = uint64(at)"]
    for t in tables:
        lines += [] if t.is_noted else [f"        c[{t.count + 1}] = c[{t.count}]"]
        lines += [f"        c[{t.count + 2}] = 0"] if t.logs else []
    lines += [f"        c[{place + 1}] = c[{place}]" for place in (inner.places if inner else ())]
    return [*lines, f"        {called}({CONTEXT})", f"    c[{ROW}] = {size}"]
