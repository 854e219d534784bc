"""W4 with DuckDB: a Python function for each value."""

import duckdb


def opaque(seed: int) -> int:
    seen = {}
    x = seed
    for _ in range(150):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        seen[x % 7] = x
    return sum(seen.values())


def run(source, target, **options):
    connection = duckdb.connect()
    connection.create_function("opaque", opaque)
    connection.sql(f"""copy (select "at", opaque(seed) as result from '{source}')
                       to '{target}'""")
