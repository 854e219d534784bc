"""Anabranch: ordered, stateful stream programs that parallelise themselves.

>>> import anabranch as ab
>>> numbers = ab.from_iterable([1, 2, 3, 4], int)
>>> numbers.filter(lambda n: n % 2 == 0).map(lambda n: n * 10).collect()
[20, 40]

    __main__.py  `python -m anabranch` is the command `anabranch`
    compile.py   The way of a program, on one page: text -> graph -> facts -> logical plan -> run
    frontend.py  What a language of another package is made of: one import for a front-end
    analysis/    What is known of a program before it runs, each fact with its reason
    api/         The Python API: records, streams, operators, windows, aggregates
    batch/       Slices and batches: items that travel together, and how they are merged and routed
    check/       Facts put to the test: declared or inferred, against what operators did on a sample
    cli/         The command line: `anabranch run | explain | check PROGRAM`
    core/        What lies below everything: places in the user's text, errors, and small tools
    engine/      The engines: each runs a plan and gives the sequential engine's output sequence
    explain/     A plan for people and programs: what runs in parallel, what keeps order, why not
    io/          Reading and writing: files, standard streams, Python objects and Arrow tables
    ir/          The intermediate language: typed, frozen graphs of operators, queues and variables
    kernels/     Kernels: a stage, a chain of operators, as one function from a slice to a slice
    lang/        The languages that programs are written in: each reads its text and builds a graph
    lsp/         The language server: what a program's author sees while typing
    plan/        Plans: what may run in parallel, how one engine runs it, and plans of workers
    report/      Reports of runs: what happened over time, recorded meanwhile, as a page afterwards
    runtime/     What engines share while they run: inputs, outputs, stages, gangs, measurements
    testing/     Tests of stream programs: the same output on every engine, however the input is cut
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anabranch.api.aggregates import (
        any,
        approx_distinct,
        collect,
        collect_set,
        count,
        count_distinct,
        end,
        first,
        last,
        max,
        mean,
        median,
        min,
        quantile,
        start,
        stddev,
        sum,
    )
    from anabranch.api.composition import barrier
    from anabranch.api.frames import cql, from_spark, program, spark, spl
    from anabranch.api.operator import operator, record
    from anabranch.api.parameters import param
    from anabranch.api.sources import (
        from_arrow,
        from_iterable,
        generate,
        noise,
        read_arrow,
        read_avro,
        read_csv,
        read_json,
        read_jsonl,
        read_parquet,
        read_stdin,
        read_text,
    )
    from anabranch.api.stream import Stream
    from anabranch.api.synchronization import shard, synchronized, worker
    from anabranch.api.windows import recent, sliding, tumbling
    from anabranch.core.errors import AnabranchError, DataError, ProgramError, RunError, UsageError
    from anabranch.ir.aggregates import Aggregate
    from anabranch.ir.records import Record, State
    from anabranch.ir.times import Heartbeats

__version__ = "0.1.0"

__all__ = [
    "Aggregate", "AnabranchError", "DataError", "Heartbeats", "ProgramError", "Record",
    "RunError", "State", "Stream", "UsageError", "any", "approx_distinct", "barrier",
    "collect", "collect_set", "count", "count_distinct", "cql", "end", "first", "from_arrow",
    "from_iterable", "from_spark", "generate", "last", "max", "mean", "median", "min", "noise",
    "operator", "param", "program", "quantile", "read_arrow", "read_avro", "read_csv", "read_json",
    "read_jsonl", "read_parquet", "read_stdin", "read_text", "recent", "record", "shard", "sliding",
    "spark", "spl", "start", "stddev", "sum", "synchronized", "tumbling", "worker",
]

_MODULES = {
    "api.aggregates":
        "any approx_distinct collect collect_set count count_distinct end first last max mean "
        "median min quantile start stddev sum",
    "api.composition": "barrier",
    "api.frames": "cql from_spark program spark spl",
    "api.operator": "operator record",
    "api.parameters": "param",
    "api.sources":
        "from_arrow from_iterable generate noise read_arrow read_avro read_csv read_json "
        "read_jsonl read_parquet read_stdin read_text",
    "api.stream": "Stream",
    "api.synchronization": "shard synchronized worker",
    "api.windows": "recent sliding tumbling",
    "core.errors": "AnabranchError DataError ProgramError RunError UsageError",
    "ir.aggregates": "Aggregate",
    "ir.records": "Record State",
    "ir.times": "Heartbeats",
}
"""The names by their modules. All but `SELDOM` are there once one has been asked for, so that
analyses find in this module what functions use of it; until then the import of a part of it, such
as the command, does without them."""

SELDOM = ("api.frames", "api.synchronization")
"""These are imported with the first of their own names."""


if not TYPE_CHECKING:
    # Type checkers are to know which names there are not.
    def __getattr__(name: str) -> object:
        home = next((module for module, names in _MODULES.items() if name in names.split()), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name,
                                 obj=sys.modules[__name__])
        for module in (home, *(m for m in _MODULES if m not in SELDOM)):
            found = import_module(f"{__name__}.{module}")
            globals().update({own: getattr(found, own) for own in _MODULES[module].split()})
        return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
