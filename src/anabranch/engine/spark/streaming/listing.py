"""The folders of the sources as Spark lists them: a row for each file, without its content."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from anabranch.engine.spark.streaming.arrivals import Arrived
from anabranch.engine.spark.streaming.log import files_of
from anabranch.errors import RunError
from anabranch.io.paths import base_of, is_data, is_glob
from anabranch.ir.graph import Operator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "path string, modificationTime timestamp, length long, content binary"
EVER = "365000d"
"""Spark leaves out files that are older than the latest one by more than this."""

PATTERNS = frozenset("*?[]{}\\")
"""Spark reads a file whose name has one of these together with others that it has read before."""


class Listing:
    """The sources that grow. Spark removes the files of those called `passing` when it has told
    that they were read."""

    def __init__(self, session: SparkSession, sources: Sequence[Operator],
                 passing: Collection[str] = ()):
        self.session, self.sources, self.passing = session, sources, passing

    def frame(self) -> DataFrame:
        """The files of all sources. Nobody ever reads from it: Spark's logs tell what it has."""
        frames = [self._reader(op).load(os.path.abspath(op.kind.spec.path)) for op in self.sources]
        return reduce(lambda a, b: a.union(b), frames)

    def arrived(self, checkpoint: str, batch: int) -> Iterator[Arrived]:
        """The files of a batch of the query with this checkpoint."""
        for source, file in files_of(checkpoint, batch):
            op = self.sources[source]
            if set(file) & PATTERNS:
                raise RunError("Spark takes the name of a file for a pattern", op.span, got=file,
                               expected=f"a name without any of {' '.join(sorted(PATTERNS))}",
                               help="rename the file")
            # Spark looks into all folders of a folder.
            if is_data(base_of(op.kind.spec.path), file) or is_glob(op.kind.spec.path):
                yield Arrived(op.name, file, _size(op, file))

    def _reader(self, op: Operator):
        reader = self.session.readStream.format("binaryFile").schema(SCHEMA)
        reader = reader.option("maxFileAge", EVER)
        if op.name in self.passing:
            reader = reader.option("cleanSource", "delete")
        if not is_glob(op.kind.spec.path):
            # Which folders count is said here, not by what Spark makes of their names.
            reader = reader.option("recursiveFileLookup", "true")
            return reader.option("pathGlobFilter", name_filter(op.kind.spec.extensions))
        return reader


def _size(op: Operator, file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError as error:
        raise RunError(f"a file that had come cannot be read: {error}", op.span) from error


def name_filter(extensions: tuple[str, ...]) -> str:
    """Hadoop's pattern for names with one of the extensions, in capitals or not.

    >>> name_filter((".csv",)), name_filter((".a", ".b"))
    ('{*.[cC][sS][vV]}', '{*.[aA],*.[bB]}')
    """
    def either(letter: str) -> str:
        return f"[{letter}{letter.upper()}]" if letter.isalpha() else letter
    return "{" + ",".join("*" + "".join(map(either, e)) for e in extensions) + "}"
