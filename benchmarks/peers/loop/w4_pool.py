"""W4 with `multiprocessing.Pool.imap`, which keeps the order."""

import csv
import multiprocessing


def opaque(seed):
    seen = {}
    x = seed
    for _ in range(150):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        seen[x % 7] = x
    return sum(seen.values())


def job(line):
    at, seed = line
    return at, opaque(int(seed))


def run(source, target, workers):
    fork = multiprocessing.get_context("fork")
    with open(source, newline="") as file, open(target, "w", newline="") as written:
        lines = csv.reader(file)
        writer = csv.writer(written)
        next(lines)
        writer.writerow(("at", "result"))
        with fork.Pool(workers) as pool:
            writer.writerows(pool.imap(job, lines, chunksize=256))
