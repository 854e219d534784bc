"""The workloads as programs of ours, as a user would write them.

    fraud               a rule tells the sum since the last one, and sets what is suspect
    latency_on_spark    latency of W1 as a stream on Spark, at a steady rate of files
    on_spark            any of the programs on Spark, in a session that stays up
    stateless           filter, arithmetic, string tests
    stream_on_spark     any of the programs as a stream on Spark, a batch for each file
    synchronized        event windows, fraud and page views, whose updates take a known time
    tags                posts that are at least the fifth in a row with the same tag
    ten                 ten rows: what is left is starting up
    w1                  running balance: filter, map, and a running sum for each user
    w1_kernel           W1 in memory: its kernel alone
    w1_memory           W1 from Arrow to Arrow in memory
    w2                  network monitor: counts of users in windows of five seconds
    w3                  event windows: the sum of the values between two barriers
    w4                  opaque function: about 20 microseconds of plain Python for each row
"""
