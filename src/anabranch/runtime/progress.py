"""How a run gets on, for whoever wants to be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Told = Callable[..., None]

Counted = Callable[[], tuple[int, int] | None]
"""How many tasks of how many are done, or None where there are none at the moment."""


class Progress:
    """Is told how a run gets on, and does nothing about it; the command shows it."""

    def __call__(self, read: Mapping[str, int], batches: int | None = None) -> None:
        """So many rows of each source have been read, in so many batches of a stream."""

    def expect(self, rows: Mapping[str, int]) -> None:
        """About so many rows of these sources will come."""

    def phase(self, name: str, tasks: Counted | None = None) -> None:
        """The run begins with something else; `tasks` may be asked at any time, by any thread."""


class ProgressFunction(Progress):
    """A function that is told of rows, and of nothing else."""

    def __init__(self, told: Told):
        self.told = told

    def __call__(self, read: Mapping[str, int], batches: int | None = None) -> None:
        self.told(read) if batches is None else self.told(read, batches)


def as_progress(given: Progress | Told | None) -> Progress | None:
    return given if given is None or isinstance(given, Progress) else ProgressFunction(given)
