"""The query log analyzer in Sawzall against a plain Python loop, over the same lines.

    python benchmarks/sawzall.py [MILLIONS OF LINES]

Wall-clock seconds need a quiet machine; the seconds of computing are shown beside them.
"""

from __future__ import annotations

import contextlib
import io
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from anabranch.compile import compile_graph, load
from anabranch.engine.base import RunOptions, execute

PROGRAM = Path(__file__).parents[1] / "examples" / "log_analyzer.szl"


def write_log(path: Path, lines: int) -> None:
    """Lines of a query log: a server, where the query came from, where it was answered."""
    some = random.Random(1)
    block = "".join(f"s{some.randrange(50)},{some.randrange(-9, 10)},{some.randrange(-18, 19)},"
                    f"{some.randrange(-3, 4)},{some.randrange(-6, 7)}\n" for _ in range(100_000))
    with path.open("w") as out:
        for _ in range(lines // 100_000):
            out.write(block)


def plain_loop(path: Path) -> None:
    origins: dict = {}
    targets: dict = {}
    with path.open() as lines:
        for line in lines:
            cells = line.split(",")
            key = int(cells[1]), int(cells[2])
            origins[key] = origins.get(key, 0) + 1
            key = int(cells[3]), int(cells[4])
            targets[key] = targets.get(key, 0) + 1


def program(path: Path, **options: object) -> None:
    plan = compile_graph(load(PROGRAM, {}, {"files": (str(path),), "table_output": True}))
    with contextlib.redirect_stdout(io.StringIO()):
        execute(plan, RunOptions(**options))


def measured(name: str, run: Callable[[], None]) -> None:
    began, computed = time.perf_counter(), _computed()
    run()
    print(f"{name:24} {time.perf_counter() - began:8.2f} s   "
          f"{_computed() - computed:8.2f} s of computing", flush=True)


def _computed() -> float:
    """Seconds of computing, of this process and of those it has started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def main(millions: float = 10) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        write_log(path, int(millions * 1_000_000))
        measured("a plain Python loop", lambda: plain_loop(path))
        measured("sequential", lambda: program(path))
        measured("multicore, 2 workers", lambda: program(path, engine="multicore", workers=2))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
