"""A plan to be read: a summary, the ends, operators, regions, and why not elsewhere.

Fitted to the console: coloured on a terminal, plain when piped, never wider than its width.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

from rich.cells import cell_len, set_cell_size
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from anabranch.explain.pipeline import LOOP, Line, Word, drawn
from anabranch.explain.tables import stream_notes, tables
from anabranch.explain.words import forwards, kind, place, selectivity, state, summary
from anabranch.ir.graph import Operator
from anabranch.plan.logical.plan import Plan, Region
from anabranch.plan.physical.plan import Execution, StageTier

PIPED_WIDTH = 100
INDENT = 2
STYLES = {"operator": "bold", "joint": "cyan", "outside": "default", "mark": "dim"}
# Stands for a space inside a word of a drawing, where no line may break.
GLUE = "\ue000"
ASCII = str.maketrans("→─↺…—", ">-@~-")


def to_text(plan: Plan, console: Console | None = None, execution: Execution | None = None,
            stream: bool = False) -> str:
    """The whole explanation, each line within the console's width."""
    console = console or default_console()
    parts = [*_parts(plan, console, execution), *(executed(execution) if execution else ()),
             *(_section("as a stream", _streamed(plan)) if stream else ())]
    return rendered(parts, console)


def rendered(parts: Iterable[RenderableType], console: Console) -> str:
    """What the console would show: no spaces at line ends, no characters that it does not have."""
    with console.capture() as capture:
        for part in parts:
            _print(console, part)
    lines = "\n".join(line.rstrip() for line in capture.get().replace(GLUE, " ").splitlines())
    return lines.translate(ASCII) if console.options.ascii_only else lines


MANY = 500
"""A table of more rows is written without colours, which takes a tenth of the time."""


def _print(console: Console, part: RenderableType) -> None:
    table = part.renderable if isinstance(part, Padding) else None
    lines = _plainly(table) if isinstance(table, Table) and table.row_count > MANY else None
    if lines is None or max(map(cell_len, lines)) > console.width:
        console.print(part)
    else:
        console.out("\n".join(lines), highlight=False)


def _plainly(table: Table) -> list[str]:
    """The lines of a table as they are where all of it fits."""
    columns = [[*([str(column.header)] if table.show_header else []), *map(str, column.cells)]
               for column in table.columns]
    widths = [max(map(cell_len, cells), default=0) for cells in columns]
    return [(" " * INDENT + "  ".join(map(set_cell_size, row, widths))).rstrip()
            for row in zip(*columns, strict=True)]


def default_console() -> Console:
    """Standard output as it is: a terminal has its width and colours, a pipe has neither."""
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if known else PIPED_WIDTH)


def _parts(plan: Plan, console: Console, execution: Execution | None
           ) -> Iterator[RenderableType]:
    some = plan.regions or plan.fissed
    yield Text(summary(plan), style="bold green" if some else "bold")
    yield from _section("", _ends(plan))
    yield from _section("operators", _operators(plan, console))
    if plan.graph.looping:
        yield Text(f"  {LOOP} on a feedback loop", style="dim")
    yield from _section(_regions_title(execution), _regions(plan, execution is None))
    yield from _section("sequential", _sequential(plan))
    for title, columns, rows in tables(plan):
        yield from _section(title, _told(columns, rows))


