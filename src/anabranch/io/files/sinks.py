"""Files as sinks: a file, or a folder of part files, that appears whole or not at all.

A sink whose path ends in a slash is such a folder. Each part can be read alone; in the order of
their names they are the sequence.

>>> part_name(7, ".csv")
'part-00007.csv'
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from typing import ClassVar

from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span, shown_path
from anabranch.io.files.locks import hidden_name, locked_folder, unlock
from anabranch.io.files.output import WholeFile, cannot_write, new_file_permissions
from anabranch.io.files.packing import codec_of
from anabranch.io.files.stores import is_remote, plain
from anabranch.io.files.uploads import UploadedFile, UploadedPart
from anabranch.io.writer import Writer
from anabranch.ir.ends import SinkSpec
from anabranch.ir.types import Type

_PART = re.compile(r"part-\d{5}(\.\w+)+")


def part_name(number: int, extension: str) -> str:
    return f"part-{number:05}{extension}"


def is_folder(path: str) -> bool:
    """Whether the name of a sink asks for a folder of part files."""
    return path.endswith(("/", os.sep))


class WholeFolder:
    """A folder that is filled beside its final place and put there by `commit`.

    Several processes may fill it. A folder of earlier part files is replaced; any other stays.
    """

    def __init__(self, path: str, where: Span | None = None):
        self.path, self.where = path, where
        self.target = os.path.realpath(path)
        self._check()
        self.temporary = hidden_name(self.target)
        self.before = f"{self.temporary}.before"
        try:
            self.lock: int | None = locked_folder(self.temporary, self.path, self.where)
            self._recover()
        except OSError as error:
            raise self._failure(error) from error

    def _recover(self) -> None:
        """Puts right what a run has left that was killed."""
        for name in os.listdir(self.temporary):
            path = os.path.join(self.temporary, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        if os.path.isdir(self.before):
            if os.path.exists(self.target):
                shutil.rmtree(self.before)
            else:
                os.rename(self.before, self.target)

    def _check(self) -> None:
        parent = os.path.dirname(self.target)
        if not os.path.isdir(parent):
            raise cannot_write(self.path, f"there is no folder '{parent}'", self.where,
                               "create the folder first")
        if os.path.exists(self.target) and not os.path.isdir(self.target):
            raise cannot_write(self.path, "it is a file", self.where, "name another folder")
        if not os.access(parent, os.W_OK):
            raise cannot_write(self.path, "permission denied", self.where)
        self._check_parts(self.target)

    def _check_parts(self, folder: str) -> None:
        others = [name for name in self._names(folder) if not _PART.fullmatch(name)]
        if others:
            raise cannot_write(self.path, f"it holds other files, such as '{others[0]}'",
                               self.where, "name a new folder, or one with part files only")

    @staticmethod
    def _names(folder: str) -> list[str]:
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    @property
    def parts(self) -> list[str]:
        """The names of the parts that are there so far."""
        return [name for name in self._names(self.temporary) if _PART.fullmatch(name)]

    def commit(self) -> None:
        """Puts the folder in place of the one before; what is not a whole part is left out."""
        try:
            for name in set(os.listdir(self.temporary)) - set(self.parts):
                os.unlink(os.path.join(self.temporary, name))
            # Like any new folder: who may read a file may look into its folder.
            permissions = new_file_permissions()
            os.chmod(self.temporary, permissions | 0o300 | (permissions & 0o444) >> 2)
            self._replace()
        except OSError as error:
            self.abort()
            raise self._failure(error) from error
        except AnabranchError:
            self.abort()
            raise

    def _replace(self) -> None:
        if os.path.isdir(self.target):
            os.rename(self.target, self.before)
            # Somebody may have put a file there since the run began.
            self._check_parts(self.before)
        os.rename(self.temporary, self.target)
        shutil.rmtree(self.before, ignore_errors=True)
        self._unlock()

    def abort(self) -> None:
        """Leaves no trace; does nothing after `commit`."""
        if self.lock is None:
            return
        if os.path.isdir(self.before) and not os.path.exists(self.target):
            os.rename(self.before, self.target)
        shutil.rmtree(self.temporary, ignore_errors=True)
        self._unlock()

    def _unlock(self) -> None:
        if self.lock is not None:
            unlock(self.lock)
            self.lock = None

    def _failure(self, error: OSError):
        return cannot_write(self.path, error.strerror or str(error), self.where)


class OnlyPart(WholeFile):
    """The one part of a folder that is written by one process."""

    def __init__(self, path: str, extension: str, where: Span | None = None,
                 codec: str | None = None):
        self.folder = WholeFolder(path, where)
        try:
            super().__init__(os.path.join(self.folder.temporary, part_name(0, extension)), where,
                             private=True, codec=codec)
        except BaseException:
            self.folder.abort()
            raise
        # Messages name the folder that the user knows.
        self.path = path

    def commit(self) -> None:
        super().commit()
        self.folder.commit()

    def abort(self) -> None:
        super().abort()
        self.folder.abort()


@dataclass(frozen=True)
class FileSink(SinkSpec):
    """A file that appears whole when its writer commits; a folder of part files if its path ends
    in a slash. Of a format of texts its name may say how it is compressed, as `a.csv.gz` does."""

    format: ClassVar[str]
    writer: ClassVar[type[Writer]]
    is_text: ClassVar[bool] = True
    path: str
    span: Span | None = field(default=None, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "path", plain(os.fspath(self.path), self.span))

    @property
    def shown(self) -> str:
        return f"{self.format} {shown_path(self.path)}"

    @property
    def place(self) -> str:
        return self.path

    @property
    def in_parts(self) -> bool:
        return is_folder(self.path)

    @property
    def extension(self) -> str:
        packed = os.path.splitext(self.path.rstrip("/"))[1].lower() if self.codec else ""
        return f".{self.format}{packed}"

    @property
    def codec(self) -> str | None:
        """How what is written is packed."""
        return codec_of(self.path) if self.is_text else None

    def open(self, item_type: Type) -> Writer:
        """A writer, once it is sure that a file can be written there."""
        if is_remote(self.path):
            out = (UploadedPart(self.path, self.extension, self.span, self.codec) if self.in_parts
                   else UploadedFile(self.path, self.span, self.codec))
        elif self.in_parts:
            out = OnlyPart(self.path, self.extension, self.span, self.codec)
        else:
            out = WholeFile(self.path, self.span, codec=self.codec)
        return self._writer(out, item_type)

    def open_part(self, path: str, item_type: Type) -> Writer:
        """A writer of one part file, in a folder that nobody else writes."""
        return self._writer(WholeFile(path, self.span, private=True, codec=self.codec),
                            item_type)

    def _writer(self, out: WholeFile, item_type: Type) -> Writer:
        try:
            return self.writer(out, item_type, self.span)
        except BaseException:
            out.abort()
            raise
