"""The numbers by which Spark's plan is made; `--tune` changes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from anabranch.core.errors import UsageError, did_you_mean
from anabranch.plan.tuning import as_number, knob_meant, knobs_among

GANGS = ("where it pays", "always", "never")


@dataclass(frozen=True)
class SparkKnobs:
    """How a run on Spark is tuned; nothing here changes its output.

    Splits: each core gets one, or some if they are large, of at least `smallest_split` and at most
    `largest_split` bytes; `worth_a_task` bytes are worth a task more than each core has, as to
    begin one costs as much as a kernel takes for some of them. Slices that the driver sends make up
    to `tasks_per_core` tasks for each core, or more, so that none is sent more than
    `bytes_of_a_task`.

    Slices: few rows that take long must still be shared, many that do not should travel together;
    so a slice has from `fewest_rows` to `most_rows` rows, and an input about `slices_wanted`
    slices, or all have `slice_size` rows. In columns one has up to `rows_in_columns`.

    Tiers: each task waits for the kernels that it needs, so `worth_compiling` rows must be known to
    come. JSON Lines are read in columns by compiled loops, for which every Python worker loads
    Numba: it must have kernels in any case, or `worth_json_columns` bytes to read, for which rows
    take as long as to load it.

    DataFrames: each file is a task of its own, so there may be `most_frame_files`; a task reads at
    most `largest_frame_split` bytes, as many as by Spark's own rule.

    Gangs: they are used where it pays, always or never. One takes `gang_start` seconds to start, as
    its tasks begin together and exchange their addresses. What an update costs, and which keys come
    often, is learnt from `gang_slices` slices of each partition at most.

    Programs that their language cuts into pieces have `pieces_per_core` pieces for each core.

    Streams: a batch reads about `bytes_of_a_batch` bytes of each source. One of fewer than
    `small_batch` bytes is done by one task, as sharing it would take longer. One of fewer than
    `worth_kernels` bytes is done as soon by rows as by a kernel; one of `worth_waiting` bytes waits
    for the compiler, because the state that it leaves is then in the form of kernels, and need not
    be changed into it later. A checkpoint has at least `fewest_buckets` buckets: it never has more
    cores to share its keys among. A bucket's pages of touched keys become one of all keys when they
    have outgrown that by `small_pages` bytes, or when they are `most_pages`, as a manifest names
    them all. Lines of a pipe are gathered for `gathered_ms` milliseconds before they are a file.
    """

    smallest_split: int = 1 << 20
    largest_split: int = 16 << 20
    worth_a_task: int = 8 << 20
    tasks_per_core: int = 4
    bytes_of_a_task: int = 16 << 20
    slice_size: int | None = None
    fewest_rows: int = 16
    most_rows: int = 8192
    slices_wanted: int = 32
    rows_in_columns: int = 65_536
    worth_compiling: int = 100_000
    worth_json_columns: int = 8 << 20
    most_frame_files: int = 1000
    largest_frame_split: int = 128 << 20
    gangs: str = "where it pays"
    gang_start: float = 1.5
    gang_slices: int = 8
    pieces_per_core: int = 3
    bytes_of_a_batch: int = 256 << 20
    small_batch: int = 1 << 20
    worth_kernels: int = 1 << 16
    worth_waiting: int = 1 << 19
    fewest_buckets: int = 16
    small_pages: int = 1 << 16
    most_pages: int = 64
    gathered_ms: float = 100.0

    def __post_init__(self):
        if self.gangs not in GANGS:
            raise UsageError(f"gangs cannot be '{self.gangs}'",
                             help=did_you_mean(self.gangs, GANGS))
        for field in fields(self):
            value, least = self.__dict__[field.name], 1 if field.name in COUNTS else 0
            if field.name != "gangs" and value is not None and not value >= least:
                raise UsageError(f"{field.name} must be at least {least}", got=str(value))

    @staticmethod
    def read(given: Mapping[str, object]) -> SparkKnobs:
        """The knobs that a user names, also as the text of a command.

        >>> SparkKnobs.read({"largest_split": "1000"}).largest_split
        1000
        """
        return SparkKnobs(**{name: _value(name, value)
                             for name, value in knobs_among(given).items()})


COUNTS = ("smallest_split", "largest_split", "worth_a_task", "tasks_per_core", "bytes_of_a_task",
          "slice_size", "fewest_rows", "most_rows", "slices_wanted", "rows_in_columns",
          "pieces_per_core", "bytes_of_a_batch", "largest_frame_split", "fewest_buckets",
          "most_pages")
"""What there must be at least one of."""

REALS = ("gang_start", "gathered_ms")
"""Knobs that are no whole numbers."""


def _value(name: str, given: object) -> object:
    names = [field.name for field in fields(SparkKnobs)]
    if name not in names:
        raise UsageError(f"the spark engine has no knob '{name}'",
                         help=knob_meant(name, names))
    if name == "gangs":
        return str(given)
    return as_number(name, given, float if name in REALS else int)
