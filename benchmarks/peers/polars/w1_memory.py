"""W1 with Polars, from Arrow to Arrow in memory."""

import polars as pl


def load(source):
    return pl.read_parquet(source).to_arrow()


def run(payments, target, **options):
    kept = pl.from_arrow(payments).lazy().filter(pl.col("amount") != 7.0)
    total = (pl.col("amount") * 0.5).cum_sum().over("uid").alias("total")
    return kept.select("at", "uid", total).collect().to_arrow()


def save(balances, target):
    pl.from_arrow(balances).write_parquet(target)
