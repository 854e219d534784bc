"""Complex events as a plain Python loop."""

import csv


def run(source, target, **options):
    streaks = {}
    with open(source, newline="") as file, open(target, "w", newline="") as written:
        lines = csv.reader(file)
        writer = csv.writer(written)
        writer.writerow(next(lines))
        for at, author, tag in lines:
            last, length = streaks.get(author, (None, 0))
            length = length + 1 if tag == last else 1
            streaks[author] = tag, length
            if length >= 5:
                writer.writerow((at, author, tag))
