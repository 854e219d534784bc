"""What no state holds is forgotten: texts, and elements of lists given out.

So memory does not follow all that was ever seen.
"""

from __future__ import annotations

import numpy as np

from anabranch.kernels.native.library.strings import Interner
from anabranch.kernels.native.stage.lists import Owner
from anabranch.kernels.native.state.checkpoint import PageTexts, arrays_of
from anabranch.kernels.native.state.memory import StateMemory

MOST_TEXTS = 1 << 17
MOST_BYTES = 1 << 26
"""A text that grows with every row is another one each time, and soon a long one."""
MOST_ELEMENTS = 1 << 16


def forget_elements(memory: StateMemory) -> None:
    """Forgets the elements of closed windows when there are many, twice as many as were kept."""
    for table in memory.stage.tables:
        most = max(MOST_ELEMENTS, 2 * memory.kept.get(table.number, 0))
        if isinstance(table.carrier, Owner) and memory.count(table) > most:
            memory.keep(table, table.carrier.is_live(memory, table))
            memory.kept[table.number] = memory.count(table)


def forget_texts(memory: StateMemory) -> None:
    """Renumbers texts when there are many, or long ones, twice as many as were kept last time."""
    forget_elements(memory)
    if len(memory.texts) <= max(MOST_TEXTS, 2 * memory.kept_texts) and (
            memory.texts.size <= max(MOST_BYTES, 2 * memory.kept_bytes)):
        return
    texts = PageTexts(memory)
    # The constants of the code have the first numbers, and keep them.
    texts.numbered(np.arange(len(memory.stage.texts)))
    for table in memory.stage.tables:
        for name, width, are_texts in arrays_of(table):
            held = memory.arrays[name].reshape(-1, width)[:memory.count(table)]
            for column in are_texts:
                held[:, column] = texts.numbered(held[:, column])
        memory.make_room(table, 0)
    memory.texts = Interner(texts.used())
    memory.kept_texts, memory.kept_bytes = len(memory.texts), memory.texts.size
    memory.forget_made()
