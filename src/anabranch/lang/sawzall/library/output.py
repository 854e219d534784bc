"""What happens to an emitted value, and where text goes: streams, files, commands.

A value is printed as it comes, written to a stream, or folded. Text goes to the standard streams as
it comes, to files, or to a command of the shell: `proc("sort -u")`.

Where the text of a table goes: to a file, or to a command of the shell.

The program writes down the pattern of the place; values from the records that are put into it may
name a file in a folder, or be a word of a command, and nothing else. Otherwise a line of the input
could choose any file, or be run as a command.

>>> file_of("a7.txt", "a7"), command_of("sort -k 2", 2)
('a7.txt', Command(line='sort -k 2'))
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, NamedTuple

from anabranch.core.errors import RunError
from anabranch.core.source import Span, shown_path
from anabranch.io.files.output import StandardOutput, WholeFile
from anabranch.ir.ends import STANDARD, ItemWriter, SinkSpec
from anabranch.ir.types import Type
from anabranch.lang.sawzall.library.emissions import STDERR, STDOUT, Output, Run
from anabranch.lang.sawzall.library.folds import Fold
from anabranch.lang.sawzall.library.values import Show, Stopped

Emitter = Callable[[Run, Sequence, object, object], None]
STREAMS = {"/dev/stdout": STDOUT, "/dev/stderr": STDERR}


def prints(name: str, keys: list[Show], value: Show, weight: Show | None) -> Emitter:
    """An emitter that prints `emit NAME[k] <- value weight w;`."""
    def emit(run, key, given, heavy):
        index = "".join(f"[{show(k)}]" for show, k in zip(keys, key))
        after = "" if weight is None else f" weight {weight(heavy)}"
        run.show(STDOUT, f"emit {name}{index} <- {value(given)}{after};\n")
    return emit


def folds(number: int, fold: type[Fold], size: int | None) -> Emitter:
    """An emitter that folds what comes for each key; `repeat` takes what comes many times."""
    def emit(run, key, given, heavy):
        run.fold_at(number, key, made).add(given, heavy)

    def repeat(run, key, given, heavy, count):
        run.fold_at(number, key, made).repeat(given, heavy, count)
    made, emit.repeat, emit.size = partial(fold, size), repeat, size
    emit.known = lambda run: run.folds.get((number, ())) or made()
    return emit


def gathers(number: int, fold: type[Fold], size: int | None) -> Emitter:
    """An emitter that counts how often the same comes, and lets that be folded at the end of a
    block; `repeat` takes what has been counted already."""
    def emit(run, key, given, heavy):
        gathered = run.gathered.get(number)
        if gathered is None:
            gathered = run.gathered[number] = emit.repeat, {}
        seen, place = gathered[1], (key, given, heavy)
        seen[place] = seen.get(place, 0) + 1

    emit.repeat = folds(number, fold, size).repeat
    return emit


def counts(number: int) -> Emitter:
    """An emitter that adds up integers."""
    def emit(run, key, given, heavy):
        sums = run.sums[number]
        sums[key] = sums.get(key, 0) + given
    return emit


def writes(run: Run, path: str | Command, given: object) -> None:
    """Puts a value into a file, on a stream, or into a command; it is what the program says, with
    no line end."""
    text = given if isinstance(given, str) else given.decode(errors="surrogateescape")
    run.show(STREAMS.get(path, path), text)


def line_to(stream: int) -> Emitter:
    """An emitter of plain lines, for `stdout` and `stderr`."""
    def emit(run, key, given, heavy):
        run.show(stream, f"{given}\n")
    return emit


def raw_to(stream: int) -> Emitter:
    """An emitter of bytes as they are, for `output`."""
    def emit(run, key, given, heavy):
        run.show(stream, given.decode(errors="surrogateescape"))
    return emit


@dataclass(frozen=True)
class Streams(SinkSpec):
    """Standard output, or a file in its place, and standard error."""

    span: Span | None = field(default=None, compare=False)
    path: str | None = None
    format: ClassVar[str] = "text"

    @property
    def shown(self) -> str:
        return f"text to {'standard output' if self.path is None else shown_path(self.path)}"

    @property
    def place(self) -> str:
        return self.path or STANDARD

    def at(self, path: str) -> Streams:
        """The same text in a file; `-` is standard output."""
        return replace(self, path=None if path == STANDARD else path)

    def open(self, item_type: Type) -> OutputWriter:
        return OutputWriter(StandardOutput(self.span) if self.path is None else
                      WholeFile(self.path, self.span))


class OutputWriter(ItemWriter):
    """Writes what arrives; a failure of the program arrives like that too, in its turn. The files
    of tables appear at the end, whole, and the commands of tables run then."""

    def __init__(self, out: StandardOutput | WholeFile):
        self.out, self.files = out, {}
        self.appears_whole = out.appears_whole

    def commit(self) -> None:
        for each in (self.out, *self.files.values()):
            each.commit()

    def abort(self) -> None:
        for each in (self.out, *self.files.values()):
            each.abort()

    def write(self, item: Output) -> None:
        if isinstance(item.value, BaseException):
            raise item.value
        if item.key == STDERR:
            sys.stderr.write(item.value)
        elif isinstance(item.key, (str, Command)):
            self._file(item.key).write_bytes(_bytes(item.value))
        elif isinstance(self.out, WholeFile):
            self.out.write_bytes(_bytes(item.value))
        elif item.value.isascii() or not self._wrote_bytes(item.value):
            self.out.write(item.value)

    def _file(self, place: str | Command) -> WholeFile | CommandProcess:
        if place not in self.files:
            made = CommandProcess if isinstance(place, Command) else WholeFile
            self.files[place] = made(place, self.out.where)
        return self.files[place]

    def _wrote_bytes(self, text: str) -> bool:
        """Writes text that stands for bytes as these bytes; False if it is plain text, or if
        standard output takes only text."""
        buffer = getattr(self.out.stream, "buffer", None)
        try:
            text.encode()
            return False
        except UnicodeEncodeError:
            if buffer is None:
                return False
        self.out.stream.flush()
        buffer.write(_bytes(text))
        return True


HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def _bytes(text: str) -> bytes:
    """What was read as bytes is those bytes again; half a character is a question mark."""
    return HALVES.sub("?", text).encode(errors="surrogateescape")


NAME, WORD = re.compile(r"(?!\.)[^/\0]*"), re.compile(r"(?!-)[\w@%+=:,./-]*", re.ASCII)


class Command(NamedTuple):
    """Where a text goes: to the standard input of this command."""

    line: str


def file_of(path: str, *values: object) -> str:
    """The path, unless one of the values in it could lead to another folder."""
    if path not in STREAMS:
        _check(NAME, values, "a name in a folder", "a file's name")
    return path


def command_of(line: str, *values: object) -> Command:
    """The command, unless the shell could take one of the values in it for more than a word."""
    _check(WORD, values, "a word of letters, digits and _@%+=:,./-", "a command")
    return Command(line)


def _check(pattern: re.Pattern, values: tuple, expected: str, use: str) -> None:
    for value in values:
        text = value.decode(errors="surrogateescape") if isinstance(value, bytes) else value
        if not isinstance(text, (int, float)) and not (
                isinstance(text, str) and pattern.fullmatch(text)):
            raise Stopped(f"a value from the input cannot be a part of {use}", expected=expected,
                          got=repr(value))


class CommandProcess:
    """A command that is given all its text when the program has ended well; before, nothing runs.
    """

    def __init__(self, command: Command, where: Span | None = None):
        self.line, self.where = command.line, where
        self.text = tempfile.TemporaryFile()  # noqa: SIM115 (open until the program has ended)

    def write_bytes(self, data: bytes) -> None:
        self.text.write(data)

    def commit(self) -> None:
        """Runs the command; what it writes comes on our own standard output."""
        self.text.seek(0)
        status = subprocess.run(["/bin/sh", "-c", self.line], stdin=self.text).returncode
        self.abort()
        if status:
            raise RunError(f"the command '{self.line}' ended with {status}", self.where)

    def abort(self) -> None:
        self.text.close()
