"""Fraud as a Spark batch, in order: all rows go through one task to be numbered."""

from pyspark.sql import Window
from pyspark.sql import functions as f
from session import session as start


def run(source, target, **options):
    events = start().read.csv(source, header=True, schema="at long, rule long, value long")
    number = f.sum("rule").over(Window.orderBy("at")) - f.col("rule")
    events = events.withColumn("window", number)
    models = events.groupBy("window").agg(
        f.sum(f.expr("if(rule = 0, value, 0)")).alias("total"), f.sum("value").alias("both"))
    suspects = models.select((f.col("window") + 1).alias("window"),
                             (f.col("both") % 1000).alias("suspect"))
    known = events.join(models, "window").join(suspects, "window", "left")
    known.where("rule = 1 or value % 1000 = suspect").orderBy("at").selectExpr(
        "at", "1 - rule as suspect", "if(rule = 1, total, value) as value").write.csv(
        target, header=True, mode="overwrite")
