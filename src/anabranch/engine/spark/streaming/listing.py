"""The folders of the sources as Spark lists them: a row for each file, without its content."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from anabranch.engine.spark.streaming.arrivals import Arrived
from anabranch.errors import RunError
from anabranch.io.paths import is_glob
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
        """The files of all sources, each with the number of its source."""
        from pyspark.sql.functions import lit

        frames = [self._reader(op).load(os.path.abspath(op.kind.spec.path))
                  .select(lit(n).alias("source"), "path", "length")
                  for n, op in enumerate(self.sources)]
        return reduce(lambda a, b: a.union(b), frames)

    def arrived(self, frame: DataFrame) -> Iterator[Arrived]:
        """The files of a batch."""
        for row in frame.collect():
            op, file = self.sources[row.source], row.path.removeprefix("file:")
            file = "/" + file.lstrip("/")
            if set(file) & PATTERNS:
                raise RunError("Spark takes the name of a file for a pattern", op.span, got=file,
                               expected=f"a name without any of {' '.join(sorted(PATTERNS))}",
                               help="rename the file")
            # Spark looks into the folders of a folder too.
            if is_glob(op.kind.spec.path) or os.path.dirname(file) == os.path.abspath(
                    op.kind.spec.path):
                yield Arrived(op.name, file, row.length)

    def _reader(self, op: Operator):
        reader = self.session.readStream.format("binaryFile").schema(SCHEMA)
        reader = reader.option("maxFileAge", EVER)
        if op.name in self.passing:
            reader = reader.option("cleanSource", "delete")
        if not is_glob(op.kind.spec.path):
            return reader.option("pathGlobFilter", name_filter(op.kind.spec.extensions))
        return reader


def name_filter(extensions: tuple[str, ...]) -> str:
    """Hadoop's pattern for names with one of the extensions, in capitals or not.

    >>> name_filter((".csv",)), name_filter((".a", ".b"))
    ('{*.[cC][sS][vV]}', '{*.[aA],*.[bB]}')
    """
    def either(letter: str) -> str:
        return f"[{letter}{letter.upper()}]" if letter.isalpha() else letter
    return "{" + ",".join("*" + "".join(map(either, e)) for e in extensions) + "}"
