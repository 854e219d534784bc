"""W1 as a plain Python loop."""

import csv


def run(source, target, **options):
    rows = rows_of(source)
    totals = {}
    out = []
    for at, uid, amount in rows:
        if amount != 7.0:
            totals[uid] = total = totals.get(uid, 0.0) + amount * 0.5
            out.append((at, uid, total))
    write(out, target)


def rows_of(source):
    if source.endswith(".csv"):
        with open(source, newline="") as file:
            lines = csv.reader(file)
            next(lines)
            return [(int(at), int(uid), float(amount)) for at, uid, amount in lines]
    import pyarrow.parquet

    return zip(*(column.to_pylist() for column in pyarrow.parquet.read_table(source).columns))


def write(out, target):
    if target.endswith(".csv"):
        with open(target, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("at", "uid", "total"))
            writer.writerows(out)
        return
    import pyarrow

    columns = dict(zip(("at", "uid", "total"), map(list, zip(*out))))
    pyarrow.parquet.write_table(pyarrow.table(columns), target)
