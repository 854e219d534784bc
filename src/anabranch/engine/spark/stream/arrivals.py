"""Files that have arrived, and which of them the next batch reads.

Spark lists the folders of the sources as a row for each file, without its content. Where there is
no query of Spark's, they are listed here, and which file belongs to which batch is a line of a
file of the checkpoint, written before the batch begins; so a batch that is done again has the same
files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from itertools import accumulate, groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from anabranch.core.errors import RunError
from anabranch.engine.spark.stream.checkpoint import PRIVATE, damaged, failing
from anabranch.engine.spark.stream.log import files_of
from anabranch.io.files.paths import (
    NothingToRead,
    base_of,
    in_order,
    is_data,
    is_glob,
    logged_places,
)
from anabranch.ir.graph import Operator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession



class Arrived(NamedTuple):
    """A file of a source; its `place` among others of its batch, where a log says more than names.
    """

    source: str
    file: str
    size: int
    place: int = 0

    @property
    def order(self) -> tuple[int, tuple[str, ...]]:
        """By which the files of a source are put in order."""
        return self.place, in_order(self.file)


def portion(arrived: Iterable[Arrived], begun: dict[str, int], files: int | None, most: int
            ) -> tuple[list[Arrived], dict[str, int]]:
    """The files of the next batch, of each source in the order of their names, and how many files
    of each are done then. Without a number of files, so many bytes are enough.

    >>> three = [Arrived("in", name, 1) for name in ("c", "a", "b")]
    >>> [file.file for file in portion(three, {"in": 1}, 1, 9)[0]], portion(three, {}, None, 9)[1]
    (['b'], {'in': 3})
    """
    chosen: list[Arrived] = []
    done: dict[str, int] = {}
    for source, own in groupby(_sorted(arrived), key=itemgetter(0)):
        left = list(own)[begun.get(source, 0):]
        before = accumulate((a.size for a in left), initial=0)
        enough = sum(1 for size in islice(before, len(left)) if size < most)
        taken = left[:enough if files is None else files]
        chosen += taken
        done[source] = begun.get(source, 0) + len(taken)
    return chosen, done


def _sorted(arrived: Iterable[Arrived]) -> list[Arrived]:
    return sorted(arrived, key=lambda a: (a.source, a.order))


SCHEMA = "path string, modificationTime timestamp_ltz, length long, content binary"
EVER = "365000d"
"""Spark leaves out files that are older than the latest one by more than this."""

PATTERNS = frozenset("*?[]{}\\")
"""Spark reads a file whose name has one of these together with others that it has read before."""


class FolderListing:
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
        places = {op.name: logged_places(op.kind.spec.path) for op in self.sources}
        for source, file in files_of(checkpoint, batch):
            op = self.sources[source]
            if set(file) & PATTERNS:
                raise RunError("Spark takes the name of a file for a pattern", op.span, got=file,
                               expected=f"a name without any of {' '.join(sorted(PATTERNS))}",
                               help="rename the file")
            # Spark looks into all folders of a folder.
            if is_data(base_of(op.kind.spec.path), file) or is_glob(op.kind.spec.path):
                yield Arrived(op.name, file, _size(op, file), places[op.name].get(file, 0))

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


Files = dict[str, list[str]]


class FolderScan:
    """The sources that grow. Files of those called `passing` are removed when they were read."""

    def __init__(self, path: str, sources: Sequence[Operator], passing: Collection[str] = ()):
        self.path, self.sources, self.passing = path, sources, passing
        self.batches: list[Files] = self._noted()
        self.known = {file for batch in self.batches for own in batch.values() for file in own}

    def notice(self) -> bool:
        """Makes a batch of the files that are new; whether there are any."""
        new = {op.name: own for op in self.sources if (own := self._new(op))}
        if new:
            self._note(new)
            self.batches.append(new)
            self.known.update(file for own in new.values() for file in own)
        return bool(new)

    def arrived(self, batch: int) -> list[Arrived]:
        """The files of a batch."""
        places = {op.name: logged_places(op.kind.spec.path) for op in self.sources}
        return [Arrived(source, file, os.path.getsize(file), places[source].get(file, 0))
                for source, files in self.batches[batch].items() for file in files]

    def done(self, batch: int) -> None:
        """Of this batch nothing is read any more."""
        for source in self.passing:
            for file in self.batches[batch].get(source, ()):
                with suppress(FileNotFoundError):
                    os.unlink(file)

    def _new(self, op: Operator) -> list[str]:
        return [file for file in map(os.path.abspath, present(op)) if file not in self.known]

    def _note(self, files: Files) -> None:
        with failing("write"), open(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT,
                                            PRIVATE), "ab") as file:
            file.write(json.dumps(files).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _noted(self) -> list[Files]:
        """A last line without an end is of a batch that has not begun."""
        if not os.path.exists(self.path):
            return []
        with failing("read"), open(self.path, "r+b") as file:
            lines = file.read().split(b"\n")
            file.truncate(sum(len(line) + 1 for line in lines[:-1]))
        try:
            return [json.loads(line) for line in lines[:-1]]
        except ValueError:
            raise damaged(self.path) from None


def present(op: Operator) -> list[str]:
    """The files of a source, in the order of their names; there may be none for now."""
    try:
        return op.kind.spec.files()
    except NothingToRead:
        return []
