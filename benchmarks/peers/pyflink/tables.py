"""A streaming table environment and files as its tables; the programs of this folder share it."""

import os
import tempfile

from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableEnvironment


def start():
    get_gateway()


def environment(workers):
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    tables.get_config().set("parallelism.default", str(workers))
    return tables


def without_header(source):
    """Flink's CSV format knows no header."""
    bare = os.path.join(tempfile.mkdtemp(prefix="bare-"), "rows.csv")
    with open(source) as lines, open(bare, "w") as out:
        next(lines)
        out.writelines(lines)
    return bare


def file(tables, name, columns, path):
    tables.execute_sql(f"create temporary table {name} ({columns}) with ("
                       f"'connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')")
