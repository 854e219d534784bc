"""W1 with PyFlink: SQL over a stream."""

from tables import environment, file, start
from tables import without_header as load

__all__ = ["load", "start"]


def run(source, target, workers):
    tables = environment(workers)
    file(tables, "payments", "`at` bigint, uid bigint, amount double, p as proctime()", source)
    file(tables, "balances", "`at` bigint, uid bigint, total double", target)
    tables.execute_sql("""
        insert into balances
        select `at`, uid, sum(amount * 0.5) over (partition by uid order by p
                              rows between unbounded preceding and current row)
        from payments where amount <> 7.0""").wait()
