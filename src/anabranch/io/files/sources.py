"""Files as sources: their items in order, and the fields that their folders give.

`date=2026-01-01/part-0.csv` is of that date. Only what the items have a field for is looked at. A
value there counts more than one in the file, as with Spark.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import ClassVar
from urllib.parse import unquote

from anabranch.core.errors import AnabranchError, DataError
from anabranch.core.source import Span, shown_path
from anabranch.io.columns import columns_of, item_of
from anabranch.io.files.packing import codec_of, opened_text
from anabranch.io.files.paths import base_of, files_of, folder_keys, one_of_each_folder
from anabranch.io.files.stores import is_remote, plain
from anabranch.io.rows import BadRows, TimeOrder, check_time
from anabranch.io.values.codecs import text_decoder
from anabranch.io.values.scalars import BadValue
from anabranch.ir.ends import SourceSpec
from anabranch.ir.types import AnyOf, OptionalOf, RecordOf, Type

NOTHING = "__HIVE_DEFAULT_PARTITION__"

Fixed = Mapping[str, object]
"""Fields whose values are known before a file is read."""

NONE: Fixed = {}


def fixed_fields(base: str, file: str, item: Type) -> dict[str, object]:
    """What the folders between a base and a file say of every item in it."""
    steps = folder_keys(base, file) or []
    kinds = columns_of(item) if isinstance(item, RecordOf) else {}
    given = dict(step.split("=", 1) for step in steps)
    return {name: _value(text, kinds[name], name, file)
            for name, text in given.items() if name in kinds}


def _value(text: str, kind: Type, name: str, file: str) -> object:
    if text == NOTHING:
        # As a cell, nothing would be an empty text; of a folder it never is.
        if isinstance(kind, (OptionalOf, AnyOf)):
            return None
        raise DataError(f"the folder {name}={text} does not give '{name}'", file,
                        expected=str(kind), got="nothing",
                        help=f"give '{name}' the type {kind} | None")
    try:
        return text_decoder(kind)(unquote(text))
    except BadValue as bad:
        raise DataError(f"the folder {name}={text} does not give '{name}'", file,
                        expected=bad.expected, got=bad.got,
                        help=f"give '{name}' another type, or another name") from None


def estimated(count: Callable[[str], int], files: Iterable[str]) -> int:
    """About how many rows files have. One that cannot be read counts for none: who reads it says
    what is wrong, in its turn."""
    return sum(_estimate(count, file) for file in files)


def _estimate(count: Callable[[str], int], file: str) -> int:
    with suppress(AnabranchError, OSError):
        return count(file)
    return 0


def read_columns(item: Type, fixed: Fixed) -> dict[str, Type]:
    """The columns that a file has to have."""
    return {name: kind for name, kind in columns_of(item).items() if name not in fixed}


def maker(item: Type, fixed: Fixed) -> Callable[[list], object]:
    """Makes an item of the values of the columns that were read."""
    make = item_of(item)
    if not fixed:
        return make
    columns = columns_of(item)

    def made(values: list) -> object:
        coming = iter(values)
        return make([fixed[name] if name in fixed else next(coming) for name in columns])
    return made


@dataclass(frozen=True)
class FileSource(SourceSpec):
    """Items from a file, from a folder's files, or from the files of a glob, in their order.

    Folders key=value below `base`, which is where the path begins, may give fields. Columns are
    decoded `in_threads`. A format that `is_divisible` says in `io.splits` how its parts are read.
    """

    in_threads: ClassVar[bool] = True
    format: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]]
    is_text: ClassVar[bool] = True
    is_divisible: ClassVar[bool] = False
    path: str
    type: Type
    time: str | None = None
    span: Span | None = field(default=None, compare=False)
    base: str | None = None

    def __post_init__(self):
        object.__setattr__(self, "path", plain(os.fspath(self.path), self.span))
        check_time(self.type, self.time, self.span)

    @property
    def shown(self) -> str:
        return f"{self.format} {shown_path(self.path)}"

    @property
    def replayable(self) -> bool:
        """Whether it can be read again: all but a pipe."""
        return not (os.path.exists(self.path) and stat.S_ISFIFO(os.stat(self.path).st_mode))

    @property
    def live(self) -> bool:
        return not self.replayable

    @property
    def paths(self) -> tuple[str]:
        return (self.path,)

    def files(self) -> list[str]:
        return files_of(self.path, self.extensions, self.span)

    def only(self, file: str) -> FileSource:
        """One of its files."""
        return replace(self, path=file, base=self.base or base_of(self.path))

    def fixed(self, file: str) -> dict[str, object]:
        """The fields that the folders of a file give."""
        return fixed_fields(self.base or base_of(self.path), file, self.type)

    @property
    def has_fixed(self) -> bool:
        """Whether some fields are not in the files."""
        return any(map(self.fixed, one_of_each_folder(self.files())))

    def items(self, rows: BadRows) -> Iterator[object]:
        order = TimeOrder(self.time)
        for file in self.files():
            with opened_text(file, self.span) as stream:
                yield from self.read(stream, file, order, rows)

    def read(self, stream, file: str, order: TimeOrder, rows: BadRows,
             fixed: Fixed | None = None) -> Iterator[object]:
        """The items of one open file, whose folders give the `fixed` fields; every format has its
        own."""
        raise NotImplementedError

    @property
    def is_plain(self) -> bool:
        """Whether the bytes of its texts tell where rows begin."""
        return True

    def can_be_split(self, file: str) -> bool:
        """Whether parts of a file can be read by themselves, and in columns."""
        return self.is_divisible and (not self.is_text or (
            self.is_plain and codec_of(file) is None and not is_remote(file)))

    def why_whole(self) -> str | None:
        """Why one worker reads a file from its beginning; None if parts are read."""
        if not self.is_plain:
            return "its quotes or its encoding are of its own, so one worker reads a file"
        with suppress(AnabranchError):
            files = self.files()
            if any(map(codec_of, files)) and self.is_text:
                return "a compressed file is read by one worker"
            if not all(map(self.can_be_split, files)):
                return "one worker reads a file of a store" if any(map(is_remote, files)) else (
                    "one worker reads a file")
        return None

    def are_here(self) -> bool:
        """Whether all its files are of this machine."""
        return not any(map(is_remote, self.files()))
