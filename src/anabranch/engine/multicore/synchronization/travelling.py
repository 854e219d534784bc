"""Messages of a synchronization plan as bytes; runs of records travel as columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from anabranch.engine.multicore.synchronization.runs import in_one
from anabranch.engine.multicore.transport import dumped, loaded, packed, unpacked
from anabranch.sync.messages import Done, Events, Run


def sendable(to: int, messages: Sequence[object]) -> bytes:
    """The messages to a worker as bytes; `CannotTravel` when one holds something that has no such
    form."""
    parts = dumped([_PACKED.get(type(m), _as_is)(m) for m in messages])
    return b"".join([to.to_bytes(8, "little", signed=True), *parts])


def receiver(data: bytes) -> int:
    """Whom the messages are for."""
    return int.from_bytes(data[:8], "little", signed=True)


def received(data: bytes) -> list[object]:
    return [_UNPACKED[kind](*parts) for kind, *parts in loaded(memoryview(data)[8:])]


def by_receiver(sent: Iterable[tuple[int, object]]) -> dict[int, list[object]]:
    """The messages for each, in order: many that travel together cost little more than one.

    >>> by_receiver([(1, "a"), (2, "b"), (1, "c")])
    {1: ['a', 'c'], 2: ['b']}
    """
    found: dict[int, list[object]] = {}
    for to, message in sent:
        found.setdefault(to, []).append(message)
    return found


def _as_is(message: object) -> tuple:
    return "message", message


def packed_run(run: Run) -> tuple:
    stamps = array("q", run.stamps) if isinstance(run.stamps, list) else run.stamps
    return stamps, packed(run.items)


def unpacked_run(stamps, pack: tuple) -> Run:
    return Run(stamps, unpacked(pack))


_PACKED = {
    Events: lambda m: ("events", m.shard, packed_run(m.run), m.until),
    Done: lambda m: ("done", m.worker, packed_run(in_one(m.outputs)), m.until, m.failure,
                     m.seconds),
}
_UNPACKED = {
    "message": lambda message: message,
    "events": lambda shard, run, until: Events(shard, unpacked_run(*run), until),
    "done": lambda worker, run, *others: Done(worker, [unpacked_run(*run)], *others),
}
