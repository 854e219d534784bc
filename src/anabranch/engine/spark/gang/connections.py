"""Connections between the tasks of a gang, and the messages over them.

All addresses are exchanged once, then every two tasks have a connection. Both ends of it prove that
they know the gang's token, so what travels is trusted. A class of the user's travels once to each
task, then by its name.
"""

from __future__ import annotations

import hmac
import io
import pickle
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue

from anabranch.core.errors import RunError
from anabranch.core.threads import start_thread
from anabranch.engine.spark.job.pickling import Pickler, class_known_as, identity_of

MEETING = 60.0
"""So many seconds a task waits for the others: they have all been started already."""

PROOF = 5.0
"""So many seconds a connection has to prove where it comes from."""

NONCE = 32
HELP = "executors must be able to connect to each other"


class Stranger(Exception):
    """Who has connected is none of the gang."""


def connections(task: int, host: str, token: bytes, gather: Callable[[str], Sequence[str]]
                ) -> dict[int, socket.socket]:
    """A connection to each other task. `gather` gives the text of every task, ours among them."""
    found: dict[int, socket.socket] = {}
    with socket.create_server((host, 0)) as server, _closed_if_not(found):
        addresses = gather(f"{host} {server.getsockname()[1]}")
        for other in range(task):
            found[other] = _connected(addresses[other], task, other, token)
        deadline = time.monotonic() + MEETING
        while len(found) < len(addresses) - 1:
            with suppress(Stranger, OSError):
                other, connection = _accepted(server, task, token, deadline)
                found[other] = connection
            if time.monotonic() > deadline:
                raise RunError("the tasks of a gang do not reach each other", help=HELP)
    return {other: _lasting(connection) for other, connection in found.items()}


def _connected(address: str, task: int, other: int, token: bytes) -> socket.socket:
    host, port = address.split()
    try:
        connection = socket.create_connection((host, int(port)), MEETING)
        with _closed_if_not({0: connection}):
            connection.sendall(task.to_bytes(4, "big"))
            _prove(connection, token, task, other)
    except (OSError, Stranger) as error:
        raise RunError(f"a task of a gang does not reach another one at {host}: {error}",
                       help=HELP) from None
    return connection


def _accepted(server: socket.socket, task: int, token: bytes, deadline: float
              ) -> tuple[int, socket.socket]:
    server.settimeout(max(0.01, deadline - time.monotonic()))
    connection, _ = server.accept()
    with _closed_if_not({0: connection}):
        connection.settimeout(PROOF)
        other = int.from_bytes(_received(connection, 4), "big")
        _prove(connection, token, task, other)
    return other, connection


@contextmanager
def _closed_if_not(connections: dict[int, socket.socket]) -> Iterator[None]:
    """Closes the connections if the block does not end well."""
    try:
        yield
    except BaseException:
        for connection in connections.values():
            connection.close()
        raise


def _prove(connection: socket.socket, token: bytes, task: int, other: int) -> None:
    """Both ends are asked for what only who knows the token can compute."""
    question = secrets.token_bytes(NONCE)
    connection.sendall(question)
    asked = _received(connection, NONCE)
    connection.sendall(_answer(token, task, other, asked))
    if not hmac.compare_digest(_received(connection, NONCE),
                               _answer(token, other, task, question)):
        raise Stranger("it does not know the token")


def _answer(token: bytes, task: int, other: int, question: bytes) -> bytes:
    # With both numbers in it, an answer cannot be sent back to who gave it.
    return hmac.digest(token, b"%d %d " % (task, other) + question, "sha256")


def _received(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise Stranger("it has hung up")
        data += part
    return data


def _lasting(connection: socket.socket) -> socket.socket:
    """A connection that waits as long as its other end is there, and not longer."""
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3),
                          ("TCP_USER_TIMEOUT", 30_000)):
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return connection


SIZE = 8


class Gone(Exception):
    """A task has hung up."""


class GangMessages:
    """The connections of a task. Somebody always listens to each of them: whoever sends to this
    task must never wait for it to have finished something."""

    def __init__(self, connections: Mapping[int, socket.socket]):
        self.connections = dict(connections)
        self.told: dict[int, set[str]] = {task: set() for task in connections}
        self.inbox: SimpleQueue = SimpleQueue()
        for task, connection in self.connections.items():
            start_thread(self._listen, task, connection, name=f"gang {task}")

    def send(self, task: int, message: object) -> None:
        """A `RunError` when something in the message cannot travel. That a task has gone is
        noticed by who listens to it."""
        data = _dumped(message, self.told[task])
        with suppress(OSError):
            self.connections[task].sendall(len(data).to_bytes(SIZE, "big") + data)

    def tell_all(self, message: object) -> None:
        for task in self.connections:
            self.send(task, message)

    def next(self, wait: bool) -> object | None:
        """The next message, if there is one; `Gone` when some task has hung up."""
        try:
            message = self.inbox.get(block=wait)
        except Empty:
            return None
        if isinstance(message, Exception):
            raise message
        return message

    def close(self) -> None:
        for connection in self.connections.values():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _listen(self, task: int, connection: socket.socket) -> None:
        try:
            with connection.makefile("rb") as file:
                while size := file.read(SIZE):
                    self.inbox.put(pickle.loads(file.read(int.from_bytes(size, "big"))))
        except Exception as error:
            self.inbox.put(Gone(f"task {task} of the gang cannot be heard: {error}"))
        else:
            self.inbox.put(Gone(f"task {task} of the gang has gone"))


def _dumped(message: object, told: set[str]) -> bytes:
    buffer = io.BytesIO()
    pickler = _Briefly(buffer, told)
    try:
        pickler.dump(message)
    except Exception as error:
        raise RunError(f"a state cannot travel between the tasks of a gang: {error}",
                       help="keep only plain values in it") from error
    told |= pickler.new
    return buffer.getvalue()


class _Briefly(Pickler):
    """Names the classes of which the other end has been told."""

    def __init__(self, buffer: io.BytesIO, told: set[str]):
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self.told, self.new = told, set()

    def reducer_override(self, obj):
        identity = identity_of(obj)
        if identity is None:
            return super().reducer_override(obj)
        if identity in self.told:
            return class_known_as, (identity,)
        self.new.add(identity)
        return super().reducer_override(obj)
