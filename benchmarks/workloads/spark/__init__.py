"""On Spark: batches, streams, their latency and state, against the same written by hand.

    contenders    what these workloads share: two cores, a warm session, parts as answers
    gang          a synchronization plan as a gang of tasks, against the multicore engine
    growth        a batch that touches 10,000 keys, when more and more are known
    latency       W1 at 1,000 rows a second, against `applyInPandasWithState`
    startup       `anabranch run` of ten rows against a bare session
    stateless     a stateless pipeline against DataFrame expressions
    w1            running balance as a stream, against two ways to write it by hand
    w2            network monitor, against `groupBy(window(...), uid).count()`
    w4            opaque function, against a Python UDF and an Arrow UDF
"""
