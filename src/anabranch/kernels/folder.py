"""The folder of compiled kernels: the user's own, so that no one else could put code there."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def folder() -> Path:
    """The user's cache folder for kernels, or one for this process when that is not safe."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    chosen = Path(base) / "anabranch" / "kernels"
    try:
        chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Who may rename a folder's parent could put another one in its place.
        if _is_private(chosen) and _is_private(chosen.parent):
            return chosen
    except (OSError, RuntimeError):
        pass
    own = tempfile.mkdtemp(prefix="anabranch-kernels-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return Path(own)


def _is_private(path: Path) -> bool:
    """Whether no one else could have put code there."""
    found = path.stat()
    return (found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o022
            and os.access(path, os.W_OK))


def write_file(file: Path, text: str) -> None:
    """Writes a file whole: whoever reads it sees the old text or the new one."""
    handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as out:
        out.write(text)
    os.replace(temporary, file)
