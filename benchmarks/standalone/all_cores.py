"""Whole programs against Polars, with as many threads each, warmed, in turn.

    python -m benchmarks.standalone.all_cores [--programs w1 w2 w3] [--forms parquet csv]
                                              [--rows 20000000] [--workers 1 2 4 8 16] [--runs 3]

A line of JSON for each program, form and number of workers: medians of the runs after a first one,
in seconds, and how many times faster than Polars. Each contender is a process of its own, which has
begun before the clock does, as Polars wants its number of threads at its start. `wrong` is there if
the answers differ. Polars is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import data

ROOT = Path(__file__).parents[2]
DATASETS = {"w1": "payments", "w2": "entries", "w3": "events", "tags": "posts",
            "fraud": "transactions"}


def child(system: str, program: str, source: str, target: str, runs: int, workers: int) -> None:
    """One contender: prints the seconds of each run."""
    if system == "polars":
        path = ROOT / "benchmarks" / "peers" / "polars" / f"{program}.py"
        spec = importlib.util.spec_from_file_location("program", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        options = {}
    else:
        module = importlib.import_module(f"benchmarks.programs.{program}")
        options = {"engine": "multicore", "workers": workers}
    for _ in range(runs + 1):
        began = time.perf_counter()
        module.run(source, target, **options)
        print(time.perf_counter() - began, flush=True)


def timed(system: str, program: str, source: Path, target: Path, runs: int, workers: int
          ) -> list[float]:
    asked = (system, program, str(source), str(target), runs, workers)
    code = f"from benchmarks.standalone.all_cores import child; child(*{asked!r})"
    env = os.environ | {"POLARS_MAX_THREADS": str(workers), "PYTHONPATH": os.pathsep.join(
        [str(ROOT), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])}
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=ROOT, text=True,
                          capture_output=True)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        return []
    return [float(line) for line in done.stdout.splitlines()]


def differ(first: Path, second: Path) -> bool:
    if first.suffix == ".parquet":
        from pyarrow import parquet
        one, other = parquet.read_table(first), parquet.read_table(second)
        return one.column_names != other.column_names or not all(
            a.to_numpy().tobytes() == b.to_numpy().tobytes() for a, b in zip(one, other))
    from pyarrow import csv
    one, other = csv.read_csv(first), csv.read_csv(second)
    return not one.equals(other.rename_columns(one.column_names))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cores = os.cpu_count() or 1
    parser.add_argument("--programs", nargs="+", default=["w1", "w2", "w3"], choices=DATASETS)
    parser.add_argument("--forms", nargs="+", default=["parquet", "csv"])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+",
                        default=[n for n in (1, 2, 4, 8, 16) if n <= cores])
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    with tempfile.TemporaryDirectory() as folder:
        for program in asked.programs:
            for form in asked.forms if program == "w1" else ["csv"]:
                source = data.written(DATASETS[program], asked.rows, form)
                for workers in asked.workers:
                    measure(program, form, source, Path(folder), workers, asked)


def measure(program: str, form: str, source: Path, folder: Path, workers: int,
            asked: argparse.Namespace) -> None:
    ours, theirs = folder / f"ours.{form}", folder / f"polars.{form}"
    seconds = {"anabranch": timed("anabranch", program, source, ours, asked.runs, workers)}
    if importlib.util.find_spec("polars"):
        seconds["polars"] = timed("polars", program, source, theirs, asked.runs, workers)
    medians = {name: statistics.median(each[1:]) for name, each in seconds.items() if each}
    line: dict[str, object] = {"program": program, "form": form, "rows": asked.rows,
                               "workers": workers} | {k: round(v, 4) for k, v in medians.items()}
    line |= {f"first {name}": round(each[0], 3) for name, each in seconds.items() if each}
    if len(medians) == 2:
        line["times"] = round(medians["polars"] / medians["anabranch"], 3)
        if differ(ours, theirs):
            line["wrong"] = True
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
