"""Anabranch: ordered, stateful stream programs that parallelise themselves.

>>> import anabranch as ab
>>> numbers = ab.from_iterable([1, 2, 3, 4], int)
>>> numbers.filter(lambda n: n % 2 == 0).map(lambda n: n * 10).collect()
[20, 40]
"""

from anabranch.api.aggregates import (
    any,
    collect,
    count,
    end,
    first,
    last,
    max,
    mean,
    min,
    start,
    sum,
)
from anabranch.api.composition import barrier
from anabranch.api.operator import operator
from anabranch.api.parameters import param
from anabranch.api.sources import (
    from_arrow,
    from_iterable,
    generate,
    noise,
    read_csv,
    read_jsonl,
    read_parquet,
    read_stdin,
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
    "Aggregate", "AnabranchError", "DataError", "Heartbeats", "ProgramError", "Record", "RunError",
    "State", "Stream", "UsageError", "any", "barrier", "collect", "count", "end", "first",
    "from_arrow", "from_iterable", "generate", "last", "max", "mean", "min", "noise", "operator",
    "param", "read_csv", "read_jsonl", "read_parquet", "read_stdin", "recent", "shard", "sliding",
    "start", "sum", "synchronized", "tumbling", "worker",
]
