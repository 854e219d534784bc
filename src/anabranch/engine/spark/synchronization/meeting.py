"""How the tasks of a gang find each other: all addresses are exchanged once, then every two tasks
have a connection. Both ends of it prove that they know the gang's token."""

from __future__ import annotations

import hmac
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from anabranch.errors import RunError

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
