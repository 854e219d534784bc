"""The workloads as programs of ours, as a user would write them.

    fraud.py             Fraud: a rule tells the sum since the last one, and sets what is suspect
    latency_on_spark.py  Latency of W1 as a stream on Spark
    on_spark.py          Any of the programs on Spark, in a session that stays up between runs
    stateless.py         A stateless pipeline: filter, arithmetic, string tests
    stream_on_spark.py   Any of the programs as a stream on Spark, with a batch for each file
    synchronized.py      Three applications of synchronization plans, with updates of a known time
    tags.py              Posts that are at least the fifth in a row of their author with one tag
    ten.py               Ten rows: what is left is starting up
    w1.py                W1, running balance: filter, map, a running sum for each user, in order
    w1_kernel.py         W1 from Arrow to Arrow in memory: its kernel alone
    w1_memory.py         W1 from Arrow to Arrow in memory
    w2.py                W2, network monitor: entries of each user in windows of five seconds
    w3.py                W3, event windows: the sum of the values between two barriers
    w4.py                W4, opaque function: about 20 microseconds of plain Python for each row
"""
