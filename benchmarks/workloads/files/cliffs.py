"""Cliffs: W1 with one thing changed at a time, each time against W1 as it is."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

import anabranch as ab
from benchmarks import data
from benchmarks.measurement import Contender, Goal, Outcome, Run, Setting
from benchmarks.programs.w1 import Payment, balances
from benchmarks.programs.w1_changed import CHANGES, WHOLE, changed
from benchmarks.runner import at_least, compared, ratio

AS_IT_IS = "as it is"
SAME_WORK, MORE_WORK = 0.5, 0.2
"""Of the speed of W1 what differs in bytes only should have half, and a fifth what has more to do.
"""

FILES = 2000
MOST_ROWS = 400_000
"""What runs in rows takes thirty times as long."""

COMPILED = {"kernels": "always"}


def measure(setting: Setting) -> Outcome:
    setting, outcome = replace(setting, rows=min(setting.rows, MOST_ROWS)), Outcome()
    for form, variants in (("csv", CSV), ("parquet", PARQUET)):
        programs = {AS_IT_IS: partial(_w1, form, _written(form, "as-it-is", setting, PLAIN[form]))}
        programs |= {name: partial(_w1, form, _written(form, f"change-{n}", setting, make))
                     for n, (name, make) in enumerate(variants.items())}
        if form == "csv":
            programs |= _dialects(setting)
        outcome = outcome.joined(_bytes(f"W1 from {form}", programs, setting))
    return outcome.joined(_programs(setting))


def _dialects(setting: Setting) -> dict[str, Callable[[], ab.Stream]]:
    """W1 over other texts that are told how they are written."""
    return {name: partial(_w1, "csv", _written("csv", f"dialect-{n}", setting, make, ending),
                          **options)
            for n, (name, (make, ending, options)) in enumerate(DIALECTS.items())} | {
        "JSON Lines": partial(_w1, "jsonl", _written("jsonl", "lines", setting, _json_lines))}


def _bytes(case: str, programs: dict[str, Callable[[], ab.Stream]], setting: Setting) -> Outcome:
    """Files with other bytes for the same rows."""
    contenders = [Contender(name, partial(_ran, program, setting), ours=True)
                  for name, program in programs.items()]
    right = _sequential(programs[AS_IT_IS](), setting)
    outcome = compared(case, contenders, right, setting.rows, setting)
    return outcome.joined(Outcome(goals=_goals(outcome, case, list(programs), SAME_WORK)))


def _programs(setting: Setting) -> Outcome:
    """Other programs over the same rows: the right answer of each is its own."""
    source = _written("parquet", "programs", setting, _with_names)
    outcome, case = Outcome(), "W1 changed"
    programs = {AS_IT_IS: partial(_w1, "parquet", source)} | {
        name: partial(changed, name, str(source)) for name in (*CHANGES, *WHOLE)}
    for name, program in programs.items():
        right = _sequential(program(), setting)
        outcome = outcome.joined(compared(case, [Contender(name, partial(
            _ran, program, setting), ours=True)], right, setting.rows, setting))
    return outcome.joined(Outcome(goals=_goals(outcome, case, list(programs), MORE_WORK)))


def _goals(outcome: Outcome, case: str, names: list[str], wanted: float) -> list[Goal]:
    return [at_least(f"{case}: {name}, of its speed {AS_IT_IS}",
                     ratio(outcome, case, name, AS_IT_IS), wanted) for name in names[1:]]


def _w1(form: str, source: Path, **options: object) -> ab.Stream:
    return balances(getattr(ab, f"read_{form}")(str(source), Payment, **options))


def _ran(program: Callable[[], ab.Stream], setting: Setting) -> Run:
    """A run into a file after one that compiles, with kernels from the first row on."""
    target = setting.folder / "cliffs.parquet"
    for _ in range(2):
        began = time.perf_counter()
        program().write_parquet(target).run(engine="multicore", workers=setting.most_workers,
                                            tune=COMPILED)
        seconds = time.perf_counter() - began
    return Run(seconds, parquet.read_table(target).combine_chunks())


def _sequential(stream: ab.Stream, setting: Setting) -> pa.Table:
    target = setting.folder / "right.parquet"
    stream.write_parquet(target).run(engine="sequential")
    return parquet.read_table(target).combine_chunks()


Make = Callable[[pa.Table, Path], None]


def _written(form: str, name: str, setting: Setting, make: Make, ending: str = "") -> Path:
    path = setting.folder / f"cliffs-{name}.{form}{ending}"
    make(data.payments(setting.rows), path)
    return path


def _csv(table: pa.Table, path: Path, quoted: bool = False, names: list[str] | None = None,
         **options: object) -> None:
    wanted = {"include_header": True, "quoting_style": "none", "quoting_header": "none"}
    if quoted:
        wanted = {"quoting_style": "all_valid", "quoting_header": "all_valid"}
    csv.write_csv(table.select(names or table.column_names), path, csv.WriteOptions(
        **wanted | options))


def _edited(edit: Callable[[bytes], bytes]) -> Make:
    """W1's CSV file with other bytes."""
    def make(table: pa.Table, path: Path) -> None:
        _csv(table, path)
        path.write_bytes(edit(path.read_bytes()))
    return make


