"""What a program has changed since its checkpoint was made, and other names."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from anabranch.core.errors import UsageError
from anabranch.engine.spark.stream.checkpoint import at_rest, program_of, put
from anabranch.engine.spark.stream.fingerprint import Fingerprint, fingerprint, shape
from anabranch.ir.graph import Graph


class ProgramChange(NamedTuple):
    """An operator that is not what it was; the stream goes on with it if it is `accepted`."""

    operator: str
    accepted: bool
    before: str | None
    now: str | None


def differences(folder: str, program: Graph) -> Iterator[ProgramChange]:
    """What a stream would meet that went on from the checkpoint as this program."""
    known = program_of(folder)
    was, now = known["operators"], fingerprint(program)
    old, new = known.get("shape", was), shape(program)
    for name in dict.fromkeys([*was, *now]):
        if old.get(name) != new.get(name):
            yield ProgramChange(name, False, *_first(old, new, name))
        elif was.get(name) != now.get(name):
            yield ProgramChange(name, True, *_first(was, now, name))


def _first(before: Fingerprint, now: Fingerprint, name: str) -> tuple[str | None, str | None]:
    """The first lines that differ."""
    old, new = before.get(name, []), now.get(name, [])
    longest = range(max(len(old), len(new)))
    lines = ((old[n] if n < len(old) else None, new[n] if n < len(new) else None) for n in longest)
    return next(pair for pair in lines if pair[0] != pair[1])


def rename(folder: str, names: Mapping[str, str]) -> None:
    """Gives operators of a checkpoint the names that they have in the program now."""
    with at_rest(folder) as opened:
        known = program_of(opened.folder)
        for old, new in names.items():
            _check(known, old, new)
        put(os.path.join(opened.folder, "program"),
            json.dumps(_renamed(known, names)).encode())


def _check(known: dict, old: str, new: str) -> None:
    if old not in known["operators"]:
        raise UsageError(f"the checkpoint has no operator '{old}'",
                         got=", ".join(known["operators"]))
    if new in known["operators"]:
        raise UsageError(f"the checkpoint has an operator '{new}' already")


def _renamed(known: dict, names: Mapping[str, str]) -> dict:
    def by_name(found: dict) -> dict:
        return {names.get(name, name): own for name, own in found.items()}

    def lines(found: Fingerprint) -> Fingerprint:
        return by_name({name: [_line(each, names) for each in own] for name, own in found.items()})
    layout = [[sharing, [names.get(name, name) for name in own]]
              for sharing, own in known["layout"]]
    return {**known, "layout": layout, "operators": lines(known["operators"]),
            "shape": lines(known.get("shape", {})),
            "variables": by_name(known.get("variables", {}))}


def _line(line: str, names: Mapping[str, str]) -> str:
    """A line that says from which queues an operator reads; they are called by those who write
    them.

    >>> _line("apply from (filter, filter_2) to (sums)", {"filter": "large"})
    'apply from (large, filter_2) to (sums)'
    """
    if not re.fullmatch(r"\w+ from \(.*\) to \(.*\)", line):
        return line
    return re.sub(r"(?<=[(, ])(\w+)(?=[,)])", lambda m: names.get(m[1], m[1]), line)
