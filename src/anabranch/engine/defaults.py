"""Defaults of runs: ANABRANCH_ENGINE, and the file anabranch.toml of a project.

What is asked for wins over the variable, the variable over the file. The file is the nearest one in
the working folder and those above it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from anabranch.core.errors import UsageError, did_you_mean
from anabranch.core.source import shown_path
from anabranch.engine.run import ENGINES, engine

FILE = "anabranch.toml"
VARIABLE = "ANABRANCH_ENGINE"

KINDS = {"engine": str, "workers": int, "master": str, "on-error": str}
"""What the file may say, and as what."""

SPARKS = ("master", "session", "stream", "keep_spark")
"""Who gives one of these means Spark, whatever engine is used otherwise."""


@dataclass(frozen=True)
class Default:
    """A value that nobody typed, and where it comes from."""

    value: object
    origin: str


def with_defaults(asked: Mapping[str, object]) -> dict[str, object]:
    """What is asked for, and the defaults of what is not. A default that means nothing to the
    engine, such as workers to the sequential one, is left out."""
    given = {name: value for name, value in asked.items() if value is not None}
    found = {name: default.value for name, default in defaults().items() if name not in given}
    if any(given.get(name) for name in SPARKS):
        found.pop("engine", None)
    chosen = found.get("engine", given.get("engine"))
    refused = engine(chosen).refuses if chosen in ENGINES else ()
    return {**given, **{name: value for name, value in found.items() if name not in refused}}


@contextmanager
def origins_told() -> Iterator[None]:
    """An error about a value that nobody typed says where it comes from."""
    try:
        yield
    except UsageError as error:
        if error.where is None:
            said = " ".join(filter(None, (error.what, error.got)))
            lines = [f"  = note: {name} is {default.value} by {default.origin}"
                     for name, default in defaults().items()
                     if re.search(rf"(?<!\w){re.escape(str(default.value))}(?!\w)", said)]
            error.below = "\n".join(filter(None, (error.below, *lines))) or None
        raise


def defaults() -> dict[str, Default]:
    """The defaults here, by the name of the option of a run."""
    file = _file(Path.cwd())
    found = {} if file is None else _read(file)
    if os.environ.get(VARIABLE):
        found["engine"] = Default(os.environ[VARIABLE], VARIABLE)
    return found


def _file(folder: Path) -> Path | None:
    """The nearest file of defaults. Where everybody may write, as in /tmp, only the user's own
    counts: another one's could send the program to a master of theirs."""
    for each in (folder, *folder.parents):
        file = each / FILE
        if file.is_file() and (file.stat().st_uid == os.getuid()
                               or not each.stat().st_mode & 0o002):
            return file
    return None


def _read(file: Path) -> dict[str, Default]:
    import tomllib

    shown = shown_path(str(file))
    try:
        text = file.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise UsageError(f"{FILE} cannot be read", shown, got=str(error)) from None
    return {name.replace("-", "_"): _default(name, value, _place(shown, text, name))
            for name, value in values.items()}


def _place(file: str, text: str, name: str) -> str:
    """The file and the line of a name, as in anabranch.toml:2."""
    found = re.search(rf"""^\s*\[?["']?{re.escape(name)}\b""", text, re.MULTILINE)
    return f"{file}:{text.count(chr(10), 0, found.end()) + 1}" if found else file


def _default(name: str, value: object, place: str) -> Default:
    if name not in KINDS:
        raise UsageError(f"{FILE} has no setting '{name}'", place, help=did_you_mean(name, KINDS))
    kind = KINDS[name]
    if type(value) is not kind or (kind is int and value < 1):
        raise UsageError(f"{name} is not understood", place, got=repr(value),
                         expected="a whole number from 1 on" if kind is int else "a text")
    if name == "engine" and value not in ENGINES:
        raise UsageError(f"no engine is called '{value}'", place,
                         help=did_you_mean(value, ENGINES))
    return Default(value, place)
