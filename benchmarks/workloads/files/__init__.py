"""From file to file: W1 to W4 and two applications, against what users would pick instead.

    contenders    what these workloads share: the right answer, and the usual contenders
    peers         all of them from CSV to CSV against other systems
    sequential    the sequential engine against a plain Python loop and multicore
    w1            running balance: a running sum for each of 10,000 users, in input order
    w2            network monitor: counts of each user in windows of five seconds
    w3            event windows: the sum between barriers
    w4            opaque function: about 20 microseconds of plain Python, in order
"""
