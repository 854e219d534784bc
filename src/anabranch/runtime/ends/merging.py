"""The tuples of all sources in the program's order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import attrgetter

from anabranch.core.errors import DataError
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Union
from anabranch.ir.times import is_aware, moment
from anabranch.runtime.ends.live import Feed, Heartbeat, as_they_come, beating
from anabranch.runtime.ends.reading import Reading

Timed = tuple[object, Operator, object]
"""A time, the source, and its item or heartbeat."""

Together = tuple[Operator, ...]
"""A source without a time, or all sources with one: they are merged by it."""

Turn = tuple[Together, ...]
"""Those that are read at the same time: one, or several that are live."""


def merged(graph: Graph, sources: dict[str, Iterable[object]], limit: int | None = None
           ) -> Iterator[tuple[Operator, object]]:
    """All source tuples in program order, at most `limit` of them.

    Sources with a time attribute are merged by it, ties by source order; the heartbeats of one
    that is silent let the others go on. They take the place of the first of them; a source without
    a time is read whole when its turn comes.

    Live sources that lead to a union in the order of arrival are read at the same time, each by a
    thread of its own. They take the place of the last of them: what is declared before it, and what
    else leads to such a union, is there when the run begins.
    """
    of_turns = (by_arrival(turn, sources) if len(turn) > 1 else by_time(turn[0], sources)
                for turn in turns(graph, sources))
    yield from islice(chain.from_iterable(of_turns), limit)


def turns(graph: Graph, sources: dict[str, Iterable[object]]) -> list[Turn]:
    """In which order the sources are read."""
    timed = tuple(op for op in graph.sources if op.kind.time)
    declared = [timed if op.kind.time else (op,) for op in graph.sources
                if not op.kind.time or op is timed[0]]
    live = [each for each in declared if any(_is_live(sources[op.name]) for op in each)]
    found: list[Turn] = [(each,) for each in declared]
    for union in (op for op in graph if _is_by_arrival(op)):
        leading, alone = _leading_to(graph, union), _leading_to(graph, union, alone=True)
        together = [each for each in live if _any_of(each, leading)]
        early = [each for each in declared if each not in live and _any_of(each, alone)]
        if together:
            found = _with_one_turn(found, together, early)
    return found


def by_time(together: Together, sources: dict[str, Iterable[object]]
            ) -> Iterator[tuple[Operator, object]]:
    """The tuples of one source, or of several by their times."""
    if len(together) == 1 and not together[0].kind.time:
        return ((together[0], item) for item in sources[together[0].name])
    streams = [_timed(op, sources[op.name]) for op in together]
    return ((op, item) for op, item in in_time_order(streams) if not isinstance(item, Heartbeat))


def by_arrival(turn: Turn, sources: dict[str, Iterable[object]]
               ) -> Iterator[tuple[Operator, object]]:
    """The tuples of live sources as they come; they count when they are taken."""
    for op, item in as_they_come([_feed(together, sources) for together in turn]):
        sources[op.name].arrived(item)
        yield op, item


def _feed(together: Together, sources: dict[str, Reading]) -> Feed:
    first = sources[together[0].name]

    def items(rows) -> Iterator[tuple[Operator, object]]:
        return by_time(together, {op.name: sources[op.name].arriving(rows) for op in together})
    return Feed(" and ".join(op.name for op in together), first.rows, items)


def in_time_order(streams: Iterable[Iterator[Timed]]) -> Iterator[tuple[Operator, object]]:
    """The tuples of several sources in the order of their times, which must be of one kind."""
    kinds: dict[bool, Operator] = {}
    checked = [_of_one_kind(kinds, stream) for stream in streams]
    return ((op, item) for _, op, item in heapq.merge(*checked, key=lambda s: moment(s[0])))


def _of_one_kind(known: dict[bool, Operator], stream: Iterator[Timed]) -> Iterator[Timed]:
    """The stream, whose times are all of one kind; `known` has a source of each kind."""
    for given in stream:
        time, op, _ = given
        aware = is_aware(time)
        if aware is not None:
            known.setdefault(aware, op)
        if len(known) > 1:
            other = known[not aware]
            raise DataError(f"the times of '{other.name}' and '{op.name}' cannot be compared: one "
                            "has a zone, the other has none", op.span, got=str(time),
                            help="give both a zone, or neither, before they are merged")
        yield given


def _timed(op: Operator, items: Iterable[object]) -> Iterator[Timed]:
    time = attrgetter(op.kind.time)
    timed = ((time(item), op, item) for item in items)
    return timed if op.kind.heartbeats is None else beating(op, timed)


def _is_live(given: Iterable[object]) -> bool:
    return isinstance(given, Reading) and given.is_live


def _is_by_arrival(op: Operator) -> bool:
    return isinstance(op.kind, Union) and op.kind.on is None


def _with_one_turn(found: list[Turn], together: Sequence[Together], early: Sequence[Together]
                   ) -> list[Turn]:
    """The turns of some live sources as one, in the place of the last of them. What comes `early`
    has its turn before that."""
    theirs = [turn for turn in found if any(each in turn for each in together)]
    place = found.index(theirs[-1])
    later = [turn for turn in found[place + 1:] if turn[0] in early]
    before = [turn for turn in found[:place] if turn not in theirs]
    behind = [turn for turn in found[place + 1:] if turn not in later]
    return [*before, *later, tuple(each for turn in theirs for each in turn), *behind]


def _leading_to(graph: Graph, op: Operator, alone: bool = False) -> set[str]:
    """The sources whose items may have a part in what the operator is given; `alone`, only those
    that meet no others on the way, except in unions by arrival."""
    found, looked_at, left = set(), {op.name}, [op]
    while left:
        for before in graph.predecessors(left.pop()):
            if before.is_source:
                found.add(before.name)
            elif before.name not in looked_at and not (
                    alone and len(before.inputs) > 1 and not _is_by_arrival(before)):
                looked_at.add(before.name)
                left.append(before)
    return found


def _any_of(together: Together, names: set[str]) -> bool:
    return any(op.name in names for op in together)
