"""The workloads: a module with `measure(setting)` is one, and gives an `Outcome`.

`suites` names them by their path from here.

    engine/     Inside the engines, with streams in memory: order, scaling, latency, skew
    files/      From file to file: W1 to W4 and two applications, against other systems
    languages/  Programs in their own languages: Sawzall, StreamIt, CQL
    spark/      On Spark: batches, streams, latency and state, against programs by hand
"""
