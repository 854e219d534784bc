"""Accounts that are forked and joined in native code, and how their programs run with a team."""

from __future__ import annotations

from functools import partial

import pytest

import anabranch as ab
from anabranch.engine import multicore
from anabranch.engine.multicore.gangs.team import NativeTeam
from sync.running import outputs


class Account(ab.State):
    total: int = 0
    best: int | None = None
    owner: str = "nobody"


def forked(account):
    """The operator with its fork and its join."""
    account.fork(halves)
    account.join(added)
    return account


def halves(state, left, right):
    return state, Account(owner=state.owner)


def added(one, other):
    one.total += other.total
    if one.best is None or (other.best is not None and other.best > one.best):
        one.best = other.best
    return one


def shared(plan, rows, **knobs):
    """What the plan gives with a team, which must have been there, and that."""
    teams: list[NativeTeam] = []
    begin = NativeTeam.__init__
    run = partial(multicore.run, **{"workers": 3, "processes": "always", "kernels": "always",
                                    "slice_size": 20} | knobs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NativeTeam, "__init__",
                      lambda team, *given: (teams.append(team), begin(team, *given))[1])
        found = outputs(run, plan, rows)
    assert teams
    return found, teams[0]
