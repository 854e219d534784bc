"""The logs that Spark keeps of a query: which files belong to which batch.

Before it calls for a batch, Spark has written down up to which entry of each source's own log the
batch goes, and in these logs which files each entry has. To read them here takes no job of Spark's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from urllib.parse import unquote, urlparse

from anabranch.engine.spark.streaming.durable import damaged, failing

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
    _, *offsets = _lines(os.path.join(folder, "offsets", str(batch)))
    return [-1 if offset == "-" else json.loads(offset)["logOffset"] for offset in offsets]


def _entry(folder: str, source: int, entry: int) -> Iterator[str]:
    path = os.path.join(folder, "sources", str(source), str(entry))
    if not os.path.exists(path):
        # Now and then Spark writes all that there is once more, in place of an entry.
        path += ".compact"
    mark = f'"batchId":{entry}}}'
    return (_path(json.loads(line)["path"]) for line in _lines(path) if line.endswith(mark))


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
