"""Messages between the tasks of a gang. What travels comes from tasks of the same job, which have
proved it, so it is trusted. A class of the user's travels once to each task, then by its name."""

from __future__ import annotations

import io
import pickle
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue

from anabranch.engine.spark.travel import Pickler, class_known_as, identity_of
from anabranch.errors import RunError

SIZE = 8


class Gone(Exception):
    """A task has hung up."""


class Post:
    """The connections of a task. Somebody always listens to each of them: whoever sends to this
    task must never wait for it to have finished something."""

    def __init__(self, connections: Mapping[int, socket.socket]):
        self.connections = dict(connections)
        self.told: dict[int, set[str]] = {task: set() for task in connections}
        self.inbox: SimpleQueue = SimpleQueue()
        for task, connection in self.connections.items():
            threading.Thread(target=self._listen, args=(task, connection), daemon=True,
                             name=f"anabranch gang {task}").start()

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
