"""Complex events as a Spark batch, in order."""

from pyspark.sql import Window
from pyspark.sql import functions as f
from session import session as start


def run(source, target, **options):
    posts = start().read.csv(source, header=True, schema="at long, author long, tag long")
    by_author = Window.partitionBy("author").orderBy("at")
    run_of_five = posts.withColumn("before", f.collect_list("tag").over(
        by_author.rowsBetween(-4, 0)))
    same = (f.size("before") == 5) & (f.size(f.array_distinct("before")) == 1)
    run_of_five.where(same).drop("before").orderBy("at").write.csv(
        target, header=True, mode="overwrite")
