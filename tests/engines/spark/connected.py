"""Run as a process of its own: programs on Spark Connect, compared with the sequential engine.

PySpark serves either Connect or a context in a process, and the other tests have a context.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import anabranch as ab
from engines.spark.framed import frame_outputs, has_frames
from engines.spark.streams import arrive, parts, sequential, streamed
from engines.spark.support import sequential_outputs, spark_outputs
from program_cases import CASES
from random_programs import STEPS, Item, build


def broken_at_five(t: Item):
    return t.replace(v=t.v // (t.v - 5))


def cases(session: SparkSession) -> None:
    for case in CASES:
        outputs, error = spark_outputs(case.build().graph(), slice_size=2, session=session)
        assert (error, [item for _, item in outputs]) == (None, case.expected), case.name


def shuffles(session: SparkSession) -> None:
    many = [Item(n * 7 % 5, n * 3 % 4, n % 11) for n in range(300)]
    steps = ["burst_by_k", "double", "running_by_l", "twice_when_even", "running_by_k"]
    expected = sequential_outputs(build(steps, many).graph())
    assert spark_outputs(build(steps, many).graph(), slice_size=20, session=session) == expected


def failures(session: SparkSession) -> None:
    """The same beginning of the output, and the same first failure."""
    def program():
        stream = build(["double"], [Item(n % 3, 1, n) for n in range(9)])
        return STEPS["running_by_k"](stream.map(broken_at_five, to=Item)).graph()
    expected = sequential_outputs(program())
    assert expected[1] and spark_outputs(program(), slice_size=2, session=session) == expected


def folders(session: SparkSession, folder: Path) -> None:
    """Executors read the splits of a file, and write its parts."""
    source, parts = folder / "in.jsonl", folder / "parts"
    source.write_text("".join(f"{n}\n" for n in range(300_000)))
    doubled = ab.read_jsonl(source, int).map(lambda n: n * 2, to=int)
    doubled.write_jsonl(f"{parts}/")
    report = doubled.run(session=session)
    assert len(list(parts.iterdir())) > 1 and report.written == {"parts": 300_000}
    assert ab.read_jsonl(f"{parts}/", int).collect() == [n * 2 for n in range(300_000)]


def streams(session: SparkSession, folder: Path) -> None:
    """Batches from files that come one after another, with state between them, and a restart."""
    def program():
        rows = ab.read_csv(folder / "in", Item)
        return STEPS["running_by_k"](rows).write_csv(folder / "out", name="out")
    for number in range(4):
        arrive(folder / "in", number, [f"{n % 3},{n % 2},{n}" for n in range(20)], "k,l,v")
        streamed(program, session=session, checkpoint=str(folder / "ck"), files_per_batch=1)
    assert len(parts(folder / "out")) == 80
    assert parts(folder / "out") == sequential(program, folder / "out")


def frames(session: SparkSession) -> None:
    """Programs over DataFrames."""
    session.conf.set("spark.sql.shuffle.partitions", "3")
    for case in [case for case in CASES if has_frames(case.build().graph())][::5]:
        outputs, error = frame_outputs(session, case.build().graph())
        assert (error, *outputs.values()) == (None, case.expected), case.name


def main(folder: str) -> None:
    session = SparkSession.builder.remote("local[2]").getOrCreate()
    cases(session)
    shuffles(session)
    failures(session)
    folders(session, Path(folder))
    streams(session, Path(folder))
    frames(session)
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1])
