"""Streams for the tests: files that arrive one after another, and the sequential output of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions

NEW = 1_700_000_000


def arrive(folder: Path, number: int, lines: Iterable[str], header: str) -> None:
    """Puts a file into a folder in one step; its time is behind those of smaller numbers."""
    folder.mkdir(exist_ok=True)
    hidden = folder / f".{number:05}"
    hidden.write_text("".join(f"{line}\n" for line in (header, *lines)))
    os.utime(hidden, (NEW + number, NEW + number))
    hidden.rename(folder / f"{number:05}.csv")


def streamed(build: Callable[[], ab.Stream], **options):
    """Runs a program as a stream that ends with what is there."""
    chosen = {} if "until_idle" in options else {"trigger": "once"}
    return execute(compile_graph(build().graph()),
                   RunOptions("spark", stream=True, **chosen | options))


def sequential(build: Callable[[], ab.Stream], out: Path, **options) -> list[str]:
    """The lines that the sequential engine writes, without a header."""
    target = out.parent / "sequential.csv"
    execute(compile_graph(build().graph()),
            RunOptions("sequential", outputs={"out": str(target)}, **options))
    return target.read_text().splitlines()[1:]


def parts(out: Path) -> list[str]:
    """The lines of all part files in the order of their names, without their headers."""
    return [line for file in sorted(out.iterdir()) if not file.name.startswith(".")
            for line in file.read_text().splitlines()[1:]]
