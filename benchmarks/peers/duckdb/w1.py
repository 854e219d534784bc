"""W1 with DuckDB, all at once, in order."""

import duckdb


def run(source, target, **options):
    duckdb.sql(f"""
        copy (select "at", uid, sum(amount * 0.5) over (partition by uid order by "at") as total
              from '{source}' where amount <> 7.0 order by "at")
        to '{target}'""")
