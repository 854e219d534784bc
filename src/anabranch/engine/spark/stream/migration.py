"""What a program has changed since its checkpoint was made, and other names."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from anabranch.core.errors import UsageError
from anabranch.engine.spark.stream.checkpoint import Checkpoint, Manifest, at_rest, program_of, put
from anabranch.engine.spark.stream.fingerprint import Fingerprint
from anabranch.engine.spark.stream.upgrade import ProgramChange, compared, noted_of
from anabranch.ir.graph import Graph


def differences(folder: str, program: Graph) -> Iterator[ProgramChange]:
    """What a stream would meet that went on from the checkpoint as this program."""
    return compared(program_of(folder), noted_of(program, []))


def rename(folder: str, names: Mapping[str, str]) -> None:
    """Gives operators of a checkpoint the names that they have in the program now."""
    with at_rest(folder) as opened:
        known, manifest = program_of(opened.folder), opened.latest()
        for old, new in names.items():
            _check(known, old, new)
        opened.commit(_moved(manifest, names))
        _keep(opened, _renamed(known, names))


def _moved(manifest: Manifest, names: Mapping[str, str]) -> Manifest:
    """The same batch, with the names that sources, sinks and operators have now."""
    told = {part: _by_name(getattr(manifest, part), names)
            for part in ("begun", "held", "times", "parts")}
    of = {**manifest.of, **_stored(manifest.of, names)} if manifest.of else {}
    whole = tuple(names.get(name, name) for name in manifest.whole)
    return replace(manifest, **told, whole=whole, of=of)


def drop(folder: str, names: Iterable[str]) -> None:
    """The state of these operators is of no use any more: a program without them goes on."""
    with at_rest(folder) as opened:
        known = program_of(opened.folder)
        for name in names:
            _check_there(known, name)
        _keep(opened, {**known, "dropped": [*known.get("dropped", ()), *names]})


def _keep(opened: Checkpoint, known: dict) -> None:
    put(os.path.join(opened.folder, "program"), json.dumps(known).encode())


def _check_there(known: dict, name: str) -> None:
    if name not in known["operators"]:
        raise UsageError(f"the checkpoint has no operator '{name}'",
                         got=", ".join(known["operators"]))


def _check(known: dict, old: str, new: str) -> None:
    _check_there(known, old)
    if new in known["operators"]:
        raise UsageError(f"the checkpoint has an operator '{new}' already")


def _renamed(known: dict, names: Mapping[str, str]) -> dict:
    def lines(found: Fingerprint) -> Fingerprint:
        return _by_name({name: [_line(each, names) for each in own] for name, own in found.items()},
                        names)
    return {**known, **_stored(known, names), "operators": lines(known["operators"]),
            "shape": lines(known.get("shape", {}))}


def _stored(known: dict, names: Mapping[str, str]) -> dict:
    """How state is stored, with these names."""
    layout = [[sharing, [names.get(name, name) for name in own]]
              for sharing, own in known["layout"]]
    return {"layout": layout, "variables": _by_name(known.get("variables", {}), names)}


def _by_name(found: dict, names: Mapping[str, str]) -> dict:
    return {names.get(name, name): own for name, own in found.items()}


def _line(line: str, names: Mapping[str, str]) -> str:
    """A line that says from which queues an operator reads; they are called by those who write
    them.

    >>> _line("apply from (filter, filter_2) to (sums)", {"filter": "large"})
    'apply from (large, filter_2) to (sums)'
    """
    if not re.fullmatch(r"\w+ from \(.*\) to \(.*\)", line):
        return line
    return re.sub(r"(?<=[(, ])(\w+)(?=[,)])", lambda m: names.get(m[1], m[1]), line)
