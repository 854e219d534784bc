"""Complex events with Polars, all at once."""

import polars as pl


def run(source, target, **options):
    posts = pl.scan_csv(source)
    same = [pl.col("tag").shift(n).over("author") == pl.col("tag") for n in range(1, 5)]
    posts.filter(pl.all_horizontal(same)).collect().write_csv(target)
