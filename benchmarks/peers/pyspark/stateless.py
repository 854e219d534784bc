"""A stateless pipeline as DataFrame expressions."""

from pyspark.sql import functions as f
from session import session as start

__all__ = ["start"]


def run(source, target, **options):
    entries = start().read.csv(source, header=True,
                               schema="ts long, uid long, server string, msg string")
    kept = entries.where(f.col("server").startswith("server-1") & (f.col("uid") % 3 != 0))
    failed = f.when(f.col("msg") == "login failed", 1).otherwise(0)
    kept.select("ts", (f.col("uid") * 2 + 1).alias("user"), failed.alias("failed")).write.csv(
        target, header=True, mode="overwrite")
