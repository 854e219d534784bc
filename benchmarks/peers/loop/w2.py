"""W2 as a plain Python loop: a window is emitted when its user's next one begins."""

import csv


def run(source, target, **options):
    with open(source, newline="") as file, open(target, "w", newline="") as written:
        lines = csv.reader(file)
        writer = csv.writer(written)
        next(lines)
        writer.writerow(("uid", "start", "n"))
        counts = {}
        for ts, uid, _server, _msg in lines:
            start = int(ts) // 5000 * 5000
            before = counts.get(uid)
            if before is None or before[0] != start:
                if before is not None and before[1] > 100:
                    writer.writerow((uid, *before))
                counts[uid] = [start, 1]
            else:
                before[1] += 1
        writer.writerows((uid, *last) for uid, last in counts.items() if last[1] > 100)
