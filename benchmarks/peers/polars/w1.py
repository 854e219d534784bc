"""W1 with Polars, all at once."""

import polars as pl


def run(source, target, **options):
    csv = source.endswith(".csv")
    payments = pl.scan_csv(source) if csv else pl.scan_parquet(source)
    kept = payments.filter(pl.col("amount") != 7.0)
    total = (pl.col("amount") * 0.5).cum_sum().over("uid").alias("total")
    balances = kept.select("at", "uid", total).collect()
    balances.write_csv(target) if csv else balances.write_parquet(target)
