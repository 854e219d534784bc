"""W3 as a plain Python loop."""

import csv


def run(source, target, **options):
    with open(source, newline="") as file, open(target, "w", newline="") as written:
        lines = csv.reader(file)
        writer = csv.writer(written)
        next(lines)
        writer.writerow(("total",))
        total = 0
        for barrier, value in lines:
            if barrier == "1":
                writer.writerow((total,))
                total = 0
            else:
                total += int(value)
