"""Running Sawzall programs in tests."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.lang.sawzall import compiled
from anabranch.runtime.options import RunOptions


def ran(text: str, files: tuple = (), file: str = "program.szl", **options: object) -> str:
    """What a program prints on standard output."""
    return both(text, files, file, **options)[0]


def both(text: str, files: tuple = (), file: str = "program.szl", engine: str = "sequential",
         workers: int | None = None, limit: int | None = None, **options: object
         ) -> tuple[str, str]:
    """What a program prints on standard output, and on standard error."""
    graph = compiled(text, file, tuple(map(str, files)), **options)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        execute(compile_graph(graph), RunOptions(engine=engine, workers=workers, limit=limit))
    return out.getvalue(), err.getvalue()


def lines_in(folder: Path, *lines: str) -> Path:
    """A file with these lines."""
    path = folder / "input.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
