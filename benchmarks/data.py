"""The inputs: the same rows on every machine, written once and kept.

They are kept in folders of the user's own. Amounts are multiples of a quarter, so sums are exact in
whatever order a system adds them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet


def cache(*parts: str) -> Path:
    """A private folder in the user's cache; it is made when it is not there."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "anabranch", "bench", *parts)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


UIDS = 10_000
WINDOWS = 20
WINDOW_MS = 5_000
ROWS_OF_A_WINDOW_AND_UID = 100
VALUES_OF_A_BARRIER = 10_000
REPORTS_OF_A_VEHICLE = 60
ROAD = 8 * 1760
SERVERS = np.array([f"server-{n:02}.example.org" for n in range(40)])
FIRST_CAME = 1_600_000_000
MESSAGES = np.array(["login failed", "login", "logout", "password changed", "key refused",
                     "session closed by peer", "timeout before authentication", "disconnected"])


def noise(rows: int, seed: int = 0) -> np.ndarray:
    """`ab.noise(i, seed)` for the first rows, as one array.

    >>> import anabranch as ab
    >>> noise(3, seed=5).tolist() == [ab.noise(i, 5) for i in range(3)]
    True
    """
    start = (seed + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    with np.errstate(over="ignore"):
        x = np.arange(rows, dtype=np.uint64) + np.uint64(start)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)


def payments(rows: int) -> pa.Table:
    """W1: payments of 10,000 users, each with its place in the input."""
    return pa.table({"at": np.arange(rows), "uid": noise(rows) % UIDS,
                     "amount": (noise(rows, 1) % 800 - 400) / 4})


def entries(rows: int) -> pa.Table:
    """W2: log entries; about a hundred for each user in each of twenty windows of five seconds."""
    uids = max(1, rows // (WINDOWS * ROWS_OF_A_WINDOW_AND_UID))
    return pa.table({"ts": np.arange(rows) * (WINDOWS * WINDOW_MS) // max(rows, 1),
                     "uid": noise(rows) % uids, "server": SERVERS[noise(rows, 1) % len(SERVERS)],
                     "msg": MESSAGES[noise(rows, 2) % len(MESSAGES)]})


def events(rows: int) -> pa.Table:
    """W3: values, and a barrier behind every 10,000 of them (every twentieth of a small input)."""
    every = min(VALUES_OF_A_BARRIER, max(1, rows // 20)) + 1
    barrier = (np.arange(rows) % every == every - 1).astype(np.int64)
    return pa.table({"barrier": barrier, "value": (noise(rows) % 1000) * (1 - barrier)})


def jobs(rows: int) -> pa.Table:
    """W4: numbers to compute with."""
    return pa.table({"at": np.arange(rows), "seed": noise(rows) % (1 << 31)})


def posts(rows: int) -> pa.Table:
    """Posts of authors, about fifty of each, with one of three tags."""
    return pa.table({"at": np.arange(rows), "author": noise(rows) % max(1, rows // 50),
                     "tag": noise(rows, 1) % 3})


def transactions(rows: int) -> pa.Table:
    """Transactions, and a rule behind every 10,000 of them (every twentieth of a small input)."""
    every = min(VALUES_OF_A_BARRIER, max(1, rows // 20)) + 1
    rule = (np.arange(rows) % every == every - 1).astype(np.int64)
    return pa.table({"at": np.arange(rows), "rule": rule, "value": noise(rows) % 100_000})


def positions(rows: int) -> pa.Table:
    """Linear Road: reports of vehicles that go along two highways, each every half minute."""
    vehicles = max(1, rows // REPORTS_OF_A_VEHICLE)
    turn, vehicle = np.divmod(np.arange(rows), vehicles)
    speed = np.array([0, 10, 35, 50, 65])[noise(rows) % 5]
    start, way = noise(vehicles, 1)[vehicle], noise(vehicles, 2)[vehicle]
    return pa.table({"timestamp": turn * 30, "vehicleId": vehicle, "speed": speed,
                     "xPos": (start + turn * 900) % ROAD, "dir": way % 2, "hwy": way // 2 % 2})


def queries(rows: int) -> pa.Table:
    """A query log: a hundred queries a second, from places on a map."""
    return pa.table({"timestamp": np.arange(rows) // 100,
                     "server": SERVERS[noise(rows, 1) % len(SERVERS)],
                     "latitude": noise(rows, 2) % 19 - 9, "longitude": noise(rows, 3) % 37 - 18})


def lines(rows: int) -> pa.Table:
    """A query log without times: server, place of the query, place of the answer."""
    return pa.table({"server": SERVERS[noise(rows, 1) % len(SERVERS)],
                     "latitude": noise(rows, 2) % 19 - 9, "longitude": noise(rows, 3) % 37 - 18,
                     "to_latitude": noise(rows, 4) % 7 - 3,
                     "to_longitude": noise(rows, 5) % 13 - 6})


DATASETS: dict[str, Callable[[int], pa.Table]] = {
    "payments": payments, "entries": entries, "events": events, "jobs": jobs,
    "posts": posts, "transactions": transactions,
    "positions": positions, "queries": queries, "lines": lines}


def written(name: str, rows: int, form: str) -> Path:
    """The file of a data set, as "csv", "parquet", or "txt": CSV without the names."""
    path = cache("data") / f"{name}-{rows}.{form}"
    if not path.exists():
        _write(DATASETS[name](rows), path, form)
    return path


def written_parts(name: str, rows: int, parts: int) -> Path:
    """The same rows as CSV files in a folder, in the order of their names: a stream of batches."""
    folder = cache("data", f"{name}-{rows}-in-{parts}")
    table, size = None, -(-rows // parts)
    for part in range(parts):
        path = folder / f"part-{part:04}.csv"
        if not path.exists():
            table = DATASETS[name](rows) if table is None else table
            _write(table.slice(part * size, size), path, "csv")
            came(path, part)
    return folder


def came(path: Path, turn: int) -> None:
    """Dates the file by its turn: a stream takes files in the order in which they came, and those
    written within a tick of the clock would have come together."""
    os.utime(path, (FIRST_CAME + turn, FIRST_CAME + turn))


def _write(table: pa.Table, path: Path, form: str) -> None:
    """Under another name first, so that a file that is there is whole."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    os.close(handle)
    if form in ("csv", "txt"):
        options = pa.csv.WriteOptions(include_header=form == "csv", quoting_style="none",
                                      quoting_header="none")
        pa.csv.write_csv(table, temporary, options)
    else:
        pa.parquet.write_table(table, temporary)
    os.replace(temporary, path)
