"""What runs Spark: a context, its Java, its Python workers, or Spark Connect.

    computation.py   What Spark computes, or our error with what it says of the cause
    connect.py       Spark Connect: sessions of a server, and jobs there, as DataFrames for RDDs
    context.py       A Spark context: the one that is there, or a new one that the run stops
    java.py          Finds a Java for Spark, and keeps it quiet
    requirements.py  PySpark and its versions: what has to be installed, and what a feature needs
    reuse.py         A local Spark that stays for the runs after this one: `--keep-spark`
    workers.py       The Python workers of Spark: their package, variables and collector
"""
