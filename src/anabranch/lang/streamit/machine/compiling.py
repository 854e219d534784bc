"""Groups whose machines compile: a filter that the compiler refuses runs in plain Python."""

from __future__ import annotations

import numpy as np

from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.machine.groups import Group, groups_of
from anabranch.lang.streamit.machine.part import Kind, Part
from anabranch.lang.streamit.machine.state import Plan, State
from anabranch.sdf.schedule import Schedule


def compiled_groups(schedule: Schedule, joined: bool) -> list[Group]:
    """The groups of a program, each compiled."""
    refused: frozenset[FilterCode] = frozenset()
    while True:
        groups = groups_of(schedule, refused, joined)
        parts = [Part(schedule, group.members) for group in groups if group.compiled]
        failing = {kind.code for part in parts if not _compiles(part)
                   for kind in part.kinds if kind.code and not _is_fine(schedule, part, kind)}
        if not failing:
            return groups
        refused |= failing


def _is_fine(schedule: Schedule, part: Part, kind: Kind) -> bool:
    """Whether the filters of a kind compile by themselves."""
    place = part.kind_of.index(kind)
    return _compiles(Part(schedule, (part.members[place],)))


def _compiles(part: Part) -> bool:
    try:
        plan = Plan(part, 0)
        State(plan).run([np.zeros(0)] * len(part.inputs), np.zeros(len(part.members), np.int64))
    except Exception:
        # Nothing has fired, so whatever failed is the compiler.
        return False
    return True
