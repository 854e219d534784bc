"""W4 as a Spark batch: a Python UDF."""

from pyspark.sql import functions as f
from session import session as start


def opaque(seed):
    seen = {}
    x = seed
    for _ in range(150):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        seen[x % 7] = x
    return sum(seen.values())


def run(source, target, **options):
    jobs = start().read.csv(source, header=True, schema="at long, seed long")
    result = f.udf(opaque, "long")("seed").alias("result")
    jobs.select("at", result).write.csv(target, header=True, mode="overwrite")
