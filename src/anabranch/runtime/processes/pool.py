"""Worker processes for lines of plain Python, which would hold the lock here.

They are forked, so the program's functions need not travel; rows lie in shared memory, and a
private wire says where. A process ends when its wire is closed, so none outlives the engine.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import pyarrow as pa

from anabranch.batch.memory import Block, Memory
from anabranch.batch.transport import CannotTravel, dumped, loaded, number_classes
from anabranch.core.errors import RunError
from anabranch.core.threads import fork
from anabranch.runtime.processes.child import Wire, Work, live, wires


def settle_arrow() -> None:
    """Has Arrow import now what it imports when it first makes an array, such as pandas if that is
    there: a quarter of a second, which every process would need for itself."""
    pa.array([0]).to_numpy()


class Pool:
    """One process for each worker. Requests to a process are answered in their order; only one
    thread may talk with it."""

    def __init__(self, workers: int, work: Work):
        number_classes()
        if work.columns:
            settle_arrow()
        self.memory = Memory(workers)
        self.processes: list[Process] = []
        for index in range(workers):
            self.processes.append(Process(index + 1, self.memory, work))

    def ask(self, worker: int, then: Then, kind: str, *arguments: object,
            keep: object = None) -> None:
        """Sends a request, and calls `then` with its answer; `keep` holds what must stay in the
        memory until then."""
        self.processes[worker].ask(then, kind, arguments, keep)

    def kill(self) -> None:
        """Ends the processes at once; calls that wait for an answer fail."""
        for process in self.processes:
            process.signal(signal.SIGTERM)

    def close(self) -> None:
        """Lets the processes end, and waits for them. No call may be under way."""
        for process in self.processes:
            process.hang_up()
        for process in self.processes:
            process.wait()
        self.memory.close()


@dataclass(frozen=True)
class Reply:
    """What came of a request."""

    kind: str
    told: object

    @property
    def value(self) -> object:
        """Raises what was raised there."""
        if self.kind == "raised":
            raise self.told
        return self.told


Then = Callable[[Reply], None]


class Request(NamedTuple):
    """A request that was sent."""

    block: Block
    then: Then
    keep: object


OPEN: set[Wire] = set()
"""Our ends of the wires to all processes, of any pool. One that is forked later lets go of them:
a wire is closed only when nobody holds this end."""


class Process:
    """A forked process, the wire to it, and the calls that it has not answered yet."""

    def __init__(self, region: int, memory: Memory, work: Work):
        self.wire, theirs = wires()
        OPEN.add(self.wire)
        self.region, self.memory = region, memory
        self.calls: deque[Request] = deque()
        self.status: int | None = None
        parent = os.getpid()

        def begin() -> NoReturn:
            memory.belongs_to(region)
            live(theirs, memory, work, list(OPEN), parent)
        self.pid = fork(begin)
        theirs.close()

    def hang_up(self) -> None:
        """Lets the process end when it has answered what it was asked."""
        OPEN.discard(self.wire)
        self.wire.close()

    def ask(self, then: Then, kind: str, arguments: tuple, keep: object) -> None:
        request = dumped((self.memory.released_of(self.region), kind, arguments))
        call = Request(self.memory.stored(*request), then, keep)
        try:
            self.wire.send(call.block)
        except OSError:
            raise self._death() from None
        self.calls.append(call)

    def receive(self) -> None:
        """Waits for answers; they come in the order of the calls."""
        try:
            blocks = self.wire.received()
        except (EOFError, OSError):
            raise self._death() from None
        for block in blocks:
            self._answered(self.calls.popleft(), block)

    def _answered(self, call: Request, block: Block) -> None:
        try:
            reply = Reply(*loaded(self.memory.view(block)))
        except CannotTravel as error:
            reply = Reply("raised", error)
        self.memory.release(block)
        self.memory.release(call.block)
        call.then(reply)

    def _death(self) -> RunError:
        status = self.wait(seconds=1.0)
        how = f"was killed by {_signal_name(-status)}" if status < 0 else f"ended with {status}"
        return RunError(f"a worker process (pid {self.pid}) {how} while it worked",
                        help="was the machine out of memory? what was written so far is a part of "
                             "the output, from its beginning")

    def wait(self, seconds: float = 2.0) -> int:
        """The exit status, killing the process if it does not end in time."""
        deadline = time.monotonic() + seconds
        while self.status is None and not self._reaped():
            if time.monotonic() > deadline:
                self.signal(signal.SIGKILL)
            time.sleep(0.002)
        return self.status

    def _reaped(self) -> bool:
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            pid, status = self.pid, 0
        if pid:
            self.status = os.waitstatus_to_exitcode(status)
        return bool(pid)

    def signal(self, number: int) -> None:
        if self.status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
