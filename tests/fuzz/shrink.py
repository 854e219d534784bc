"""Makes a failing case small: rows, statements, steps and operands are left out while it fails."""

from __future__ import annotations

import ast
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from pyarrow import parquet

from fuzz.programs import Case

Fails = Callable[[Case], bool]


def shrunk(case: Case, fails: Fails, seconds: float = 60.0) -> Case:
    """The smallest case that was found to fail in so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        smaller = _once(case, fails, end)
        if smaller == case:
            return case
        case = smaller
    return case


def _once(case: Case, fails: Fails, end: float) -> Case:
    for name in case.files:
        if not name.endswith(".py"):
            case = _fewer_rows(case, name, fails, end)
    return _less_text(case, fails, end)


def _fewer_rows(case: Case, name: str, fails: Fails, end: float) -> Case:
    """Drops halves of a file's rows, then quarters, down to single rows."""
    whole = case.files[name]
    rows = _rows(name, whole)
    size = max(1, len(rows) // 2)
    while size and time.monotonic() < end:
        start = 0
        while start < len(rows) and time.monotonic() < end:
            left = rows[:start] + rows[start + size:]
            tried = replace(case, files=case.files | {name: _file(name, whole, left)})
            if fails(tried):
                case, rows = tried, left
            else:
                start += size
        size //= 2
    return case


def _rows(name: str, content: bytes) -> list:
    if name.endswith(".parquet"):
        return list(range(parquet.read_table(io.BytesIO(content)).num_rows))
    lines = content.splitlines(keepends=True)
    return lines[1:] if name.endswith(".csv") else lines


def _file(name: str, content: bytes, rows: list) -> bytes:
    """The file with only these of its rows."""
    if not name.endswith(".parquet"):
        head = content.splitlines(keepends=True)[:1] if name.endswith(".csv") else []
        return b"".join([*head, *rows])
    table, out = parquet.read_table(io.BytesIO(content)), io.BytesIO()
    parquet.write_table(table.take(rows) if rows else table.slice(0, 0), out)
    return out.getvalue()


def _less_text(case: Case, fails: Fails, end: float) -> Case:
    number = 0
    while time.monotonic() < end:
        texts = _texts(ast.parse(case.source), number)
        source = next(texts, None)
        if source is None:
            return case
        if source != case.source and _reads(source) and fails(tried := replace(case,
                                                                             source=source)):
            case = tried
        else:
            number += 1
    return case


def _reads(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _texts(tree: ast.Module, number: int) -> Iterator[str]:
    """The text without its part of this number, in the order: statements, elements, operands."""
    for n, change in enumerate(_changes(tree)):
        if n == number:
            change()
            yield ast.unparse(ast.fix_missing_locations(tree))
            return


def _changes(tree: ast.Module) -> Iterator[Callable[[], None]]:
    for block in _blocks(tree):
        for place in reversed(range(len(block))):
            yield from _without(block, place)
    for node in ast.walk(tree):
        if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) > 1:
            for place in reversed(range(len(node.elts))):
                yield lambda node=node, place=place: node.elts.pop(place)
    yield from _aliases(tree)
    yield from _operands(tree)


def _aliases(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """`b = a` goes, and `b` is called `a`."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name) \
                and isinstance(statement.targets[0], ast.Name):
            yield lambda s=statement: _renamed(tree, s)


def _renamed(tree: ast.Module, alias: ast.Assign) -> None:
    tree.body.remove(alias)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == alias.targets[0].id:
            node.id = alias.value.id


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "handlers", "finalbody"):
            if isinstance(block := getattr(node, name, None), list) and block:
                yield block


def _without(block: list, place: int) -> Iterator[Callable[[], None]]:
    """A step of a pipeline hands its input on; a compound statement gives way to its body."""
    statement = block[place]
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) \
            and isinstance(statement.value.func, ast.Attribute):
        yield lambda: setattr(statement, "value", statement.value.func.value)
    if isinstance(statement, (ast.If, ast.For, ast.While, ast.Try, ast.With)):
        yield lambda: block.__setitem__(slice(place, place + 1), statement.body)
    if len(block) > 1:
        yield lambda: block.pop(place)


def _operands(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """A formula gives way to one of its operands, or to a constant."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            for place, node in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(node, ast.Call) and node.args and not _is_path(node):
                    yield node.args.pop
                if isinstance(node, (ast.BinOp, ast.IfExp, ast.Call, ast.Compare, ast.BoolOp)) \
                        and not _is_path(node):
                    for new in [*_children(node), ast.Constant(1), ast.Constant("a")]:
                        yield lambda p=parent, n=name, v=value, i=place, new=new: _put(
                            p, n, v, i, new)


def _is_path(node: ast.expr) -> bool:
    """What is read and written stays in the program's folder."""
    return any(isinstance(part, ast.Name) and part.id in ("HERE", "Path")
               for part in ([node.left] if isinstance(node, ast.BinOp) else ast.walk(node)))


def _put(parent: ast.AST, name: str, value: object, place: int, new: ast.expr) -> None:
    if isinstance(value, list):
        value[place] = new
    else:
        setattr(parent, name, new)


def _children(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Call):
        return [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    if isinstance(node, ast.BoolOp):
        return node.values
    return []
