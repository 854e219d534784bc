"""What all states of a team have in common: the texts that they know, and slices as their workers
see them."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from anabranch.kernels.batches import batch_of, conform, with_dictionary
from anabranch.kernels.native.forgetting import MOST_TEXTS
from anabranch.kernels.native.layout import OUT
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.shares import Given, Part
from anabranch.kernels.native.slices import Outputs, native_column, takes_times

if TYPE_CHECKING:
    from anabranch.kernels.native.team import TeamKernel


class Lead:
    """Its memory has the texts, and in turn any one state that goes in or out."""

    def __init__(self, kernel: TeamKernel):
        self.rows, self.stage = kernel.rows, kernel.stage
        self.memory, self.lock = Memory.empty(self.stage), Lock()

    def forget_texts(self) -> None:
        """Forgets all texts, when nobody is at work, and with them the states."""
        self.memory = Memory.empty(self.stage)

    @property
    def knows_many_texts(self) -> bool:
        """Whether it is time to forget them."""
        return len(self.memory.texts) > MOST_TEXTS

    def takes(self, batch: pa.RecordBatch) -> bool:
        """Whether its times are of the kind of those that the states have."""
        with self.lock:
            return takes_times(self.memory, conform(batch, self.rows.input_type))

    def coded(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with a dictionary for the texts of each column that the kernel reads."""
        batch = conform(batch, self.rows.input_type)
        texts = {self.stage.sources[n].number for n in self.stage.inputs
                 if self.stage.sources[n].kind == "str" and not self.stage.sources[n].path}
        columns = [with_dictionary(column) if n in texts else column
                   for n, column in enumerate(batch.columns)]
        return pa.RecordBatch.from_arrays(columns, batch.schema.names)

    def given(self, batch: pa.RecordBatch, coded: pa.RecordBatch, order: np.ndarray) -> Given:
        """A slice, to be worked off in this order of its rows."""
        arrays = {}
        with self.lock:
            for n in self.stage.inputs:
                source = self.stage.sources[n]
                arrays[f"in{n}"], arrays[f"no{n}"] = native_column(
                    source.column(coded), source.kind, self.memory.texts)
            self.memory.fill_made()
            known = {name: array for name, array in self.memory.arrays.items()
                     if name.startswith(("tab", "known"))}
            texts = {"starts": self.memory.texts.starts, "texts": self.memory.texts.data}
        return Given(conform(batch, self.rows.input_type), order, arrays | known | texts)

    @property
    def nothing(self) -> Given:
        """A slice without rows."""
        batch = batch_of([], self.rows.input_type)
        return self.given(batch, batch, np.zeros(0, np.int64))

    def merged(self, batch: pa.RecordBatch, parts: Iterable[Part]
               ) -> tuple[pa.RecordBatch, np.ndarray]:
        """The outputs of all workers in the order of the rows that caused them, and these rows."""
        parts = list(parts)
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        origins = arrays["rows"]
        order = np.argsort(origins, kind="stable")
        whole = Outputs(self.stage, 0)
        whole.arrays = {name: array[order] for name, array in arrays.items()}
        whole.arrays["rows"] = origins[order]
        with self.lock:
            self.memory.counters[OUT] = len(origins)
            return whole.batch(batch, self.memory, self.rows.output_type)
