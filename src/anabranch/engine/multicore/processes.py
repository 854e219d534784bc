"""Worker processes: they run lines of plain Python, which would hold the interpreter's lock here.

They are forked, so the program's functions need not travel; rows go through a private pipe. A
process ends when its pipe is closed, so none outlives the engine.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe

from anabranch.engine.multicore.line import Flow, Line, Outcome
from anabranch.engine.multicore.transport import (
    CannotTravel,
    dumped,
    loaded,
    number_classes,
    packed,
    packed_rows,
    unpacked,
)
from anabranch.errors import RunError


def are_worthwhile() -> bool:
    """Whether processes can be forked safely and threads would not do as well."""
    with_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    return hasattr(os, "fork") and sys.platform != "darwin" and with_lock


Place = tuple[int, int]
"""A stage and a bucket."""

LineOf = Mapping[Place, Line]
"""The lines that a process may be asked to run."""


class Pool:
    """One process for each worker. A call occupies its worker's process until the answer comes."""

    def __init__(self, workers: int, lines: LineOf):
        number_classes()
        _flush()
        self.processes: list[Process] = []
        for _ in range(workers):
            self.processes.append(Process(lines, [p.connection for p in self.processes]))

    def run(self, worker: int, place: Place, number: int, flow: Flow) -> Outcome:
        rows = packed_rows(flow.rows)
        answer = self._call(worker, "run", place, number, rows, flow.ports, packed(flow.items))
        return _outcome(answer, flow.rows)

    def finish(self, worker: int, place: Place, number: int, name: str) -> Outcome:
        return _outcome(self._call(worker, "finish", place, number, name), None)

    def adopt(self, worker: int, place: Place, state: list) -> None:
        """The process goes on with a state that grew up here."""
        self._call(worker, "adopt", place, state)

    def _call(self, worker: int, *request: object) -> object:
        return self.processes[worker].call(request)

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


class Process:
    """A forked process and the pipe to it."""

    def __init__(self, lines: LineOf, others: list[Connection]):
        self.connection, theirs = Pipe()
        self.status: int | None = None
        with warnings.catch_warnings():
            # Newer Pythons warn of a fork beside other threads; we fork before we start any.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            _live(theirs, lines, [*others, self.connection])
        theirs.close()

    def call(self, request: object) -> object:
        data = dumped(request)
        try:
            self.connection.send_bytes(data)
            answer = self.connection.recv_bytes()
        except (EOFError, OSError):
            raise self._death() from None
        kind, value = loaded(answer)
        if kind == "raised":
            raise value
        return value

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


def _outcome(answer: tuple, given: Sequence | None) -> Outcome:
    outputs, failures, seconds = answer
    flows = [Flow(given if rows is None else rows, unpacked(pack)) for rows, pack in outputs]
    return Outcome(flows, failures, seconds)


def _live(connection: Connection, lines: LineOf, others: list[Connection]) -> None:
    """The life of a worker process: answer requests until the pipe is closed."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for other in others:
            other.close()
        while True:
            connection.send_bytes(_answer(lines, connection.recv_bytes()))
            _flush()
    except (EOFError, OSError):
        status = 0
    finally:
        # Nothing of the parent's that was copied here may run: no handlers, no destructors.
        os._exit(status)


def _answer(lines: LineOf, data: bytes) -> bytes:
    try:
        return dumped(("done", _done(lines, loaded(data))))
    except CannotTravel as error:
        return dumped(("raised", error))
    except BaseException as error:
        try:
            return dumped(("raised", error))
        except CannotTravel:
            return dumped(("raised", RunError(f"{type(error).__name__}: {error}")))


def _done(lines: LineOf, request: tuple) -> object:
    kind, place, *arguments = request
    return _REQUESTS[kind](lines[place], *arguments)


def _run(line: Line, number: int, rows: Sequence, ports: Sequence | None, pack: tuple) -> tuple:
    return _answered(line.run(number, Flow(rows, unpacked(pack), ports)), rows)


def _finish(line: Line, number: int, name: str) -> tuple:
    return _answered(line.finish(number, name), None)


def _answered(outcome: Outcome, given: Sequence | None) -> tuple:
    """The rows that were given need not travel back."""
    outputs = [(None if flow.rows is given else packed_rows(flow.rows), packed(flow.items))
               for flow in outcome.outputs]
    return outputs, outcome.failures, outcome.seconds


_REQUESTS = {"run": _run, "finish": _finish, "adopt": Line.adopt}


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A stream may be missing, closed, or lead nowhere any more.
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
