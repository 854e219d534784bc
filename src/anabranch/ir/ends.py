"""What sources and sinks are: all that anybody asks of them.

A source derives from `SourceSpec`, a sink from `SinkSpec`, and what a sink opens from `ItemWriter`.
Each says what it can do beside that. What it does not say is as for one that can do nothing more.

>>> from anabranch.ir.types import INT
>>> class Digits(SourceSpec):
...     format, type, replayable, shown = None, INT, True, "digits"
...     def items(self, rows):
...         return range(10)
>>> Digits().rows_about() is None, Digits().has_batches(), str(Digits())
(True, False, 'digits')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import Type

ANY_EXTENSION = ("",)
STANDARD = "-"
"""The path of standard input and output."""


class SourceSpec:
    """Where items come from. `items` starts anew at each call and reports bad rows to `rows`."""

    type: Type
    format: str | None
    """The name of its format, by which another path is read; None for what is no file."""
    shown: str
    """What `explain` calls it."""
    time: str | None = None
    span: Span | None = None
    replayable: bool = False
    """Whether it can be read again, and from any position."""
    live: bool = False
    """Whether items may come while the program runs."""
    endless: bool = False
    """Whether it is known never to end."""
    in_chunks: bool = False
    """Whether an item may be many records: `records_of` counts them, and `limited` cuts them."""
    in_threads: bool = False
    """Whether columns can be decoded by several threads."""
    has_lists: bool = False
    """Whether `lists` gives items that are there already."""
    paths: Sequence[str] = ()
    """What it reads, as the user names it."""
    extensions: Sequence[str] = ANY_EXTENSION
    """Of the files of a folder that it reads."""
    lateness: object = None
    """How far behind the latest time a row may come."""
    late: bool = False
    """Whether it gives the rows that have come later than that."""
    made_by: Callable[[int], object] | None = None
    """The user's function that makes an item of its number."""
    taken_from: Iterable[object] | None = None
    """The user's object that gives the items."""
    whole: object | None = None
    """What knows the program as a whole: see `plan.logical.whole`."""

    def __str__(self) -> str:
        return self.shown

    def items(self, rows: object) -> Iterable[object]:
        raise NotImplementedError

    def rows_about(self) -> int | None:
        """A guess at how many rows there are; None when it cannot be known."""
        return None

    def has_batches(self) -> bool:
        """Whether it can be read in columns, which hold just what its rows would."""
        return False

    def extracts(self, wanted: object = None, threads: int = 1) -> Iterator[object]:
        """The items in columns, of which those that are not `wanted` may stay unread."""
        raise NotImplementedError

    def lists(self) -> Iterator[list]:
        """The items in lists, up to the first that is to be looked at by itself."""
        return iter(())

    def at_start(self) -> SourceSpec:
        """The source as a run begins."""
        return self

    def at(self, path: str) -> SourceSpec | None:
        """Itself at another path; None where the name of the path decides what is read there."""
        return None

    def files(self) -> list[str]:
        """Its files; an error if one cannot be read."""
        return []

    def why_whole(self) -> str | None:
        """Why one worker reads a file from its beginning, if there is more to say than that."""
        return None

    def limited(self, most: int) -> SourceSpec:
        """Its first records, where items are many."""
        return self

    def records_of(self, item: object) -> int:
        return 1

    def late_rows(self) -> SourceSpec:
        """The source of what comes too late for this one, if it has a lateness."""
        raise NotImplementedError


class ItemWriter:
    """What a sink opens: `commit` or `abort` is its last call.

    It `takes_columns` by `write_batch`, and `makes_text` if the text of a batch can be made first,
    by `text_of`, and be written by `write_text`. It `takes_lists` by `write_all`. One that can
    encode `in_threads` has so many `threads` for it, by default its caller's alone.
    """

    takes_columns: bool = False
    makes_text: bool = False
    takes_lists: bool = False
    in_threads: bool = False
    threads: int = 1
    appears_whole: bool = False
    """Whether nobody sees what is written before it is committed."""

    def write(self, item: object) -> None:
        raise NotImplementedError

    def commit(self) -> None:
        """What was written is complete."""

    def abort(self) -> None:
        """What was written is not complete: it leaves no trace, as far as it can be taken back."""


class SinkSpec:
    """Where items go."""

    format: str | None
    shown: str
    span: Span | None = None
    place: str | None = None
    """The path of what it writes, `-` for standard output; None for what has none."""
    writer: type[ItemWriter] = ItemWriter
    """What is opened, as far as it is known before."""
    called: Callable[[object], object] | None = None
    """The user's function that gets the items."""

    def __str__(self) -> str:
        return self.shown

    def open(self, item_type: Type) -> ItemWriter:
        raise NotImplementedError

    def at(self, path: str) -> SinkSpec | None:
        """Itself at another path; None where the name of the path decides what is written."""
        return None


def declared_source(spec: object) -> SourceSpec | None:
    """A source of somebody who derives from nothing, as one: it has to have what is needed."""
    if spec is None or isinstance(spec, SourceSpec):
        return spec
    _check(spec, "source", "SourceSpec", ("items", "type"))
    return GivenSource(spec, spec.type, *_optional(spec, SourceSpec, "time", "span", "format"),
                       *_optional(spec, SourceSpec, "replayable", "live", "endless"))


def declared_sink(spec: object) -> SinkSpec | None:
    """The same for a sink."""
    if spec is None or isinstance(spec, SinkSpec):
        return spec
    _check(spec, "sink", "SinkSpec", ("open",))
    return GivenSink(spec, *_optional(spec, SinkSpec, "span", "format"))


def _check(spec: object, what: str, base: str, needed: tuple[str, ...]) -> None:
    missing = [name for name in needed if not hasattr(spec, name)]
    if missing:
        raise ProgramError(f"`{type(spec).__name__}` is no {what}",
                           expected=f"a {what} with {' and '.join(f'`{n}`' for n in needed)}",
                           got=f"it has no {' and no '.join(f'`{n}`' for n in missing)}",
                           help=f"derive it from anabranch.frontend.{base}")


def _optional(spec: object, base: type, *names: str) -> list[object]:
    return [getattr(spec, name, getattr(base, name, None)) for name in names]


@dataclass(frozen=True, eq=False)
class GivenSource(SourceSpec):
    """A source that derives from nothing: its items, and the least that can be known of it."""

    of: object
    type: Type
    time: str | None
    span: Span | None
    format: str | None = None
    replayable: bool
    live: bool
    endless: bool

    @property
    def shown(self) -> str:
        return str(self.of)

    def items(self, rows):
        return self.of.items(rows)


@dataclass(frozen=True, eq=False)
class GivenSink(SinkSpec):
    """A sink that derives from nothing."""

    of: object
    span: Span | None
    format: str | None = None

    @property
    def shown(self) -> str:
        return str(self.of)

    def open(self, item_type):
        return GivenWriter(self.of.open(item_type))


class GivenWriter(ItemWriter):
    """A writer that derives from nothing has `write`, `commit` and `abort`."""

    def __init__(self, of: object):
        _check(of, "writer", "ItemWriter", ("write", "commit", "abort"))
        self.write, self.commit, self.abort = of.write, of.commit, of.abort
