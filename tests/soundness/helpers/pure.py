"""A module of functions and constants that only compute."""

from __future__ import annotations

import math
from dataclasses import dataclass

SCALE = 2.5
NAMES = {"alpha": "first", "omega": "last"}


def scaled(x: float) -> float:
    return x * SCALE


def described(word: str) -> str:
    return NAMES.get(word, "between")


def norm(xs: list[int]) -> float:
    return math.sqrt(sum(_square(x) for x in xs))


def _square(x: float) -> float:
    return x * x


@dataclass(frozen=True)
class Vector:
    x: float
    y: float

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y)

    def length(self) -> float:
        return math.hypot(self.x, self.y)
