"""W4 as a plain Python loop."""

import csv


def opaque(seed):
    seen = {}
    x = seed
    for _ in range(150):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        seen[x % 7] = x
    return sum(seen.values())


def run(source, target, **options):
    with open(source, newline="") as file, open(target, "w", newline="") as written:
        lines = csv.reader(file)
        writer = csv.writer(written)
        next(lines)
        writer.writerow(("at", "result"))
        for at, seed in lines:
            writer.writerow((at, opaque(int(seed))))
