"""Complex events with DuckDB, all at once, in order."""

import duckdb


def run(source, target, **options):
    same = " and ".join(f'tag = lag(tag, {n}) over posts' for n in range(1, 5))
    duckdb.sql(f"""
        copy (select "at", author, tag from '{source}'
              window posts as (partition by author order by "at")
              qualify {same} order by "at")
        to '{target}'""")
