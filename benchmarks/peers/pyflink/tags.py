"""Complex events with PyFlink: SQL over a stream."""

from tables import environment, file, start
from tables import without_header as load

__all__ = ["load", "start"]


def run(source, target, workers):
    tables = environment(workers)
    file(tables, "posts", "`at` bigint, author bigint, tag bigint, p as proctime()", source)
    file(tables, "found", "`at` bigint, author bigint, tag bigint", target)
    tables.execute_sql("""
        insert into found select `at`, author, tag from (
            select *, count(tag) over w as n, min(tag) over w as least, max(tag) over w as most
            from posts window w as (partition by author order by p
                                    rows between 4 preceding and current row))
        where n = 5 and least = most""").wait()
