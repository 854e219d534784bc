"""W4 with Polars: a Python function for each element."""

import polars as pl


def opaque(seed):
    seen = {}
    x = seed
    for _ in range(150):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        seen[x % 7] = x
    return sum(seen.values())


def run(source, target, **options):
    jobs = pl.scan_csv(source)
    result = pl.col("seed").map_elements(opaque, return_dtype=pl.Int64).alias("result")
    jobs.select("at", result).collect().write_csv(target)
