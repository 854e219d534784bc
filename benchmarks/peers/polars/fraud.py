"""Fraud with Polars, all at once."""

import polars as pl

IS_RULE = pl.col("rule") == 1


def run(source, target, **options):
    window = (pl.col("rule").cum_sum() - pl.col("rule")).alias("window")
    events = pl.scan_csv(source).with_columns(window)
    models = events.group_by("window").agg(
        total=pl.col("value").filter(~IS_RULE).sum(), both=pl.col("value").sum())
    suspects = models.select(pl.col("window") + 1, suspect=pl.col("both") % 1000)
    known = events.join(models, on="window").join(suspects, on="window", how="left")
    told = known.filter(IS_RULE | (pl.col("value") % 1000 == pl.col("suspect"))).sort("at")
    told.select("at", suspect=1 - pl.col("rule"), value=pl.when(IS_RULE).then("total").otherwise(
        "value")).collect().write_csv(target)
