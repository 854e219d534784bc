"""W4 as a Spark stream: a Python UDF."""

from pyspark.sql import functions as f
from session import session as start
from streams import folder_of as load
from streams import written

__all__ = ["load", "start"]


def opaque(seed):
    seen = {}
    x = seed
    for _ in range(150):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        seen[x % 7] = x
    return sum(seen.values())


def run(source, target, **options):
    jobs = start().readStream.csv(source, header=True, schema="at long, seed long")
    written(jobs.select("at", f.udf(opaque, "long")("seed").alias("result")), target)