def _told(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = _table(*columns, header=True)
    for row in rows:
        _add(table, *row)
    return table


def executed(execution: Execution, title: str = "") -> Iterator[RenderableType]:
    """How an engine runs a plan, or has run it."""
    table = _table("stage", "how")
    if execution.whole:
        _add(table, Text("every stage", "bold"), execution.whole)
    for name, form in execution.reads.items():
        _add(table, Text(name, "bold"), read_told(form, _by_threads(execution, name, "decoded")))
    for stage in execution.stages or (StageTier((), execution.tier),):
        names = " > ".join(stage.operators) or "every operator"
        _add(table, Text(names, "bold"), _with_reason(stage))
        for note in filter(None, (stage.work, stage.arrival)):
            _add(table, "", Text(note, "dim"))
    for name, form in execution.writes.items():
        when = "as work finishes" if name in execution.unordered else "in order"
        _add(table, Text(name, "bold"),
             written_told(form, when, _by_threads(execution, name, "encoded")))
    yield from _section(title or f"on the {execution.engine} engine", table)


def read_told(form: str, threads: str = "") -> str:
    """How a source is read, or was, by so many threads.

    >>> read_told("columns"), read_told("columns, 3% in rows")
    ('read in columns', 'read in columns, 3% of it row by row')
    >>> read_told("columns, what is not plain in rows")
    'read in columns, what is not plain row by row'
    >>> read_told("in columns by tasks, in 1 split")
    'read in columns by tasks, in 1 split'
    """
    form, share = _share_in_rows(form)
    told = (READ.get(form) or f"read {form}") + threads
    return f"{told}, {share}{_part(share)} row by row" if share else told


def written_told(form: str, when: str, threads: str = "") -> str:
    """How a sink is written, or was, by so many threads.

    >>> written_told("columns, 3% in rows", "in order")
    'written in columns, in order, 3% of it item by item'
    >>> written_told("columns, what comes in rows in rows", "in order")
    'written in columns, in order, what comes in rows item by item'
    """
    form, share = _share_in_rows(form)
    told = WRITTEN[form].format(when) + threads
    return f"{told}, {share}{_part(share)} item by item" if share else told


def _part(share: str) -> str:
    return " of it" if share.endswith("%") else ""


def _share_in_rows(form: str) -> tuple[str, str]:
    """A form, and how much was in rows all the same."""
    kept, _, left = form.partition(", ")
    return (kept, left.removesuffix(" in rows")) if left.endswith(" in rows") else (form, "")


def _by_threads(execution: Execution, name: str, how: str) -> str:
    threads = execution.threads.get(name)
    return f", {how} by up to {threads} threads" if threads else ""


def _with_reason(stage: StageTier) -> Text:
    tier, reason = TIERS[stage.tier], stage.reason
    if reason is None:
        return Text(tier)
    where = f"  {reason.span}" if reason.span else ""
    return Text.assemble(f"{tier}: {reason.text}", (where, "dim"))


def _streamed(plan: Plan) -> Table:
    table = _table("operator", "note", "where")
    for note in stream_notes(plan):
        _add(table, Text(note.operator, "bold"), note.text, Text(str(note.span or ""), "dim"))
    if not table.row_count:
        _add(table, "every operator", "gives what it gives at once", "")
    return table


READ = {"rows": "read row by row", "columns": "read in columns",
        "frame": "a DataFrame, read by Spark"}
WRITTEN = {"rows": "written item by item, {}", "columns": "written in columns, {}",
           "frame": "a DataFrame, for Spark to write",
           "text": "made text in columns by any worker, written {}"}
TIERS = {"rows": "row by row", "native": "one compiled loop over columns",
         "loop": "one Python loop over columns, without records", "columns": "whole columns",
         "catalyst": "Spark's own columns, without Python", "parts": "written by the executors",
         "driver": "written by the driver"}


def _section(title: str, table: Table) -> Iterator[RenderableType]:
    if table.row_count:
        yield Text(f"\n{title}" if title else "", style="bold underline")
        yield Padding(table, (0, 0, 0, INDENT))


def _table(*columns: str, header: bool = False) -> Table:
    table = Table(box=None, show_header=header, header_style="dim", padding=(0, 2, 0, 0),
                  pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _add(table: Table, *cells: str | Text) -> None:
    """A row whose plain strings are taken as they are: `list[int]` is no markup."""
    table.add_row(*(Text(c) if isinstance(c, str) else c for c in cells))


def _ends(plan: Plan) -> Table:
    table = _table("which", "name", "place", "region")
    for op in (*plan.graph.sources, *plan.graph.sinks):
        which = "from" if op.is_source else "to"
        _add(table, Text(which, "dim"), Text(op.name, "bold"), place(plan, op),
             Text((_region_name(plan, op) or _end_reason(plan, op)) + _read_whole(op), "dim"))
    return table


def _end_reason(plan: Plan, op: Operator) -> str:
    """A file read or written in order is the rule, so its reason takes a few words, no line."""
    reason = plan.sequential.get(op.name)
    return f"sequential: {reason.text}" if reason else ""


def _read_whole(op: Operator) -> str:
    """Why no parts of its files are read."""
    why = op.kind.spec.why_whole() if op.is_source and op.kind.spec is not None else None
    return f": {why}" if why else ""


def _operators(plan: Plan, console: Console) -> Table:
    """A column for each fact, or a short description of each operator where columns do not fit."""
    inner = [op for op in plan.graph if not (op.is_source or op.is_sink)]
    table = _table("operator", "kind", "state", "selectivity", "forwards", "region", header=True)
    for op in inner:
        facts = plan.facts[op.name]
        _add(table, _name(plan, op), kind(op), state(facts), selectivity(facts),
             forwards(facts, max(12, console.width // 4)), _region_mark(plan, op))
    fits = max(map(cell_len, _plainly(table))) <= console.width
    return table if fits else _described(plan, inner)


def _described(plan: Plan, operators: list[Operator]) -> Table:
    table = _table("operator", "description")
    for op in operators:
        facts, region = plan.facts[op.name], _region_name(plan, op) or "sequential"
        _add(table, _name(plan, op), f"{kind(op)}, {region}; state: {state(facts)}; selectivity "
             f"{selectivity(facts)}; forwards {forwards(facts, 40)}")
    return table


def _name(plan: Plan, op: Operator) -> Text:
    loop = f" {LOOP}" if op.name in plan.graph.looping else ""
    return Text.assemble((op.name, "bold"), (loop, "dim"))


def _region_mark(plan: Plan, op: Operator) -> Text:
    region = plan.region_of(op.name)
    if op.name in plan.synchronized:
        return Text("plan", "green")
    if op.name in plan.fissed:
        return Text("blocks", "green")
    return Text("—", "yellow") if region is None else Text(str(region.index + 1), "green")


def _region_name(plan: Plan, op: Operator) -> str:
    region = plan.region_of(op.name)
    return f"region {region.index + 1}" if region else ""


def _regions_title(execution: Execution | None) -> str:
    """Whose regions they are: an engine makes stages of them, or leaves them."""
    if execution is None:
        return "regions of the logical plan (--engine tells what an engine makes of them)"
    if execution.engine == "sequential" or any(s.tier == "loop" for s in execution.stages):
        return "regions of the logical plan (none is parallel here: see below)"
    return "regions of the logical plan (how they run: see below)"


def _regions(plan: Plan, alone: bool) -> Table:
    """With the strategies of the paper where they stand `alone`: an engine tells its own."""
    table = _table("number", "drawing")
    for region in plan.regions:
        number = Text(str(region.index + 1), "green")
        for line in drawn(plan, region, alone):
            _add(table, number, _line(line))
            number = Text("")
        told = _strategy(region) if alone else f"selectivity {region.selectivity}"
        _add(table, "", Text(told, "dim"))
        if region.ended:
            _add(table, "", Text(f"ends here: {region.ended}", "dim"))
    return table


def _line(line: Line) -> Text:
    return Text.assemble(*((_glued(word), STYLES[word.role]) for word in line))


def _glued(word: Word) -> str:
    return word.text if word.role == "mark" else word.text.replace(" ", GLUE)


def _strategy(region: Region) -> str:
    routing = f"hash({', '.join(region.key)})" if region.key else "round-robin"
    return f"routing: {routing}; order: {region.ordering}; selectivity {region.selectivity}"


def _sequential(plan: Plan) -> Table:
    table = _table("name", "reason", "line")
    for op in plan.graph:
        reason = plan.sequential.get(op.name)
        shared = op.name in plan.synchronized or op.name in plan.fissed
        if reason and not (op.is_source or op.is_sink or shared):
            where = "" if reason.span is None else str(reason.span)
            _add(table, Text(op.name, "bold yellow"), reason.text, Text(where, "dim"))
    return table
