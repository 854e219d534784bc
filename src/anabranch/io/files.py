"""What all file sources and all file sinks have in common."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from anabranch.io.badrows import BadRows
from anabranch.io.folders import OnlyPart, is_folder
from anabranch.io.output import WholeFile
from anabranch.io.partitions import fixed_fields
from anabranch.io.paths import base_of, files_of, opened
from anabranch.io.rows import TimeOrder, check_time
from anabranch.io.writer import Writer
from anabranch.ir.types import Type
from anabranch.source import Span, shown_path


@dataclass(frozen=True)
class FileSource:
    """Items from a file, from a folder's files, or from the files of a glob, in their order.

    Folders key=value below `base`, which is where the path begins, may give fields.
    """

    format: ClassVar[str]
    extensions: ClassVar[tuple[str, ...]]
    path: str
    type: Type
    time: str | None = None
    span: Span | None = field(default=None, compare=False)
    base: str | None = None

    def __post_init__(self):
        object.__setattr__(self, "path", os.fspath(self.path))
        check_time(self.type, self.time, self.span)

    def __str__(self) -> str:
        return self.shown

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
        return any(map(self.fixed, self.files()))

    def items(self, rows: BadRows) -> Iterator[object]:
        order = TimeOrder(self.time)
        for file in self.files():
            with opened(file, self.span) as stream:
                yield from self.read(stream, file, order, rows)

    def read(self, stream, file: str, order: TimeOrder, rows: BadRows) -> Iterator[object]:
        """The items of one open file; every format has its own."""
        raise NotImplementedError


@dataclass(frozen=True)
class FileSink:
    """A file that appears whole when its writer commits; a folder of part files if its path ends
    in a slash."""

    format: ClassVar[str]
    writer: ClassVar[type[Writer]]
    path: str
    span: Span | None = field(default=None, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "path", os.fspath(self.path))

    def __str__(self) -> str:
        return self.shown

    @property
    def shown(self) -> str:
        return f"{self.format} {shown_path(self.path)}"

    @property
    def in_parts(self) -> bool:
        return is_folder(self.path)

    @property
    def extension(self) -> str:
        return f".{self.format}"

    def open(self, item_type: Type) -> Writer:
        """A writer, once it is sure that a file can be written there."""
        return self._writer(OnlyPart(self.path, self.extension, self.span) if self.in_parts else
                            WholeFile(self.path, self.span), item_type)

    def open_part(self, path: str, item_type: Type) -> Writer:
        """A writer of one part file, in a folder that nobody else writes."""
        return self._writer(WholeFile(path, self.span, private=True), item_type)

    def _writer(self, out: WholeFile, item_type: Type) -> Writer:
        try:
            return self.writer(out, item_type, self.span)
        except BaseException:
            out.abort()
            raise
