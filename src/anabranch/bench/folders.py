"""Folders of the user's own for what benchmarks keep: inputs, and the peers' environments."""

from __future__ import annotations

import os
from pathlib import Path


def cache(*parts: str) -> Path:
    """A private folder in the user's cache; it is made when it is not there."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "anabranch", "bench", *parts)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
