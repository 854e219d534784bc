"""Random numbers: a linear congruential generator of 48 bits, with a fixed beginning."""

from __future__ import annotations

import numpy as np

FIRST = 1182736490827


def seed() -> np.ndarray:
    """The state before the first number."""
    return np.array([FIRST], np.int64)


def random_number(state: np.ndarray) -> float:
    """The next number between 0 and 1; it changes the state. It is compiled as it stands.

    >>> f"{random_number(seed()):.6f}"
    '0.684482'
    """
    first = (int(state[0]) * 0x5DEECE66D + 0xB) & 0xFFFFFFFFFFFF
    second = (first * 0x5DEECE66D + 0xB) & 0xFFFFFFFFFFFF
    state[0] = second
    return ((first >> 22) * 134217728 + (second >> 21)) / 9007199254740992.0
