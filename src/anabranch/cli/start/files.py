"""Files that come with the package, copied to where the user works."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from anabranch.core.errors import RunError, UsageError
from anabranch.core.source import PACKAGE

INSTALLED, CHECKOUT = Path(PACKAGE) / "examples", Path(PACKAGE).parents[1] / "examples"
"""A wheel has them inside of the package, a checkout beside it."""

NOT_COPIED = shutil.ignore_patterns("__pycache__", "*.pyc", "solutions", "*.nbi", "*.nbc")


def came_with_us(*parts: str) -> Path:
    """A file or folder that comes with the package."""
    root = INSTALLED if INSTALLED.is_dir() else CHECKOUT
    path = root.joinpath(*parts)
    if not path.exists():
        raise UsageError("the examples are not installed with the package",
                         help="install it anew, from its wheel or a checkout")
    return path


def copied(source: Path, target: Path, leave_out: tuple[str, ...] = ()) -> None:
    """Copies a folder to one that is not there yet, or is empty: nothing is overwritten."""
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise UsageError(f"{target} is there already, and nothing in it is overwritten",
                         help="name another folder")

    def left_out(folder: str, names: list[str]) -> set[str]:
        here = leave_out if Path(folder) == source else ()
        return NOT_COPIED(folder, names) | set(here).intersection(names)
    try:
        shutil.copytree(source, target, ignore=left_out, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise RunError(f"{target} cannot be written", got=str(error)) from None


def files_below(folder: Path) -> Iterator[Path]:
    """The files of a folder, relative to it, in order."""
    return iter(sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file()))
