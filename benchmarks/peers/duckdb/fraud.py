"""Fraud with DuckDB, all at once, in order."""

import duckdb


def run(source, target, **options):
    duckdb.sql(f"""
        copy (with events as (select *, sum(rule) over (order by "at") - rule as nr
                              from '{source}'),
                   models as (select nr, sum(value) filter (rule = 0) as total,
                                     sum(value) as both from events group by nr)
              select "at", 1 - rule as suspect,
                     (case when rule = 1 then coalesce(now.total, 0) else value end)::bigint
                     as value
              from events join models now using (nr)
                   left join models last on last.nr = events.nr - 1
              where rule = 1 or value % 1000 = last.both % 1000 order by "at")
        to '{target}'""")
