"""Fraud as a plain Python loop."""

import csv


def run(source, target, **options):
    with open(source, newline="") as file, open(target, "w", newline="") as written:
        lines = csv.reader(file)
        writer = csv.writer(written)
        next(lines)
        writer.writerow(("at", "suspect", "value"))
        total, suspect = 0, -1
        for at, rule, text in lines:
            value = int(text)
            if rule == "1":
                writer.writerow((at, 0, total))
                total, suspect = 0, (total + value) % 1000
            else:
                total += value
                if value % 1000 == suspect:
                    writer.writerow((at, 1, value))
