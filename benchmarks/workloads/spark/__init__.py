"""On Spark: batches, streams, latency and state, against programs by hand.

    contenders.py  What these workloads share: two cores, a warm session, parts as answers
    gang.py        A synchronization plan as a gang of Spark's tasks, against multicore
    growth.py      State growth: a batch must not cost more because more keys are known
    latency.py     Latency of W1 on Spark at 1,000 rows a second, against `applyInPandasWithState`
    startup.py     Starting up: `anabranch run` of ten rows on Spark against a bare session
    stateless.py   A stateless pipeline on Spark against DataFrame expressions written by hand
    w1.py          W1 as a stream on Spark, against two ways to write it by hand
    w2.py          W2 on Spark, in order, against `groupBy(window(...), uid).count()`
    w4.py          W4 on Spark against a Python UDF and an Arrow UDF
"""
