"""W2 with PyFlink: SQL over a stream."""

from tables import environment, file, start
from tables import without_header as load

__all__ = ["load", "start"]


def run(source, target, workers):
    tables = environment(workers)
    file(tables, "entries", "ts bigint, uid bigint, server string, msg string, "
         "at_time as to_timestamp_ltz(ts, 3), watermark for at_time as at_time", source)
    file(tables, "busy", "uid bigint, `start` bigint, n bigint", target)
    tables.execute_sql("""
        insert into busy
        select uid, unix_timestamp(cast(window_start as string)) * 1000, count(*)
        from table(tumble(table entries, descriptor(at_time), interval '5' second))
        group by uid, window_start, window_end having count(*) > 100""").wait()
