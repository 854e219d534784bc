"""Tuples over TCP and UDP, as TCPSource and its like read and write them.

A source of a socket is read once, as it comes. `--input NAME=PATH` gives what was recorded of one
in a file, so that a run can be repeated.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.io.rows import BadRows, Row, TimeOrder, check_time, decoded
from anabranch.ir.ends import ItemWriter, SinkSpec, SourceSpec
from anabranch.ir.types import Type
from anabranch.lang.spl.formats import Layout, SplFile, SplSource
from anabranch.lang.spl.types import TupleOf

DATAGRAM = 1 << 16
PATIENCE = 60.0
"""Seconds in which a client tries to reach its server."""


@dataclass(frozen=True)
class Address:
    """Where a socket is: of a client the other end, of a server its own."""

    protocol: str
    role: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.protocol}://{self.host or '*'}:{self.port} ({self.role})"

    def failure(self, error: OSError, where: Span | None) -> RunError:
        return RunError(f"the socket {self} failed: {error.strerror or error}", where)

    def listening(self) -> socket.socket:
        return socket.create_server((self.host, self.port))

    def reached(self) -> socket.socket:
        """A connection to the other end, which may begin later than this one."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return socket.create_connection((self.host, self.port))
            except ConnectionRefusedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)


@dataclass(frozen=True)
class SocketSource(SourceSpec):
    """The tuples that come in over a socket: over TCP until the other side closes it."""

    format: ClassVar[str] = "spl"
    replayable: ClassVar[bool] = False
    live: ClassVar[bool] = True
    address: Address
    kind: TupleOf
    type: Type
    layout: Layout
    time: str | None = None
    permissive: bool = False
    span: Span | None = field(default=None, compare=False)

    def __post_init__(self):
        check_time(self.type, self.time, self.span)

    @property
    def shown(self) -> str:
        return f"{self.layout.format} from {self.address}"

    def at(self, path: str) -> SplSource:
        """What was recorded of it in a file."""
        return SplSource(path, self.kind, self.type, self.layout, self.time, 0, self.permissive,
                         self.span)

    def items(self, rows: BadRows) -> Iterator[object]:
        policy = BadRows.parse("skip") if self.permissive else rows
        order, read = TimeOrder(self.time), self.layout.reader(self.kind)
        yield from decoded(self._rows(), read, order, policy)

    def _rows(self) -> Iterator[Row]:
        try:
            for number, raw in enumerate(self._lines(), 1):
                text = raw.decode(errors="replace").removesuffix("\n").removesuffix("\r")
                if text or self.layout.format == "line":
                    yield Row(str(self.address), number, raw, text)
        except OSError as error:
            raise self.address.failure(error, self.span) from None

    def _lines(self) -> Iterator[bytes]:
        if self.address.protocol == "udp":
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
                own.bind((self.address.host, self.address.port))
                while True:
                    yield from own.recv(DATAGRAM).splitlines(keepends=True)
        if self.address.role == "client":
            connection = self.address.reached()
        else:
            with self.address.listening() as server:
                connection, _ = server.accept()
        with connection, connection.makefile("rb") as stream:
            yield from stream


@dataclass(frozen=True)
class SocketOutput(SinkSpec):
    """Tuples that go out over a socket, one in each line or datagram."""

    format: ClassVar[str] = "spl"
    address: Address
    layout: Layout
    span: Span | None = field(default=None, compare=False)

    @property
    def shown(self) -> str:
        return f"{self.layout.format} to {self.address}"

    def at(self, path: str) -> SplFile:
        return SplFile(path, self.span, self.layout)

    def open(self, item_type: Type) -> SocketWriter:
        return SocketWriter(self)


class SocketWriter(ItemWriter):
    """Sends what is written; a server waits for its client when the first tuple is there."""

    def __init__(self, spec: SocketOutput):
        self.spec, self.address = spec, spec.address
        self.stream: socket.socket | None = None
        self.server: socket.socket | None = None
        self._guarded(self._begin)

    def _begin(self) -> None:
        if self.address.protocol == "udp":
            self.stream = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.stream.connect((self.address.host, self.address.port))
        elif self.address.role == "server":
            self.server = self.address.listening()

    def _connected(self) -> socket.socket:
        if self.stream is None and self.server is not None:
            self.stream, _ = self.server.accept()
        elif self.stream is None:
            self.stream = self.address.reached()
        return self.stream

    def write(self, item: object) -> None:
        if item is not None:
            text = f"{self.spec.layout.text(item)}\n"
            self._guarded(lambda: self._connected().sendall(text.encode()))

    def _guarded(self, action) -> None:
        try:
            action()
        except OSError as error:
            raise self.address.failure(error, self.spec.span) from None

    def commit(self) -> None:
        self.abort()

    def abort(self) -> None:
        for each in (self.stream, self.server):
            if each is not None:
                each.close()