def _cell(edit: Callable[[list[bytes]], list[bytes]]) -> Make:
    """The same with another notation in the cells of one line in the middle."""
    def edited(text: bytes) -> bytes:
        lines = text.split(b"\n")
        middle = len(lines) // 2
        lines[middle] = b",".join(edit(lines[middle].split(b",")))
        return b"\n".join(lines)
    return _edited(edited)


def _with_more(table: pa.Table, path: Path) -> None:
    _csv(table.append_column("more", pa.array(np.full(len(table), "unused"))), path)


def _in_files(write: Make) -> Make:
    """The same rows in a folder of small files."""
    def make(table: pa.Table, path: Path) -> None:
        path.mkdir(exist_ok=True)
        size = -(-len(table) // FILES)
        for part in range(FILES):
            write(table.slice(part * size, size), path / f"part-{part:05}{path.suffix}")
    return make


def _with_names(table: pa.Table, path: Path) -> None:
    """The rows of W1, and the same in a text, in a record and in a list."""
    table = table.combine_chunks()
    names = pa.array([f"user {uid}" for uid in table["uid"].to_pylist()])
    uids, amounts = (table[name].chunk(0) for name in ("uid", "amount"))
    halves = pa.array(np.repeat(amounts.to_numpy() / 4, 2))
    lists = pa.ListArray.from_arrays(pa.array(range(0, 2 * len(table) + 1, 2), pa.int32()), halves)
    for name, column in (("name", names), ("amounts", lists),
                         ("pay", pa.StructArray.from_arrays([uids, amounts], ["uid", "amount"]))):
        table = table.append_column(name, column)
    parquet.write_table(table, path)


def _json_lines(table: pa.Table, path: Path) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in table.to_pylist()))


def _groups(**options: object) -> Make:
    return lambda table, path: parquet.write_table(table, path, **options)


CSV: dict[str, Make] = {
    "its header in quotes": _edited(lambda text: text.replace(
        b"at,uid,amount", b'"at","uid","amount"', 1)),
    "one cell in quotes": _cell(lambda cells: [b'"%b"' % cells[0], *cells[1:]]),
    "all cells in quotes": partial(_csv, quoted=True),
    "CRLF": _edited(lambda text: text.replace(b"\n", b"\r\n")),
    "a byte-order mark": _edited(lambda text: b"\xef\xbb\xbf" + text),
    "an empty line at its end": _edited(lambda text: text + b"\n"),
    "a column that nobody reads": _with_more,
    "columns in another order": partial(_csv, names=["amount", "at", "uid"]),
    "one float as 1e3": _cell(lambda cells: [*cells[:2], b"%be0" % cells[2]]),
    "one number with a plus": _cell(lambda cells: [cells[0], b"+" + cells[1], cells[2]]),
    "many small files": _in_files(_csv)}
DIALECTS: dict[str, tuple[Make, str, dict]] = {
    "no header": (_edited(lambda text: text.partition(b"\n")[2]), "", {"header": False}),
    "columns of other names": (_edited(lambda text: text.replace(b"uid", b"user", 1)), "",
                               {"columns": {"uid": "user"}}),
    "a text that means None": (_csv, "", {"null": "NA"}),
    "commas in numbers": (_edited(lambda text: text.replace(b",", b";").replace(b".", b",")), "",
                          {"delimiter": ";", "decimal": ","}),
    "another quote": (_edited(lambda text: re.sub(rb"(?m)^\d+", rb"'\g<0>'", text)), "",
                      {"quote": "'"}),
    "Latin-1": (_csv, "", {"encoding": "latin-1"}),
    "UTF-16": (_edited(lambda text: text.decode().encode("utf-16")), "", {"encoding": "utf-16"}),
    "gzip": (_edited(gzip.compress), ".gz", {})}
"""By what is changed, the file, how its name ends, and what `read_csv` is told."""
PARQUET: dict[str, Make] = {
    "row groups of 1,000": _groups(row_group_size=1000),
    "one row group": _groups(row_group_size=1 << 30),
    "with dictionaries": _groups(use_dictionary=True, compression="zstd"),
    "many small files": _in_files(_groups())}
PLAIN: dict[str, Make] = {"csv": _csv, "parquet": _groups(row_group_size=1 << 18)}
