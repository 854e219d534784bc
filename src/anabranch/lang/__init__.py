"""The languages that programs are written in; the file's extension decides.

A language is a module with `load(path, parameters) -> Graph`. It is imported when it is needed.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from anabranch.errors import UsageError

LANGUAGES = {".py": "anabranch.lang.python", ".river": "anabranch.lang.river",
             ".cql": "anabranch.lang.cql"}


def language_of(path: Path) -> ModuleType:
    """The language of a program file; a `UsageError` when there is none of its extension."""
    if not path.is_file():
        raise UsageError(f"there is no program {path}", help="give the path of a program file")
    if path.suffix not in LANGUAGES:
        raise UsageError(f"no language has the extension '{path.suffix}'", str(path),
                         expected=" or ".join(LANGUAGES))
    return importlib.import_module(LANGUAGES[path.suffix])
