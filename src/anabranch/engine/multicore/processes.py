"""Worker processes: they run lines of plain Python, which would hold the interpreter's lock here.

They are forked, so the program's functions need not travel; rows lie in shared memory, and a
private pipe says where. A process ends when its pipe is closed, so none outlives the engine.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe

from anabranch.engine.multicore.child import Work, block_of, flush, live, signal_of
from anabranch.engine.multicore.memory import Memory
from anabranch.engine.multicore.transport import CannotTravel, dumped, loaded, number_classes
from anabranch.errors import RunError


def are_worthwhile() -> bool:
    """Whether processes can be forked safely and threads would not do as well."""
    with_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    return hasattr(os, "fork") and sys.platform != "darwin" and with_lock


class Pool:
    """One process for each worker. Requests to a process are answered in their order; only one
    thread may talk with it."""

    def __init__(self, workers: int, work: Work):
        number_classes()
        flush()
        self.memory = Memory(workers)
        self.processes: list[Process] = []
        for index in range(workers):
            others = [process.connection for process in self.processes]
            self.processes.append(Process(index + 1, self.memory, work, others))

    def ask(self, worker: int, kind: str, *arguments: object, keep: object = None) -> Call:
        """Sends a request; `keep` holds what must stay in the memory until it is answered."""
        return self.processes[worker].ask(kind, arguments, keep)

    def kill(self) -> None:
        """Ends the processes at once; calls that wait for an answer fail."""
        for process in self.processes:
            process.signal(signal.SIGTERM)

    def close(self) -> None:
        """Lets the processes end, and waits for them. No call may be under way."""
        for process in self.processes:
            process.connection.close()
        for process in self.processes:
            process.wait()
        self.memory.close()


class Call:
    """A request that was sent, and its answer once it is there."""

    def __init__(self, process: Process, block, keep: object):
        self.process, self.block, self.keep = process, block, keep
        self.value: tuple | None = None

    def answer(self) -> object:
        """Waits for the answer, and raises what was raised there."""
        while self.value is None:
            self.process.receive()
        kind, value = self.value
        if kind == "raised":
            raise value
        return value

    def answered(self, value: tuple) -> None:
        self.value, self.keep = value, None


class Process:
    """A forked process, the pipe to it, and the calls that it has not answered yet."""

    def __init__(self, region: int, memory: Memory, work: Work, others: list[Connection]):
        self.connection, theirs = Pipe()
        self.region, self.memory = region, memory
        self.calls: deque[Call] = deque()
        self.status: int | None = None
        with warnings.catch_warnings():
            # Newer Pythons warn of a fork beside other threads; we fork before we start any.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            memory.belongs_to(region)
            live(theirs, memory, work, [*others, self.connection])
        theirs.close()

    def ask(self, kind: str, arguments: tuple, keep: object) -> Call:
        request = dumped((self.memory.released_of(self.region), kind, arguments))
        call = Call(self, self.memory.stored(*request), keep)
        try:
            self.connection.send_bytes(signal_of(call.block))
        except OSError:
            raise self._death() from None
        self.calls.append(call)
        return call

    def receive(self) -> None:
        """Waits for the next answer, which is that of the oldest call."""
        try:
            block = block_of(self.connection.recv_bytes())
        except (EOFError, OSError):
            raise self._death() from None
        call = self.calls.popleft()
        try:
            value = loaded(self.memory.view(block))
        except CannotTravel as error:
            value = "raised", error
        self.memory.release(block)
        self.memory.release(call.block)
        call.answered(value)

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
