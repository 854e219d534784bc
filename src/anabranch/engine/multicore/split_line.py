"""A split over columns: a kernel tells the port of every row, and the columns are taken apart."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anabranch.engine.items import Columns, picked
from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.kernel_line import KernelLine


class SplitLine(KernelLine):
    """Its kernel gives a port number for every row."""

    def _flows(self, flow: Flow, batch: pa.RecordBatch, outputs: pa.RecordBatch,
               origins: np.ndarray) -> list[Flow]:
        ports, items = outputs.column(0).to_numpy(), Columns(batch, self.kernel.rows.input_type)
        return [Flow(picked(flow.rows, places := np.flatnonzero(ports == port)),
                     items.taken(places)) for port in range(len(self.operators[0].outputs))]
