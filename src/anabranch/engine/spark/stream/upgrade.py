"""A checkpoint that goes on as a program that has changed.

Functions may have become others, and operators may have come or, if they have no state, gone. Where
fields of a state have come or gone, or operators with state have another stage now, the pages are
written anew, once, before the first batch: a manifest says what its pages are of, so whatever is
killed meanwhile, they are read as what they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from anabranch.core.errors import UsageError
from anabranch.engine.spark.fields import classes_in, in_fields, named_as_saved, noted
from anabranch.engine.spark.stream.checkpoint import (
    START_OVER,
    Chain,
    Checkpoint,
    Place,
    program_of,
    put,
)
from anabranch.engine.spark.stream.fingerprint import fingerprint, shape
from anabranch.engine.spark.stream.pages import ROWS
from anabranch.engine.spark.stream.state import append, kept, page_of
from anabranch.ir.graph import Graph

Layout = list[list]
"""By stage how it is shared, and its operators."""


class ProgramChange(NamedTuple):
    """An operator that is not what it was; the stream goes on with it if it is `accepted`."""

    operator: str
    accepted: bool
    before: str | None
    now: str | None


def noted_of(program: Graph, layout: Layout) -> dict:
    """What a checkpoint notes of a program. Its layout is how it was planned: state is stored by
    stage."""
    return {"layout": layout, "operators": fingerprint(program), "shape": shape(program),
            "variables": {op.name: list(op.variables) for op in program if op.variables},
            "states": noted(classes_in(program, program).items())}


def upgraded(opened: Checkpoint, program: Graph, now: dict) -> list[ProgramChange]:
    """What has changed since the checkpoint was written, which is that of this program from now on;
    a `UsageError` for what cannot go on."""
    known, manifest = program_of(opened.folder), opened.latest()
    changes = list(compared(known, now))
    for change in changes:
        if not change.accepted:
            raise _another(program, change, START_OVER)
    before, after = Saved.of(manifest.of or known), Saved.of(now)
    if before.layout != after.layout and not (changes and "states" in known):
        raise _planned(before.layout, after.layout)
    if not changes:
        return []
    if manifest.kernels:
        raise _another(program, changes[0], "the state is as the compiled functions had it, which "
                                            f"others cannot read; {START_OVER}")
    if "states" in known and manifest.chains and before != after:
        chains = moved(opened.state, manifest.chains, manifest.number, before, after, program)
        opened.commit(replace(manifest, chains=chains, of=asdict(after)))
    kept_on = {name: own for name, own in known.items() if name != "dropped"}
    put(str(Path(opened.folder, "program")), json.dumps({**kept_on, **now}).encode())
    return changes


def told(changes: Iterable[ProgramChange]) -> str:
    """
    >>> told([ProgramChange("a", True, "x", "y"), ProgramChange("b", True, None, "map")])
    'another a; new: b'
    """
    changes = list(changes)
    found = {"another ": [each.operator for each in changes if each.before and each.now],
             "new: ": [each.operator for each in changes if not each.before],
             "gone: ": [each.operator for each in changes if not each.now]}
    return "; ".join(f"{word}{', '.join(names)}" for word, names in found.items() if names)


def _another(program: Graph, change: ProgramChange, advice: str) -> UsageError:
    where = program[change.operator].span if change.operator in program else None
    return UsageError(f"the program is not the one of the checkpoint: {change.operator} has "
                      "changed", where, expected=change.before or "nothing of this name",
                      got=change.now or "nothing of this name", help=advice)


def _planned(before: object, now: object) -> UsageError:
    return UsageError("the program is planned in another way than when the checkpoint was made",
                      expected=str(before), got=str(now), help=START_OVER)


def compared(known: dict, now: dict) -> Iterator[ProgramChange]:
    """What of a program is not as the checkpoint knows it."""
    if "states" not in known:
        yield from _strictly(known, now)
        return
    for name in dict.fromkeys([*known["shape"], *now["shape"]]):
        if name not in now["shape"]:
            yield ProgramChange(name, _may_go(known, name), known["shape"][name][0], None)
        elif name not in known["shape"]:
            yield ProgramChange(name, not _is_end(now["shape"][name]), None, now["shape"][name][0])
        else:
            yield from _changed(name, known, now)
    yield from _fields(known["states"], now["states"])
    orders = [[name for name, own in each["shape"].items() if _is_source(own)]
              for each in (known, now)]
    if orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1]):
        yield ProgramChange("the order of the sources", False, *map(", ".join, orders))


def _strictly(known: dict, now: dict) -> Iterator[ProgramChange]:
    """The same for a checkpoint of an older version, which knows less of its state."""
    old, new = known.get("shape", known["operators"]), now["shape" if "shape" in known else
                                                           "operators"]
    for name in dict.fromkeys([*known["operators"], *now["operators"]]):
        if old.get(name) != new.get(name):
            yield ProgramChange(name, False, *_first(old.get(name), new.get(name)))
        elif known["operators"].get(name) != now["operators"].get(name):
            yield ProgramChange(name, True, *_first(known["operators"].get(name),
                                                    now["operators"].get(name)))


def _changed(name: str, known: dict, now: dict) -> Iterator[ProgramChange]:
    before, after = (_lasting(each["shape"][name]) for each in (known, now))
    if before != after:
        yield ProgramChange(name, False, *_first(before, after))
        return
    before, after = (_text(each["operators"][name]) for each in (known, now))
    if before != after:
        yield ProgramChange(name, True, *_first(before, after))


def _first(before: list[str] | None, now: list[str] | None) -> tuple[str | None, str | None]:
    """The first lines that differ."""
    old, new = before or [], now or []
    lines = ((old[n] if n < len(old) else None, new[n] if n < len(new) else None)
             for n in range(max(len(old), len(new))))
    return next(pair for pair in lines if pair[0] != pair[1])


QUEUES = re.compile(r"([\w ]+) from \((.*)\) to \((.*)\)")
CLASS = re.compile(r"\w+\(.*\)")


def _text(lines: list[str]) -> list[str]:
    """The lines without the queues, which have other names where neighbours are others."""
    found = QUEUES.fullmatch(lines[0])
    return [found[1] if found else lines[0], *lines[1:]]


def _lasting(lines: list[str]) -> list[str]:
    """What the saved state of an operator depends on, but for the fields of its classes.

    >>> _lasting(["apply from (rows) to (sums)", "by key: str", "Sum(total: float)"])
    ['apply', 'by key: str']
    """
    return [line for line in _text(lines) if not CLASS.fullmatch(line)]


def _is_end(lines: list[str]) -> bool:
    """Whether it is a source or a sink."""
    found = QUEUES.fullmatch(lines[0])
    return found is None or not (found[2] and found[3])


def _is_source(lines: list[str]) -> bool:
    return lines[0].partition(" ")[2].startswith("from ()")


def _may_go(known: dict, name: str) -> bool:
    return not _is_end(known["shape"][name]) and (
        name not in known["variables"] or name in known.get("dropped", ()))


def _fields(before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]
            ) -> Iterator[ProgramChange]:
    states = {name.partition(":")[2]: own for name, own in now.items()}
    for full, was in before.items():
        name = full.partition(":")[2]
        own = states.get(name)
        if own is None or list(was.items()) == list(own.items()):
            continue
        other = next((field for field in was if own.get(field, was[field]) != was[field]), None)
        if other is not None:
            yield ProgramChange(name, False, f"{other}: {was[other]}", f"{other}: {own[other]}")
        else:
            yield ProgramChange(name, True, ", ".join(was), ", ".join(own))


@dataclass(frozen=True)
class Saved:
    """What the pages of a checkpoint are of: the stages, the variables of operators, the fields of
    classes."""

    layout: Layout
    variables: Mapping[str, list[str]]
    states: Mapping[str, Mapping[str, str]]

    @staticmethod
    def of(known: dict) -> Saved:
        return Saved(known["layout"], known.get("variables", {}), known.get("states", {}))

    def owners(self, stage: int) -> list[str]:
        """The operators whose variables a page of the stage has, in their order."""
        return [name for name in self.layout[stage][1] for _ in self.variables.get(name, ())]

    def stage_of(self, name: str) -> int:
        return next(n for n, (_, names) in enumerate(self.layout) if name in names)


def moved(folder: str, chains: Mapping[Place, Chain], number: int, before: Saved, now: Saved,
          program: Graph) -> dict[Place, Chain]:
    """The chains of pages as the program has its state now, in volumes of their own."""
    classes = named_as_saved({"states": before.states}, classes_in(program, program))
    prefix, found = f"{number:012}-{uuid4().hex[:8]}-as-changed", {}
    for (stage, bucket), chain in sorted(chains.items()):
        place = _stage_now(stage, before, now), bucket
        if place[0] is None:
            continue
        made = Chain()
        for turn, volume in enumerate(chain.volumes):
            page = page_of(str(Path(folder, volume)), (stage, bucket))
            text = in_fields(page[1:], before.states, classes)
            text = ROWS + _arranged(text, before.owners(stage), now.owners(place[0]))
            name = f"{prefix}-{turn:04}"
            append(str(Path(folder, name)), place, turn == 0, text)
            made = made.then(name, turn == 0, len(text))
        found[place] = made
    for volume in {volume for chain in found.values() for volume in chain.volumes}:
        kept(str(Path(folder, volume)))
    return found


def _stage_now(stage: int, before: Saved, now: Saved) -> int | None:
    """The stage that has the state of this one; None where nobody needs it."""
    here = [name for name in before.owners(stage) if name in now.variables]
    stages = {now.stage_of(name) for name in here}
    if not stages:
        return None
    place = stages.pop()
    others = [name for name in now.owners(place) if name not in here and name in before.variables]
    if stages or others or before.layout[stage][0] != now.layout[place][0]:
        raise _planned(before.layout[stage], now.layout[place])
    return place


def _arranged(page: bytes, before: list[str], now: list[str]) -> bytes:
    """A page with the variables that the stage has now; those of new operators are empty.

    >>> _arranged(b'["list",[1,2]]', ["a", "b"], ["b", "c"])
    b'["list",[2,["list",[]]]]'
    """
    if before == now:
        return page
    _, parts = json.loads(page)
    own = {name: iter([part for owner, part in zip(before, parts) if owner == name])
           for name in before}
    arranged = [next(own[name]) if name in own else ["list", []] for name in now]
    return json.dumps(["list", arranged], separators=(",", ":")).encode()
