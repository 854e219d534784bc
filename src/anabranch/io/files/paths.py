"""The files that a path names: a file, a folder's files, or a glob, in their order.

A folder is read as Spark reads it. Names that begin with `_` or `.` are left out; folders of the
form key=value are looked into; where Spark's streams have left a log of what they wrote, the files
that it lists are read, and no others. A file that is named itself is read whatever it is called.

The order is that of the names, in which the number of a part file and a number behind key= count as
numbers: part-2 comes before part-10, and both before any part-10-b.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import BinaryIO
from urllib.parse import unquote, urlparse

from anabranch.core.errors import RunError, UsageError, did_you_mean
from anabranch.core.source import Span
from anabranch.io.files.stores import (
    entries,
    exists,
    is_file,
    is_folder,
    is_remote,
    names_in,
    opened_bytes,
)

LOG = "_spark_metadata"
MANIFEST = "_anabranch_manifest"
"""The list of the files of a folder that was written where nothing can be renamed."""

COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate", ".xz")
_NUMBER = re.compile(r"^(part-|[^=]+=)(\d+)")
_HIDDEN = ("_", ".")


class MissingInput(RunError):
    """A file that is not there: the command is wrong, or what it stands in."""

    exit_code = UsageError.exit_code


class NothingToRead(MissingInput):
    """A folder or a glob without any file."""


def files_of(path: str, extensions: tuple[str, ...], where: Span | None = None) -> list[str]:
    """The files in their order; an error when there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("part-10.csv", "part-9.csv", "_tmp.csv", "notes.txt"):
    ...         _ = open(os.path.join(folder, name), "w").close()
    ...     [os.path.basename(file) for file in files_of(folder, (".csv",))]
    ['part-9.csv', 'part-10.csv']
    """
    if is_folder(path):
        found = _folder_files(path, extensions, where)
    elif exists(path):
        found = [path]
    elif is_glob(path):
        found = _glob_files(path, extensions, where)
    else:
        raise MissingInput(f"there is no file '{path}'", where, help=_suggestion(path))
    if not found:
        raise NothingToRead(f"there is nothing to read at '{path}'", where,
                            expected="a file name that matches" if is_glob(path)
                            else f"files named *{' or *'.join(_plain(extensions))}",
                            help=_suggestion(path) if is_glob(path) else _contents(path))
    return found


def is_glob(path: str) -> bool:
    return any(character in path for character in "*?[")


def in_order(file: str) -> tuple[str, ...]:
    """By which files are put in order.

    >>> sorted(["part-10.csv", "part-9.csv", "m=10/a.csv", "m=9/b.csv"], key=in_order)
    ['m=9/b.csv', 'm=10/a.csv', 'part-9.csv', 'part-10.csv']
    """
    return tuple(_NUMBER.sub(lambda found: f"{found[1]}{found[2]:0>20}", name)
                 for name in file.split(os.sep))


def logged_places(path: str) -> dict[str, int]:
    """The places of files, by their full names, in the log that a stream of Spark's has left in
    their folder; empty where there is none."""
    if not is_folder(os.path.join(path, LOG)):
        return {}
    return {os.path.abspath(file): n for n, file in enumerate(_logged(path, None))}


def base_of(path: str) -> str:
    """The folder in which a path begins: sub-folders key=value below it give fields.

    >>> base_of("trades/date=*/*.csv"), base_of("*.csv")
    ('trades', '.')
    """
    while is_glob(path) and (is_remote(path) or not os.path.exists(path)):
        path = os.path.dirname(path)
    return path or "."


def folder_keys(base: str, file: str) -> list[str] | None:
    """The folders key=value that lead from a base to a file; None where others do.

    >>> folder_keys("trades", "trades/date=2026-01-01/hour=9/a.csv")
    ['date=2026-01-01', 'hour=9']
    """
    inner = os.path.relpath(os.path.dirname(os.path.abspath(file)), os.path.abspath(base))
    steps = [] if inner == os.curdir else inner.split(os.sep)
    return steps if all(map(_is_key, steps)) else None


def one_of_each_folder(files: Iterable[str]) -> list[str]:
    """The first file of each folder that files are in, in their order.

    >>> one_of_each_folder(["a=1/x.csv", "a=1/y.csv", "a=2/x.csv"])
    ['a=1/x.csv', 'a=2/x.csv']
    """
    found: dict[str, str] = {}
    for file in files:
        found.setdefault(os.path.dirname(file), file)
    return list(found.values())


def is_data(base: str, file: str) -> bool:
    """Whether a file in a folder, or below it, is one that is read."""
    return (not os.path.basename(file).startswith(_HIDDEN)
            and folder_keys(base, file) is not None)


@contextmanager
def opened(file: str, where: Span | None = None) -> Iterator[BinaryIO]:
    """The bytes of a file; a failure to open or read it is an error that names it."""
    try:
        with opened_bytes(file) as stream:
            yield stream
    except OSError as error:
        raise cannot_read(file, error, where) from error


def cannot_read(file: str, error: OSError, where: Span | None) -> RunError:
    return RunError(f"cannot read '{file}': {error.strerror or error}", where)


def _is_key(name: str) -> bool:
    """Whether a folder is called key=value. Spark reads `_x=1` too.

    >>> [_is_key(name) for name in ("a=1", "_a=1", "=1", ".a=1", "a")]
    [True, True, False, False, False]
    """
    return name.find("=") > 0 and not name.startswith(".")


def _folder_files(folder: str, extensions: tuple[str, ...], where: Span | None) -> list[str]:
    if is_folder(os.path.join(folder, LOG)):
        return _logged(folder, where)
    if is_file(os.path.join(folder, MANIFEST)):
        return _manifested(folder, where)
    found = _sorted(_below(folder, extensions, where))
    _check_alike(folder, found, where)
    return found


def _sorted(files: Iterable[str]) -> list[str]:
    """The files in their order; what their folders are called is looked at once for each."""
    folder_of = lru_cache(maxsize=None)(in_order)

    def place(file: str) -> tuple[str, ...]:
        folder, slash, name = file.rpartition(os.sep)
        return (*folder_of(folder), *in_order(name)) if slash else in_order(name)
    return sorted(files, key=place)


def _below(folder: str, extensions: tuple[str, ...], where: Span | None) -> list[str]:
    """The files in a folder, and in those in it that are called key=value."""
    try:
        there = entries(folder)
    except OSError as error:
        raise cannot_read(folder, error, where) from error
    found = []
    for name, a_file, a_folder in there:
        path = os.path.join(folder, name)
        if a_folder and _is_key(name):
            found += _below(path, extensions, where)
        elif a_file and not name.startswith(_HIDDEN):
            _refuse_compressed(path, extensions, where)
            found += [path] if name.lower().endswith(extensions) else []
    return found


def _refuse_compressed(path: str, extensions: tuple[str, ...], where: Span | None) -> None:
    """Left out silently, rows would be missing."""
    bare, last = os.path.splitext(path.lower())
    known = path.lower().endswith(extensions) or "" in extensions
    if last in COMPRESSED and bare.endswith(extensions) and not known:
        read = sorted({last for last in map(_last, extensions) if last in COMPRESSED})
        raise RunError(f"cannot read '{path}': files compressed like this are not read", where,
                       expected=f"a name that ends in {', '.join(read)}" if read else None,
                       help="unpack it first")


def _last(extension: str) -> str:
    return f".{extension.rpartition('.')[2]}"


def _plain(extensions: tuple[str, ...]) -> list[str]:
    """Those of files that are not compressed."""
    return [e for e in extensions if _last(e) not in COMPRESSED]


def _check_alike(folder: str, files: list[str], where: Span | None) -> None:
    """All files have the same keys, or a field would be there for some of them only."""
    seen: dict[tuple[str, ...], str] = {}
    for file in one_of_each_folder(files):
        steps = folder_keys(folder, file) or []
        seen.setdefault(tuple(step.partition("=")[0] for step in steps), file)
    if len(seen) > 1:
        (some, one), (others, other) = list(seen.items())[:2]
        raise RunError(f"the files in '{folder}' are not in folders of the same keys", where,
                       expected=f"{_keys(some)}, as for {one}", got=f"{_keys(others)}: {other}",
                       help="read one of the folders alone, or move the files")


def _keys(names: tuple[str, ...]) -> str:
    return "/".join(f"{name}=..." for name in names) or "no folders key=value"


def _glob_files(pattern: str, extensions: tuple[str, ...], where: Span | None) -> list[str]:
    """The files that match, and those of folders key=value that do."""
    wanted = tuple(c for c in _HIDDEN if any(p.startswith(c) for p in pattern.split(os.sep)))
    found = []
    for path, a_file in _matching(pattern, where):
        inner = os.path.relpath(path, base_of(pattern)).split(os.sep)
        if any(n.startswith(_HIDDEN) and not n.startswith((*wanted, "..")) and not _is_key(n)
               for n in inner):
            continue
        if a_file:
            found.append(path)
        elif _is_key(os.path.basename(path.rstrip(os.sep))) and "**" not in pattern:
            found += _below(path, extensions, where)
    return _sorted(dict.fromkeys(found))


def _matching(pattern: str, where: Span | None) -> list[tuple[str, bool]]:
    """What a glob matches, and whether it is a file."""
    if not is_remote(pattern):
        return [(path, is_file(path)) for path in glob.glob(pattern, recursive=True)]
    base = base_of(pattern)
    found = [(base, not is_folder(base))]
    try:
        for step in pattern.removeprefix(base).strip("/").split("/"):
            found = [one for folder, a_file in found if not a_file
                     for one in _one_step(folder, step)]
        return found
    except OSError as error:
        raise cannot_read(pattern, error, where) from error


def _one_step(folder: str, step: str) -> Iterator[tuple[str, bool]]:
    """What a part of a glob leads to from a folder of a store."""
    if step == "**":
        yield folder, False
    for name, a_file, a_folder in entries(folder):
        path = f"{folder}/{name}"
        if name.startswith(".") and not step.startswith("."):
            continue
        if step == "**" and a_folder:
            yield from _one_step(path, step)
        elif (step == "**" or fnmatchcase(name, step)) and (a_file or a_folder):
            yield path, a_file


def _manifested(folder: str, where: Span | None) -> list[str]:
    """The files that the last run has put there. What one that failed has left is not among them.
    """
    path = os.path.join(folder, MANIFEST)
    try:
        with opened(path, where) as stream:
            names = json.loads(stream.read())["files"]
        return [os.path.join(folder, os.path.basename(name)) for name in names]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"cannot read '{path}', the list of the files of its folder", where,
                       help="remove it to read the files that are there") from error


def _logged(folder: str, where: Span | None) -> list[str]:
    """The files that a stream of Spark's has written, in the order in which its log lists them.
    What a batch that failed has left is not among them."""
    log = os.path.join(folder, LOG)
    entries = [(int(match[1]), bool(match[2]), match[0])
               for match in filter(None, (re.fullmatch(r"(\d+)(\.compact)?", name)
                                          for name in names_in(log)))]
    last = max((number for number, compact, _ in entries if compact), default=-1)
    files: list[str] = []
    for number, compact, name in sorted(entries):
        if number > last or (number == last and compact):
            files += _log_entry(folder, os.path.join(log, name), where)
    for file in files:
        if not is_file(file):
            raise RunError(f"there is no file '{file}', which the log of the folder lists", where,
                           help=f"remove '{log}' to read the files that are there")
    return list(dict.fromkeys(files))


def _log_entry(folder: str, path: str, where: Span | None) -> list[str]:
    try:
        with opened(path, where) as stream:
            version, *lines = stream.read().decode().splitlines()
        if version != "v1":
            raise ValueError(version)
        files = [json.loads(line) for line in lines]
        return [_moved(folder, file["path"]) for file in files if file["action"] == "add"]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"cannot read '{path}', the log of what a stream has written", where,
                       help=f"remove '{os.path.dirname(path)}' to read the files that are "
                            "there") from error


def _moved(folder: str, address: str) -> str:
    """Where a file is that a log names by its address; the folder may have been moved since."""
    *above, name = unquote(urlparse(address).path).split("/")
    steps = [name]
    while above and _is_key(above[-1]):
        steps.insert(0, above.pop())
    return os.path.join(folder, *steps)


def _suggestion(path: str) -> str | None:
    """A close name in the same folder; if the folder itself is missing, a close folder."""
    folder, name = os.path.split(path.rstrip(os.sep))
    if is_remote(path):
        return None
    if folder and not os.path.isdir(folder):
        hint = None if is_glob(folder) else _suggestion(folder)
        return f"there is no folder '{folder}'{f'; {hint}' if hint else ''}"
    names = _names(folder)
    hint = did_you_mean(name, names[:1000])
    return hint if len(names) <= 10 or (hint or "").startswith("did you mean") else None


def _contents(folder: str) -> str:
    names = _names(folder)
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"it holds {', '.join(names[:10])}{more}" if names else "the folder is empty"


def _names(folder: str) -> list[str]:
    try:
        return sorted(names_in(folder or "."))
    except OSError:
        return []
