"""Texts as numbers: equal texts have one code, codes count from 0 in the order of appearance.

>>> codes = Interner()
>>> codes.of(pa.array(["a", "", "a", None])).tolist()
[0, 1, 0, -1]
>>> codes.texts(np.array([1, -1, 0])).to_pylist()
['', None, 'a']
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa


class Interner:
    """All texts that a stage's state or constants know, each once."""

    def __init__(self, texts: list[str] = ()):
        self.known: list[str] = []
        self.codes: dict[str, int] = {}
        self._array: pa.Array | None = None
        for text in texts:
            self.code(text)

    def __len__(self) -> int:
        return len(self.known)

    def code(self, text: str) -> int:
        code = self.codes.setdefault(text, len(self.known))
        if code == len(self.known):
            self.known.append(text)
        return code

    def of(self, column: pa.Array) -> np.ndarray:
        """The codes of a column's texts; -1 for None. Each distinct text is looked up once."""
        encoded = column.dictionary_encode()
        codes = np.array([self.code(t) for t in encoded.dictionary.to_pylist()] or [-1], np.int64)
        places = encoded.indices
        if not places.null_count:
            return codes[places.to_numpy(zero_copy_only=False)]
        return np.where(places.is_null().to_numpy(zero_copy_only=False), -1,
                        codes[places.fill_null(0).to_numpy(zero_copy_only=False)])

    def texts(self, codes: np.ndarray) -> pa.Array:
        """The texts of codes, as a column."""
        if self._array is None or len(self._array) != len(self.known):
            self._array = pa.array(self.known, pa.string())
        return self._array.take(pa.array(codes, mask=codes < 0))
