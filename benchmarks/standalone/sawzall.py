"""The query log analyzer in Sawzall against a plain loop and PySpark, and counts of words.

    python benchmarks/standalone/sawzall.py [MILLIONS OF LINES]

All count the same lines, and their counts are compared. Each is run three times, and the median is
shown; the first run of the compiled program, which compiles it where no earlier run has, does not
count. Wall-clock seconds need a quiet machine; those of computing are shown beside them, without
what Spark's own processes use.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from anabranch.compile import compile_graph, load
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Counts = dict[str, dict[tuple[int, int], int]]
PROGRAM = Path(__file__).parents[2] / "examples" / "log_analyzer.szl"


def write_log(path: Path, lines: int) -> None:
    """Lines of a query log: a server, where the query came from, where it was answered."""
    some = random.Random(1)
    block = "".join(f"s{some.randrange(50)},{some.randrange(-9, 10)},{some.randrange(-18, 19)},"
                    f"{some.randrange(-3, 4)},{some.randrange(-6, 7)}\n" for _ in range(100_000))
    with path.open("w") as out:
        for _ in range(lines // 100_000):
            out.write(block)


def plain_loop(path: Path) -> Counts:
    origins: dict = {}
    targets: dict = {}
    with path.open() as lines:
        for line in lines:
            cells = line.split(",")
            key = int(cells[1]), int(cells[2])
            origins[key] = origins.get(key, 0) + 1
            key = int(cells[3]), int(cells[4])
            targets[key] = targets.get(key, 0) + 1
    return {"queryOrigins": origins, "queryTargets": targets}


def by_hand(path: Path, session: SparkSession) -> Counts:
    """As one would write it in PySpark: a table of columns, and two groups."""
    cells = session.read.csv(str(path), schema="server string, a int, b int, c int, d int")
    groups = {"queryOrigins": cells.groupBy("a", "b"), "queryTargets": cells.groupBy("c", "d")}
    return {name: {tuple(row)[:2]: row["count"] for row in group.count().collect()}
            for name, group in groups.items()}


def program(path: Path, **options: object) -> Counts:
    plan = compile_graph(load(PROGRAM, {}, {"files": (str(path),), "table_output": True}))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        execute(plan, RunOptions(**options))
    found: Counts = {"queryOrigins": {}, "queryTargets": {}}
    for name, a, b, count in re.findall(r"(\w+)\[(-?\d+), (-?\d+)\] = (\d+)", out.getvalue()):
        found[name][int(a), int(b)] = int(count)
    return found


def measured(name: str, run: Callable[[], Counts], expected: Counts | None, times: int = 3
             ) -> tuple[Counts, float]:
    """What it counts, and the median of its seconds; both kinds of seconds are printed."""
    walls, computing = [], []
    for _ in range(times):
        began, computed = time.perf_counter(), _computed()
        counts = run()
        walls.append(time.perf_counter() - began)
        computing.append(_computed() - computed)
        if expected is not None and counts != expected:
            raise SystemExit(f"{name}: other counts than those of the plain loop")
    print(f"{name:24} {median(walls):8.2f} s   {median(computing):8.2f} s of computing", flush=True)
    return counts, median(walls)


def _computed() -> float:
    """Seconds of computing, of this process and of those it has started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def against_spark(path: Path, expected: Counts) -> None:
    """Both in one session of two cores, which has started before."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False) \
        .config("spark.sql.shuffle.partitions", 2).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    runs = {"PySpark by hand": lambda: by_hand(path, session),
            "Spark engine": lambda: program(path, engine="spark", session=session)}
    for run in runs.values():
        run()
    hand, own = (measured(name, run, expected)[1] for name, run in runs.items())
    print(f"the Spark engine is {hand / own:.2f} times as fast as PySpark by hand")
    session.stop()


WORDS = {
    "words by when": "when (i: each int; def(words[i])) emit t[words[i]] <- 1;",
    "words by for": "for (i := 0; i < len(words); i++) emit t[words[i]] <- 1;",
    "words by while": "i := 0; while (i < len(words)) { emit t[words[i]] <- 1; i++; }",
    "words in a map": """m: map[string] of int = {:};
        for (i := 0; i < len(words); i++) m[words[i]] = lookup(m, words[i], 0) + 1;
        when (k: each string; def(m[k])) emit t[k] <- m[k];""",
}
HEAD = "t: table sum[string] of int; words := sawzall(lowercase(string(input)), `[a-z]+`);"


def write_words(path: Path, lines: int) -> None:
    some = random.Random(2)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(some.choices(letters, k=some.randrange(2, 9))) for _ in range(5000)]
    with path.open("w") as out:
        for _ in range(lines):
            out.write(" ".join(some.choices(words, k=some.randrange(3, 14))).capitalize() + "\n")


def plain_words(path: Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    find = re.compile("[a-z]+").findall
    with path.open() as lines:
        for line in lines:
            for word in find(line.lower()):
                counts[word] = counts.get(word, 0) + 1
    return counts


def plain_map(path: Path) -> dict[str, int]:
    """The same with a dict for each line."""
    counts: dict[str, int] = {}
    find = re.compile("[a-z]+").findall
    with path.open() as lines:
        for line in lines:
            own: dict[str, int] = {}
            for word in find(line.lower()):
                own[word] = own.get(word, 0) + 1
            for word, count in own.items():
                counts[word] = counts.get(word, 0) + count
    return counts


def counted_words(text: str, folder: Path, path: Path) -> dict[str, int]:
    source = folder / "words.szl"
    source.write_text(HEAD + text)
    plan = compile_graph(load(source, {}, {"files": (str(path),), "table_output": True}))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        execute(plan, RunOptions(engine="sequential"))
    return {word: int(count) for word, count in re.findall(r"t\[(\w+)\] = (\d+)", out.getvalue())}


def count_words(folder: Path, lines: int) -> None:
    """Counts of words in many ways, on one worker, beside plain loops."""
    path = folder / "words.txt"
    write_words(path, lines)
    plain = {name: measured(name, partial(loop, path), None) for name, loop in (
        ("a plain loop over words", plain_words), ("a plain loop with a map", plain_map))}
    for name, text in WORDS.items():
        counted_words(text, folder, path)
        counts, seconds = plain[f"a plain loop {'with a map' if 'map' in name else 'over words'}"]
        _, own = measured(name, partial(counted_words, text, folder, path), counts)
        print(f"{'':24} {seconds / own:8.2f} times as fast as the plain loop")


def main(millions: float = 10) -> None:
    with tempfile.TemporaryDirectory() as folder:
        count_words(Path(folder), int(millions * 100_000))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        write_log(path, int(millions * 1_000_000))
        expected, plain = measured("a plain Python loop", lambda: plain_loop(path), None)
        program(path, engine="sequential")
        for name, options in ENGINES.items():
            _, seconds = measured(name, partial(program, path, **options), expected)
            print(f"{'':24} {plain / seconds:8.2f} times as fast as the plain loop")
        against_spark(path, expected)


ENGINES = {"sequential": {"engine": "sequential"},
           "multicore, 1 worker": {"engine": "multicore", "workers": 1},
           "multicore, 2 workers": {"engine": "multicore", "workers": 2}}


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
