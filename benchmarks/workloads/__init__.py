"""The workloads: each module with `measure(setting)`, which gives an `Outcome`, is one.

    engine       inside the engines, with streams in memory
    files        from file to file, against what users would pick instead
    languages    programs in Sawzall, StreamIt and CQL, and those of the papers
    spark        batches and streams on Spark, against the same by hand

`suites` names a workload by its path from here.
"""
