"""The life of a worker process: it answers requests until its wire is closed.

The wire to a process and back carries places in the shared memory, nothing else.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from anabranch.batch.buckets import Route, by_bucket
from anabranch.batch.memory import Block, Memory
from anabranch.batch.outcomes import combined
from anabranch.batch.slices import Outcome
from anabranch.batch.transport import CannotTravel, dumped, loaded
from anabranch.core.errors import RunError
from anabranch.core.threads import flush
from anabranch.ir.types import Type
from anabranch.runtime.processes.messages import Answer, Given, Lists, Way, listed, made, taken
from anabranch.runtime.stage.rows import Line

PR_SET_PDEATHSIG = 1
_PLACE = struct.Struct("=qqq")
_AT_ONCE = 64


def end_with(parent: int) -> None:
    """Has the system end this process together with the one that forked it, also when that one is
    killed while this one is busy. The thread that forked it must live as long."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


class Wire:
    """One end of a wire. What is received comes in one sweep: each system call of a thread lets
    another one have the interpreter's lock, and may have to wait to get it back.

    >>> one, other = wires()
    >>> one.send(Block(0, 1024, 5)); one.send(Block(0, 0, 7))
    >>> other.received()
    [Block(region=0, offset=1024, size=5), Block(region=0, offset=0, size=7)]
    >>> one.close(); other.close()
    """

    def __init__(self, end: socket.socket):
        self.end, self.number, self.rest = end, end.fileno(), b""

    def fileno(self) -> int:
        return self.number

    def send(self, block: Block) -> None:
        self.end.sendall(_PLACE.pack(*block))

    def received(self) -> list[Block]:
        """Waits for some blocks; `EOFError` when the other end is closed."""
        data = os.read(self.number, _AT_ONCE * _PLACE.size)
        if not data:
            raise EOFError
        data = self.rest + data
        whole = len(data) - len(data) % _PLACE.size
        self.rest = data[whole:]
        return [Block(*place) for place in _PLACE.iter_unpack(data[:whole])]

    def close(self) -> None:
        self.end.close()


def wires() -> tuple[Wire, Wire]:
    """The two ends of a new wire."""
    return tuple(map(Wire, socket.socketpair()))


Owners = dict[int, bytes]
"""For each output of a stage that is divided for the next: who owns its buckets."""


@dataclass(frozen=True)
class Work:
    """What a process may be asked to do: the lines by (stage, bucket); by (stage, number of its
    output) the routes, and the types of outputs that are read in columns; the lists of sources."""

    lines: Mapping[tuple[int, int], Line]
    routes: Mapping[tuple[int, int], Route]
    columns: Mapping[tuple[int, int], Type]
    lists: Lists = field(default_factory=dict)


def live(wire: Wire, memory: Memory, work: Work, others: list[Wire], parent: int) -> None:
    """Answers requests until the wire is closed, and never returns."""
    status = 1
    try:
        end_with(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for other in others:
            other.close()
        # What was there before the fork need not be looked at, and so copied, by each collection.
        gc.freeze()
        child = Child(memory, work)
        while True:
            for request in wire.received():
                wire.send(child.answered(request))
                flush()
    except (EOFError, OSError):
        status = 0
    finally:
        # Nothing of the parent's that was copied here may run: no handlers, no destructors.
        os._exit(status)


class Child:
    """The process itself: lines of plain Python, and where their outputs go next."""

    def __init__(self, memory: Memory, work: Work):
        self.memory, self.lines = memory, work.lines
        self.routes, self.columns, self.lists = work.routes, work.columns, work.lists

    def answered(self, request: Block) -> Block:
        """From the place of a request in the memory to that of its answer."""
        try:
            released, kind, arguments = loaded(self.memory.view(request))
            for block in released:
                self.memory.release(Block(*block))
            return self._stored("done", _REQUESTS[kind](self, *arguments))
        except CannotTravel as error:
            return self._stored("raised", error)
        except BaseException as error:
            try:
                return self._stored("raised", error)
            except CannotTravel:
                return self._stored("raised", RunError(f"{type(error).__name__}: {error}"))

    def _stored(self, kind: str, value: object) -> Block:
        return self.memory.stored(*dumped((kind, value)))

    def run(self, stage: int, number: int, flow: Given, owners: Owners) -> Answer:
        """The whole slice through a stage without state."""
        rows, _ = taken(self.memory, self.lists, flow)
        return self._each(stage, owners, {0: lambda line: line.run(number, listed(rows))})

    def share(self, stage: int, number: int, flow: Given, owners: Owners) -> Answer:
        """This process's share of a slice, each row through the line of its bucket."""
        rows, buckets = taken(self.memory, self.lists, flow)
        return self._each(stage, owners, {
            bucket: lambda line, part=part: line.run(number, listed(part))
            for bucket, part in by_bucket(rows, buckets).items()})

    def finish(self, stage: int, number: int, name: str, buckets: list[int],
               owners: Owners) -> Answer:
        """Tells an operator of the end of the input, in each of the buckets."""
        return self._each(stage, owners, dict.fromkeys(
            buckets, lambda line: line.finish(number, name)))

    def _each(self, stage: int, owners: Owners,
              steps: dict[int, Callable[[Line], Outcome]]) -> Answer:
        outcomes, busy = {}, {}
        for bucket, step in steps.items():
            began = time.perf_counter()
            outcomes[bucket] = step(self.lines[stage, bucket])
            busy[bucket] = time.perf_counter() - began
        return self._answer(stage, outcomes, owners, busy)

    def _answer(self, stage: int, outcomes: dict[int, Outcome], owners: Owners,
                busy: dict[int, float]) -> Answer:
        whole = combined(list(outcomes.values()))
        outputs = [made(self.memory, flow, self._way(stage, output, owners),
                        self.columns.get((stage, output)))
                   for output, flow in enumerate(whole.outputs)]
        return Answer(outputs, whole.failures, whole.seconds, whole.steps, busy)

    def _way(self, stage: int, output: int, owners: Owners) -> Way:
        if output not in owners:
            return None
        return self.routes[stage, output], np.frombuffer(owners[output], np.int64)

    def portable(self, stage: int, buckets: list[int]) -> list[bool]:
        """Whether the states of these buckets could go to another process."""
        return [is_portable(self.lines[stage, bucket]) for bucket in buckets]

    def states(self, stage: int, buckets: list[int]) -> dict[int, list]:
        return {bucket: self.lines[stage, bucket].state() for bucket in buckets}

    def adopt(self, stage: int, states: dict[int, list]) -> None:
        """Goes on with states that grew up elsewhere."""
        for bucket, state in states.items():
            self.lines[stage, bucket].adopt(state)


_REQUESTS = {"run": Child.run, "share": Child.share, "finish": Child.finish,
             "portable": Child.portable, "states": Child.states, "adopt": Child.adopt}


def is_portable(line: Line) -> bool:
    try:
        dumped(line.state())
    except CannotTravel:
        return False
    return True
