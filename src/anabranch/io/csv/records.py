r"""Where the rows of a CSV file begin, also when line ends stand between quotes.

One pass over the file looks at its quotes. If all of them stand where a cell begins or ends, a line
end is between quotes just when an odd number of them is before it, so a place where a row begins
can be found near any other. In a file where some quote stands elsewhere, or a line ends with a
carriage return alone, only the reading of rows from the first one on can tell what is a row.

>>> edges(np.frombuffer(b'a\n"x\ny"\nb\n', np.uint8), [2, 3, 4])
[2, 8, 8]
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence

import numpy as np

QUOTE, LINE_END, RETURN = b'"\n\r'
BLOCK = 4 << 20
"""So many bytes are looked at together."""

STRAY = "a quote stands within a cell, or is missing, so rows can only be told one after another"
RETURNS = "a carriage return stands alone beside quotes, so rows can only be told one after another"


def row_starts(file: str, places: Sequence[int], delimiter: str = ",") -> list[int] | str:
    """For each of some growing places of a file the first row that begins there or behind it; or
    why the file cannot be divided."""
    with open(file, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as all_:
        if all_.find(b'"') < 0:
            return [_line_start(all_, place) for place in places]
        text = np.frombuffer(all_, np.uint8)
        try:
            return why_not(text, ord(delimiter)) or edges(text, places)
        finally:
            # The file cannot be closed while there is a view of it.
            del text


def _line_start(text: mmap.mmap, place: int) -> int:
    found = text.find(b"\n", max(0, place - 1))
    return len(text) if found < 0 else found + 1 if place else 0


def why_not(text: np.ndarray, delimiter: int) -> str | None:
    """Why quotes do not tell where rows begin; None if they do."""
    count = 0
    for start in range(0, len(text), BLOCK):
        block = text[start:start + BLOCK]
        places = np.flatnonzero(block == QUOTE) + start
        if not _are_at_ends(text, places, count % 2, delimiter):
            return STRAY
        count += len(places)
        if _has_lone_return(text, block, start):
            return RETURNS
    return STRAY if count % 2 else None


def _are_at_ends(text: np.ndarray, places: np.ndarray, odd: int, delimiter: int) -> bool:
    """Whether quotes open cells and close them in turn, the first closes one if `odd`."""
    opening, closing = places[odd::2], places[1 - odd::2]
    before, behind = text[np.maximum(opening - 1, 0)], text[np.minimum(closing + 1, len(text) - 1)]
    # Two quotes that follow each other are one that belongs to the cell.
    opens = (before == delimiter) | (before == LINE_END) | (before == QUOTE) | (opening == 0)
    further = text[np.minimum(closing + 2, len(text) - 1)]
    closes = ((behind == delimiter) | (behind == LINE_END) | (behind == QUOTE)
              | ((behind == RETURN) & (further == LINE_END)) | (closing == len(text) - 1))
    return bool(opens.all() and closes.all())


def _has_lone_return(text: np.ndarray, block: np.ndarray, start: int) -> bool:
    places = np.flatnonzero(block == RETURN) + start
    return bool((text[np.minimum(places + 1, len(text) - 1)] != LINE_END).any())


def edges(text: np.ndarray, places: Iterable[int]) -> list[int]:
    """The first row that begins at each of some growing places or behind it."""
    found, at, count = [], 0, 0
    for place in places:
        start = max(place - 1, 0)
        count += _quotes(text[at:start])
        at = start
        found.append(_next_row(text, start, count % 2 == 1) if place else 0)
    return found


def _quotes(text: np.ndarray) -> int:
    return sum(int(np.count_nonzero(text[start:start + BLOCK] == QUOTE))
               for start in range(0, len(text), BLOCK))


def _next_row(text: np.ndarray, start: int, inside: bool) -> int:
    """The place behind the first line end from `start` on that is not between quotes."""
    for begin in range(start, len(text), BLOCK):
        block = text[begin:begin + BLOCK]
        within = (np.cumsum(block == QUOTE) + inside) % 2
        ends = np.flatnonzero((block == LINE_END) & (within == 0))
        if len(ends):
            return begin + int(ends[0]) + 1
        inside = bool(within[-1])
    return len(text)
