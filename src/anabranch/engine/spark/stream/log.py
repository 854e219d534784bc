"""The logs that Spark keeps of a query: which files belong to which batch.

Before it calls for a batch, Spark has written down up to which entry of each source's own log the
batch goes, and in these logs which files each entry has. To read them here takes no job of Spark's.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlparse
from zlib import crc32

from anabranch.engine.spark.stream.checkpoint import damaged, failing

VERSION = "v1"


def files_of(folder: str, batch: int) -> Iterator[tuple[int, str]]:
    """The files of a batch of the query whose checkpoint this is, each behind the number of its
    source."""
    before = _ends(folder, batch - 1) if batch else []
    for source, end in enumerate(_ends(folder, batch)):
        begin = before[source] if before else -1
        for entry in range(begin + 1, end + 1):
            yield from ((source, file) for file in _entry(folder, source, entry))


def _ends(folder: str, batch: int) -> list[int]:
    """For each source the last entry that belongs to a batch or an earlier one; -1 before all."""
    path = os.path.join(folder, "offsets", str(batch))
    with _whole(path):
        _, *offsets = _lines(path)
        return [-1 if offset == "-" else json.loads(offset)["logOffset"] for offset in offsets]


def _entry(folder: str, source: int, entry: int) -> list[str]:
    path = os.path.join(folder, "sources", str(source), str(entry))
    if not os.path.exists(path):
        # Now and then Spark writes all that there is once more, in place of an entry.
        path += ".compact"
    mark = f'"batchId":{entry}}}'
    with _whole(path):
        return [_path(json.loads(line)["path"]) for line in _lines(path) if line.endswith(mark)]


def _path(address: str) -> str:
    """
    >>> _path("file:///logs/a%201.csv")
    '/logs/a 1.csv'
    """
    return unquote(urlparse(address).path)


def _lines(path: str) -> list[str]:
    with failing("read"), open(path, encoding="utf-8") as file:
        version, *lines = file.read().splitlines()
    if version != VERSION:
        raise damaged(path)
    return lines


@contextmanager
def _whole(path: str) -> Iterator[None]:
    """What is not as Spark writes it inside of it is a `RunError` that names the file."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise damaged(path) from None


def check_log(folder: str, done: int = -1) -> None:
    """Finds a file of a query's checkpoint that is damaged or gone, before Spark does. Without the
    last batch that is `done`, Spark would begin anew and call other files by its numbers."""
    names = {kind: _numbers(os.path.join(folder, kind)) for kind in ("offsets", "commits")}
    if max(names["offsets"], default=-1) < done:
        raise damaged(os.path.join(folder, "offsets", str(done)))
    if not names["offsets"] and not names["commits"]:
        return
    last = max(*names["offsets"], *names["commits"], -1)
    path = os.path.join(folder, "metadata")
    with _whole(path):
        json.loads(_content(path))["id"]
    for kind, numbers in names.items():
        for number in numbers:
            path = os.path.join(folder, kind, str(number))
            with _whole(path):
                _content(path)
                for line in _lines(path):
                    line == "-" or json.loads(line)
    for number in range(min(names["offsets"], default=last), last + 1):
        if number not in names["offsets"]:
            raise damaged(os.path.join(folder, "offsets", str(number)))
    for source, end in enumerate(_ends(folder, last)):
        _check_source(os.path.join(folder, "sources", str(source)), end)


def _check_source(folder: str, end: int) -> None:
    """All that a source's log has from the last summary on."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    whole = [int(n.removesuffix(".compact")) for n in names if re.fullmatch(r"\d+\.compact", n)]
    first = max((n for n in whole if n <= end), default=0)
    for number in range(first, end + 1):
        path = os.path.join(folder, f"{number}.compact" if number in whole else str(number))
        with _whole(path):
            _content(path)
            for line in _lines(path):
                json.loads(line)["path"]


def _numbers(folder: str) -> list[int]:
    return [int(n) for n in os.listdir(folder) if n.isdigit()] if os.path.isdir(folder) else []


def _content(path: str) -> bytes:
    """The bytes of a file, if they have the sums that lie beside it; a `ValueError` if not."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        with open(os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.crc"),
                  "rb") as file:
            mark, size, sums = file.read(4), int.from_bytes(file.read(4), "big"), file.read()
    except FileNotFoundError as error:
        if error.filename == path:
            raise damaged(path) from None
        return data
    found = [crc32(data[at:at + size]) for at in range(0, len(data), size)] if size else []
    if mark != b"crc\0" or b"".join(n.to_bytes(4, "big") for n in found) != sums:
        raise ValueError(path)
    return data
