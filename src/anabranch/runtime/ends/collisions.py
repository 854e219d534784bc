"""What a run reads and what it writes lie apart; found before anything is opened.

A sink that is put where an input is destroys it, and one in a folder that is read will be read the
next time. Two sinks at one place lose what one of them wrote. Places are compared as the system
knows them: through links, relative or not, and by what standard input and output lead to.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import translate
from itertools import combinations

from anabranch.core.errors import UsageError
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.io.files import stores
from anabranch.io.files.locks import hidden_name
from anabranch.io.files.paths import NothingToRead, base_of, files_of, is_data, is_glob
from anabranch.io.files.sinks import is_folder
from anabranch.io.lateness import plain
from anabranch.io.stdio import StdinSource
from anabranch.ir.ends import STANDARD
from anabranch.ir.graph import Graph, Operator
from anabranch.runtime.options import RunOptions

STANDARD_INPUT = (STANDARD, "/dev/stdin")


@dataclass(frozen=True)
class Place:
    """Something that is read or written: who does it, and where. Of standard input and output it is
    the file that they lead to."""

    who: str
    path: str
    span: Span | None = None
    is_standard: bool = False

    @once
    def real(self) -> str:
        return os.path.realpath(self.path)

    @once
    def known(self) -> tuple[int, int] | None:
        """By which the system knows it, if it is there."""
        try:
            info = os.stat(self.path)
        except OSError:
            return None
        return info.st_dev, info.st_ino

    @once
    def is_folder(self) -> bool:
        return is_folder(self.path) or stores.is_folder(self.path)

    def is_same(self, other: Place) -> bool:
        return self.real == other.real or (self.known is not None and self.known == other.known)

    def holds(self, other: Place) -> bool:
        """Whether it is a folder around another place."""
        return self.is_folder and _is_inside(other.real, self.real)


def check_places(graph: Graph, options: RunOptions) -> None:
    """Refuses a run that would write what it reads, or one thing twice."""
    written = list(_written(graph, options))
    hidden = [unfinished for place in written for unfinished in _unfinished(place)]
    for one, other in combinations([*written, *hidden], 2):
        if one.is_standard and other.is_standard:
            continue
        if one.is_same(other) or one.holds(other) or other.holds(one):
            raise _twice(one, other)
    for op in graph.sources:
        read = list(_read(op))
        for place in written:
            if any(_destroys(place, own) for own in read) or _would_read(op, place):
                raise _reads_its_own(place, op)
        for place in hidden:
            if any(_destroys(place, own) for own in read):
                raise _reads_its_own(place, op)
    for place in written:
        if any(place.is_same(Place("", file)) for file in _programs(graph)):
            raise UsageError(f"{place.who} writes {place.path}, which is the program itself",
                             place.span, help="name another file")


def _twice(one: Place, other: Place) -> UsageError:
    what = f"two sinks write {other.path}" if one.is_same(other) else (
        f"one sink writes {one.path}, another one {other.path}")
    return UsageError(f"{what}: {one.who} and {other.who}", other.span,
                      help="give one of them another file", below=_other(one.who, one.span))


def _reads_its_own(place: Place, op: Operator) -> UsageError:
    verb = "writes into the folder" if place.is_folder else "writes the file"
    return UsageError(f"{place.who} {verb} that {op.name} reads", place.span, got=place.path,
                      help="name another folder" if place.is_folder else "name another file",
                      below=_other(op.name, op.span))


def _other(who: str, span: Span | None) -> str | None:
    """The second of two places of the program, beside the one that an error points at."""
    if span is None:
        return None
    where = f"{span.shown_file}:{span.line}:{span.column + 1}"
    return "\n".join([f"  and {who}", f"  --> {where}", *(f"  {line}" for line in span.excerpt())])


def _written(graph: Graph, options: RunOptions) -> Iterator[Place]:
    for op in graph.sinks:
        path = op.kind.spec.place
        if path == STANDARD:
            yield from _standard(op, sys.stdout)
        elif path is not None:
            yield from _unless_device(Place(op.name, path, op.span))
    policy, _, path = options.on_error.partition("=")
    if policy == "divert" and path:
        shown = os.path.join(path, "") if options.stream else path
        yield from _unless_device(Place("--on-error", shown))
    if options.report:
        yield Place("--report", options.report)
    if options.checkpoint:
        yield Place("--checkpoint", os.path.join(options.checkpoint, ""))


def _unfinished(place: Place) -> Iterator[Place]:
    """Where it lies until it is complete: what is there is taken for what an earlier run left."""
    if not place.is_standard and place.who != "--checkpoint":
        end = os.sep if place.is_folder else ""
        yield Place(place.who, hidden_name(place.real) + end, place.span)


def _read(op: Operator) -> Iterator[Place]:
    """The files of a source, and the folders that it reads."""
    if isinstance(plain(op.kind.spec), StdinSource):
        yield from _standard(op, sys.stdin)
        return
    extensions = op.kind.spec.extensions
    for path in op.kind.spec.paths:
        if path in STANDARD_INPUT:
            yield from _standard(op, sys.stdin)
        elif stores.exists(path) or is_glob(path):
            with suppress(NothingToRead):
                for file in files_of(path, extensions, op.span):
                    yield from _unless_device(Place(op.name, file, op.span))
        if stores.is_folder(path):
            yield Place(op.name, path, op.span)


def _standard(op: Operator, stream: object) -> Iterator[Place]:
    """The file to which a standard stream leads, if it is one."""
    try:
        number = stream.fileno()
        if stat.S_ISREG(os.fstat(number).st_mode):
            yield Place(op.name, f"/dev/fd/{number}", op.span, is_standard=True)
    except (AttributeError, OSError, ValueError):
        return


def _unless_device(place: Place) -> Iterator[Place]:
    """What is written to a device such as /dev/null is nobody's input."""
    if not (os.path.exists(place.path) and stat.S_ISCHR(os.stat(place.path).st_mode)):
        yield place


