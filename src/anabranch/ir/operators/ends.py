"""Where items come from and where they go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from anabranch.ir.heartbeats import Heartbeats
from anabranch.ir.operators.kind import Kind
from anabranch.ir.types import Type


class SourceSpec(Protocol):
    """Where items come from. `items` starts anew at each call and reports bad rows to `rows`."""

    type: Type
    time: str | None

    def items(self, rows: object) -> Iterable[object]: ...


class SinkSpec(Protocol):
    """Where items go. What `open` returns has `write(item)`, `commit()` and `abort()`."""

    def open(self, item_type: Type) -> object: ...


@dataclass(frozen=True)
class Source(Kind):
    """Brings items in; `time` names the attribute by which several sources are merged, and
    `heartbeats` says what the source promises while it sends nothing. What knows the program as a
    `whole` may be found at any of its sources: see `ir.whole`."""

    label = "source"
    spec: SourceSpec | None = field(default=None, hash=False)
    time: str | None = None
    heartbeats: Heartbeats | None = None
    whole: object | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Sink(Kind):
    """Takes items out, in order unless `ordered` is given up."""

    label = "sink"
    spec: SinkSpec | None = field(default=None, hash=False)
    ordered: bool = True
