"""A worker of a plan: messages in, messages out, nothing else.

Mailboxes release an event as soon as all that must go before it has been released.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from enum import Enum

from anabranch.plan.sync.plan import Tree
from anabranch.plan.sync.program import Program
from anabranch.runtime.gang.messages import (
    END,
    NEVER,
    NOTHING,
    Ask,
    Done,
    Down,
    Events,
    Floor,
    Message,
    Offer,
    Run,
    Up,
)
from anabranch.runtime.gang.routing import Claims
from anabranch.runtime.gang.updates import Failed, Updates

ABOVE = "above"
"""Whose events are the requests from above."""


class Mailbox:
    """Buffers and timers by shard; those of a worker with none below it are `apart`."""

    def __init__(self, shards: Iterable[Hashable], apart: bool = False):
        self.buffers: dict[Hashable, deque[Run]] = {key: deque() for key in (*shards, ABOVE)}
        self.timers = dict.fromkeys(self.buffers, 0)
        self.others = {key: [o for o in self.buffers if o != key and (
            not apart or ABOVE in (o, key))] for key in self.buffers}
        self.changed: deque[Hashable] = deque()

    def put(self, key: Hashable, run: Run, until: int) -> None:
        """More events of a shard, if any; and no other will come before `until`."""
        if len(run):
            self.buffers[key].append(run)
        self.timers[key] = max(self.timers[key], until)
        self.changed.extend((key, *self.others[key]))

    def released(self) -> Iterator[tuple[Hashable, Run]]:
        """What may be worked off now, in order."""
        while self.changed:
            key = self.changed.popleft()
            if runs := list(self._before(key, self._horizon(key))):
                yield from ((key, run) for run in runs)
                self.changed.extend(o for o in self.others[key] if o not in self.changed)

    def first(self, key: Hashable) -> int:
        """The stamp of the first event of a shard that is here or may still come."""
        buffer = self.buffers[key]
        return buffer[0].stamps[0] if buffer else self.timers[key]

    @property
    def until(self) -> int:
        """Before this stamp, nothing of the worker's own is here or will come."""
        return min((self.first(key) for key in self.buffers if key != ABOVE), default=NEVER)

    def _horizon(self, key: Hashable) -> int:
        return min((self.first(other) for other in self.others[key]), default=NEVER)

    def _before(self, key: Hashable, stamp: int) -> Iterator[Run]:
        buffer = self.buffers[key]
        while buffer and buffer[0].stamps[0] < stamp:
            before, after = buffer.popleft().parted(stamp)
            if len(after):
                buffer.appendleft(after)
            yield before


ENGINE = -1
"""Who stands above the root: it deals out the events, gives the state, and takes the outputs."""

Sent = tuple[int, Message | Done]
"""Who it is for, and the message."""


class StatePlace(Enum):
    HERE = "here"
    BELOW = "below"
    ABOVE = "above"