def _destroys(place: Place, read: Place) -> bool:
    """Whether something that is read would be replaced."""
    return place.is_same(read) or place.holds(read)


def _would_read(op: Operator, place: Place) -> bool:
    """Whether a source reads what is going to be written, in this run or the next one."""
    spec = op.kind.spec
    return not place.is_standard and any(
        _is_among(path, spec.extensions, place) for path in spec.paths
        if path not in STANDARD_INPUT)


def _is_among(path: str, extensions: tuple[str, ...], place: Place) -> bool:
    if place.who == "--checkpoint":
        return _is_inside(place.real, os.path.realpath(base_of(path)))
    file = os.path.join(place.real, f"part-00000{extensions[0]}") if place.is_folder else place.real
    if stores.is_folder(path):
        base = os.path.realpath(path)
        return (_is_inside(file, base) and is_data(base, file)
                and file.lower().endswith(extensions))
    return is_glob(path) and _matches(path, file)


def _matches(pattern: str, file: str) -> bool:
    """Whether a glob matches a file that need not be there.

    >>> _matches("/a/*/b?.csv", "/a/x/b1.csv"), _matches("/a/**/b.csv", "/a/b.csv")
    (True, True)
    """
    base = base_of(pattern)
    inner = os.path.relpath(os.path.abspath(pattern), os.path.abspath(base))
    own = os.path.relpath(file, os.path.realpath(base))
    return _steps_match(inner.split(os.sep), own.split(os.sep))


def _steps_match(pattern: list[str], steps: list[str]) -> bool:
    if not pattern:
        return not steps
    if pattern[0] == "**":
        return any(_steps_match(pattern[1:], steps[n:]) for n in range(len(steps) + 1))
    return bool(steps) and re.match(translate(pattern[0]), steps[0]) is not None and (
        _steps_match(pattern[1:], steps[1:]))


def _programs(graph: Graph) -> Iterable[str]:
    files = {op.span.file for op in graph if op.span is not None}
    return filter(os.path.isfile, files)


def _is_inside(path: str, folder: str) -> bool:
    return path != folder and os.path.commonpath([path, folder]) == folder
