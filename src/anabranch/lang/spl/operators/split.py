"""Split: tuples go to ports by an index, or by what a file says of keys."""

from __future__ import annotations

from collections.abc import Mapping

from anabranch.core.errors import ProgramError, RunError
from anabranch.io.files.paths import opened
from anabranch.io.values.scalars import BadValue
from anabranch.ir.operators import Filter, FlatMap
from anabranch.lang.spl import syntax
from anabranch.lang.spl.building import ITEM, Build, Model, Work, same_type
from anabranch.lang.spl.coding.values import csv_tokenized, shown
from anabranch.lang.spl.composites import Instance
from anabranch.lang.spl.formats import cell_reader
from anabranch.lang.spl.types import RSTRING, SplType, is_integer, is_list, unbounded


def split(op: Instance, build: Build) -> None:
    """A filter for each port: the index of a tuple, or one of its indices, is that port's."""
    for port, output in enumerate(op.outputs):
        same_type(op, output.type, output.span)
        work = build.work(op)
        indices, several = _indices(op, work)
        text = _part(indices, several, port, len(op.outputs))
        if build.is_marked(op.inputs[0]):
            text = f"[None] if {ITEM} is None else {text}" if several else (
                f"{ITEM} is None or {text}")
        kind = FlatMap if several else Filter
        build.give(op, kind(work.simple(text, op.span)), [build.queue(op)], port)


def _part(indices: str, several: bool, port: int, count: int) -> str:
    """Whether a tuple goes to a port; an index that stands in a list twice is two tuples."""
    if several:
        return f"[{ITEM} for i in {indices} if i >= 0 and i % {count} == {port}]"
    return f"{indices} >= 0 and {indices} % {count} == {port}"


def _indices(op: Instance, work: Work) -> tuple[str, bool]:
    """The text of the index of a tuple, and whether it is a list of them."""
    index, key = op.node.setting("index"), op.node.setting("key")
    if (index is None) != (op.node.setting("file") is not None and key is not None):
        raise ProgramError("Split wants the parameter index, or file and key", op.span)
    found = work.at(work.scope((op.inputs[0], ITEM)))
    if index is None:
        code = found.value(key.values[0])
        table = _mapping(work.constant("file", RSTRING), op.node.setting("file"), code.type)
        work.extra = {"indices_for": indices_for}
        return f"indices_for({work.module.constant(table)}, {code.text})", True
    code = found.value(index.values[0])
    if is_list(code.type) and is_integer(code.type.item):
        return code.text, True
    if not is_integer(code.type):
        raise ProgramError("an index is an integer, or a list of integers", index.span,
                           got=str(code.type))
    return code.text, False


def _mapping(path: str, setting: syntax.Setting, kind: SplType) -> dict[object, tuple[int, ...]]:
    """The indices for each key of a file: `key, index, index` in each line; None has those of any
    other key."""
    read, table = cell_reader(unbounded(kind)), {}
    with opened(path, setting.span) as stream:
        for number, line in enumerate(stream, 1):
            first, *rest = csv_tokenized(_uncommented(line.decode().strip()))
            if not first:
                continue
            try:
                key = None if first == "default" else read(first.strip())
                if key in table:
                    raise BadValue("each key once", first)
                table[key] = tuple(int(cell) for cell in rest)
            except (BadValue, ValueError):
                raise ProgramError(f"line {number} of the mapping is no key with indices",
                                   setting.span, got=line.decode().strip()) from None
    return table


def _uncommented(line: str) -> str:
    """A line of a mapping without its comment, which begins outside of quotes."""
    places = [n for n, c in enumerate(line) if c == "#" and line.count('"', 0, n) % 2 == 0]
    return line[:places[0]].strip() if places else line


def indices_for(table: Mapping[object, tuple[int, ...]], key: object) -> tuple[int, ...]:
    found = table.get(key, table.get(None))
    if found is None:
        raise RunError(f"the mapping has no indices for {shown(key, True)}",
                       help="give it a line: default, -1")
    return found


MODELS = (
    Model("Split", (1, 1), (1, None), ("index", "file", "key"), "none",
          "at most one on each port; of a list one for each index", split, forwards_marks=True),
)
