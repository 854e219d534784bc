"""From file to file: W1 to W4 and two applications, against other systems.

    contenders.py  What these workloads share: the right answer, and the usual contenders
    peers.py       W1 to W4 and two applications from CSV to CSV, against other systems
    sequential.py  The sequential engine against a plain Python loop and multicore
    w1.py          W1, running balance: a running sum for each of 10,000 users, in input order
    w2.py          W2, network monitor: counts of each user in windows of five seconds
    w3.py          W3, event windows: the sum between barriers, one for every 10,000 values
    w4.py          W4, opaque function: about 20 microseconds of plain Python for each row, in order
"""
