"""The wire to a worker process and back: it carries places in the shared memory, nothing else."""

from __future__ import annotations

import os
import socket
import struct

from anabranch.engine.multicore.memory import Block

_PLACE = struct.Struct("=qqq")
_AT_ONCE = 64


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
