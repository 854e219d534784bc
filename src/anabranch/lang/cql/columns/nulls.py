"""Columns that may be null: words of 64 bits, of which the least stands for null.

The words are ordered like the values, null before all others, so that rows with nulls are compared,
sorted and grouped as rows of whole numbers are.
"""

from __future__ import annotations

import numpy as np

from anabranch.ir.types import BOOL, FLOAT, Type
from anabranch.ir.whole import Unfinished

NULL = np.iinfo(np.int64).min
MAGNITUDE = np.iinfo(np.int64).max


def words(column: np.ndarray, kind: Type) -> np.ndarray:
    """The words of a column without nulls.

    >>> words(np.array([-2.5, -1.0, 0.0, 3.0]), FLOAT).argsort().tolist()
    [0, 1, 2, 3]
    """
    if kind == FLOAT:
        return _turned(column.view(np.int64))
    found = column.astype(np.int64)
    if (found == NULL).any():
        raise Unfinished
    return found


def unpacked(found: np.ndarray, kind: Type) -> tuple[np.ndarray, np.ndarray]:
    """The column of some words, with any value for null, and where it is null.

    >>> [part.tolist() for part in unpacked(np.array([NULL, 1]), BOOL)]
    [[False, True], [True, False]]
    """
    missing = found == NULL
    filled = np.where(missing, 0, found)
    if kind == FLOAT:
        return _turned(filled).view(np.float64), missing
    return filled.astype(np.bool_) if kind == BOOL else filled, missing


def _turned(bits: np.ndarray) -> np.ndarray:
    """The bits of floats in the order of their values, and the other way round: of numbers below
    zero the magnitude counts backwards."""
    return np.where(bits < 0, bits ^ MAGNITUDE, bits)
