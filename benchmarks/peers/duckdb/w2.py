"""W2 with DuckDB, all at once."""

import duckdb


def run(source, target, **options):
    duckdb.sql(f"""
        copy (select uid, ts // 5000 * 5000 as start, count(*) as n
              from '{source}' group by all having n > 100)
        to '{target}'""")