class Worker:
    """The worker number `index` of a plan; `parent` and `children` are such numbers as well, and
    the root's parent is the engine. `claims` says what has been taken of pools, if there are any.
    """

    def __init__(self, program: Program, updates: Updates, node: Tree, index: int,
                 parent: int, children: Sequence[int], claims: Claims | None = None):
        self.program, self.updates, self.node = program, updates, node
        self.index, self.parent, self.children = index, parent, tuple(children)
        self.claims, self.pools = claims, claims.of(index) if claims else []
        self.mailbox = Mailbox([*sorted(set(node.lanes.values()), key=str), *self.pools],
                               apart=not children)
        self.place, self.state, self.kept = StatePlace.ABOVE, None, None
        self.waiting: deque[tuple[object, Run]] = deque()
        self.parts: dict[int, object] | None = None
        self.floor = self.behind = self.told = 0
        self.seconds = 0.0
        self.failed: Failed | None = None
        self.sides = [frozenset(s.tag for s in child.below) for child in node.children]

    def receive(self, message: Message) -> list[Sent]:
        """Takes a message in and goes on as far as possible. The root begins when the engine gives
        it the state, with a `Down`.

        After a failure only what stands before it counts: another event may fail earlier.
        """
        sent: list[Sent] = []
        outputs: list[Run] = []
        self._trying(_TAKEN[type(message)], self, message)
        self.waiting.extend(self.mailbox.released())
        self._drop_what_is_too_late()
        while self._trying(self._work, sent, outputs):
            self._drop_what_is_too_late()
        return [*sent, *self._news(outputs)]

    def _news(self, outputs: list[Run]) -> list[Sent]:
        """What the engine does not know yet."""
        until = self._until()
        if not any(map(len, outputs)) and until == self.told and self.failed is None:
            return []
        self.told = until
        return [(ENGINE, Done(self.index, outputs, until, self.failed, self.seconds))]

    def _trying(self, step: Callable, *arguments: object) -> bool:
        """Whether a step has failed, at an event that stands before all that failed so far."""
        try:
            step(*arguments)
        except Failed as failed:
            if self.failed is None or failed.stamp < self.failed.stamp:
                self.failed = failed
                return True
        return False

    def _events(self, message: Events) -> None:
        self.mailbox.put(message.shard, message.run, message.until)

    def _offered(self, message: Offer) -> None:
        self.mailbox.put(message.pool, message.run, message.until)

    def _asked(self, message: Ask) -> None:
        self.mailbox.put(ABOVE, Run([message.stamp], [None]), message.stamp + 1)

    def _floor_raised(self, message: Floor) -> None:
        self.mailbox.put(ABOVE, NOTHING, message.until)

    def _part_came(self, message: Up) -> None:
        self.parts[message.child] = message.state
        if len(self.parts) == len(self.children):
            parts = map(self.parts.get, self.children)
            self.state = self._guarded(self._first_waiting(), self.program.join, *parts)
            self.place, self.parts = StatePlace.HERE, None

    def _state_came(self, message: Down) -> None:
        self.state, self.place = message.state, StatePlace.HERE
        if self.kept is not None:
            self.state, self.kept = self.program.returned(message.state, self.kept), None

    def _work(self, sent: list[Sent], outputs: list[Run]) -> None:
        while self.waiting and self.place is StatePlace.HERE:
            self._next(sent, outputs)
            self._share(sent)
        self._share(sent)
        if self.waiting and self.place is StatePlace.BELOW and self.parts is None:
            self.parts = {}
            sent += [(child, Ask(self.waiting[0][1].stamps[0])) for child in self.children]
        self._raise_floor(sent)

    def _drop_what_is_too_late(self) -> None:
        if self.failed is not None:
            before = ((key, run.parted(self.failed.stamp)[0]) for key, run in self.waiting)
            self.waiting = deque((key, run) for key, run in before if len(run))

    def _next(self, sent: list[Sent], outputs: list[Run]) -> None:
        key, run = self.waiting.popleft()
        if key == ABOVE:
            sent.append((self.parent, Up(self.index, self._given_up(run.stamps[0]))))
            self.place, self.state = StatePlace.ABOVE, None
            return
        if key in self.pools:
            self._take_some(key, run, outputs)
            return
        # Between events that do not follow each other, those below may have some of their own.
        many = _consecutive(run.stamps) if self.children else len(run)
        self._update(key, run.cut(0, many), run.cut(many, len(run)), outputs)

    def _take_some(self, pool: int, run: Run, outputs: list[Run]) -> None:
        meeting = any(key == ABOVE for key, _ in self.waiting)
        own, rest = self.claims.taken(pool, run, meeting)
        if len(own):
            before = self.seconds
            self._update(pool, own, rest, outputs)
            self.claims.worked(len(own), self.seconds - before)

    def _update(self, key: object, run: Run, rest: Run, outputs: list[Run]) -> None:
        """Works off a run; the rest of it is the next."""
        if len(rest):
            self.waiting.appendleft((key, rest))
        began = time.thread_time()
        self.state, failed = self.updates(self.state, run, outputs)
        self.seconds += time.thread_time() - began
        if failed is not None:
            raise failed
        self.behind = run.stamps[-1] + 1

    def _given_up(self, stamp: int) -> object:
        """The state for those above; at the end of the input all of it."""
        state = self.updates.plain(self.state)
        if self.children or stamp == END:
            return state
        tags = {shard.tag for shard in self.node.shards}
        state, self.kept = self.program.lent(state, tags.__contains__)
        return state

    def _share(self, sent: list[Sent]) -> None:
        """Gives the state to those below, who can do nothing without it."""
        if not self.children or self.place is not StatePlace.HERE or self._is_asked_next():
            return
        parts = self._guarded(self.behind, self.program.fork, self.updates.plain(self.state),
                              *(side.__contains__ for side in self.sides))
        sent += [(child, Down(part)) for child, part in zip(self.children, parts)]
        self.place, self.state = StatePlace.BELOW, None

    def _is_asked_next(self) -> bool:
        """Whether the state is needed above before anybody below can have had an event."""
        return bool(self.waiting) and self.waiting[0][0] == ABOVE \
            and self._first_waiting() == self.behind

    def _raise_floor(self, sent: list[Sent]) -> None:
        """Those below may go on up to the next event for which they will be asked."""
        floor = min(self._until(), self.mailbox.first(ABOVE), self._first_waiting())
        if floor > self.floor:
            self.floor = floor
            sent += [(child, Floor(floor)) for child in self.children]

    def _until(self) -> int:
        """Before this stamp, all of this worker's own events have been worked off."""
        own = min((run.stamps[0] for key, run in self.waiting if key != ABOVE), default=NEVER)
        failed = NEVER if self.failed is None else self.failed.stamp
        return min(self.mailbox.until, own, failed)

    def _first_waiting(self) -> int:
        return self.waiting[0][1].stamps[0] if self.waiting else NEVER

    def _guarded(self, stamp: int, function: Callable, *arguments: object) -> object:
        """A fork or a join: what it raises is the failure of the event with this stamp."""
        try:
            return function(*arguments)
        except (Exception, SystemExit) as error:
            raise Failed(stamp, error) from error


_TAKEN = {Events: Worker._events, Offer: Worker._offered, Ask: Worker._asked,
          Floor: Worker._floor_raised, Up: Worker._part_came, Down: Worker._state_came}


def _consecutive(stamps: Sequence[int]) -> int:
    """How many stamps at the beginning follow each other without a gap.

    >>> _consecutive([4, 5, 7])
    2
    """
    first = stamps[0]
    return next((n for n, stamp in enumerate(stamps) if stamp != first + n), len(stamps))


def workers_of(program: Program, tree: Tree, updates: Sequence[Updates],
               claims: Claims | None = None) -> list[Worker]:
    """A worker for each node, in the order of `Tree.nodes`, with its own way to update."""
    nodes = list(tree.nodes())
    number = {id(node): n for n, node in enumerate(nodes)}
    parent = {number[id(child)]: n for n, node in enumerate(nodes) for child in node.children}
    return [Worker(program, updates[n], node, n, parent.get(n, ENGINE),
                   [number[id(child)] for child in node.children], claims)
            for n, node in enumerate(nodes)]
