"""W2 as a Spark batch."""

from pyspark.sql import functions as f
from session import session as start


def run(source, target, **options):
    entries = start().read.csv(source, header=True,
                               schema="ts long, uid long, server string, msg string")
    windows = f.window(f.timestamp_millis("ts"), "5 seconds")
    counts = entries.groupBy(windows.alias("window"), "uid").agg(f.count("*").alias("n"))
    start_of = f.unix_millis("window.start").alias("start")
    counts.where("n > 100").select("uid", start_of, "n").write.csv(
        target, header=True, mode="overwrite")
