"""Messages of a synchronization plan as bytes; runs of records travel as columns."""

from __future__ import annotations

from array import array

from anabranch.engine.multicore.transport import dumped, loaded, packed, unpacked
from anabranch.sync.messages import Done, Events, Run


def sendable(message: object) -> bytes:
    """The message as bytes; `CannotTravel` when it holds something that has no such form."""
    return b"".join(dumped(_PACKED.get(type(message), _as_is)(message)))


def received(data: bytes) -> object:
    kind, *parts = loaded(data)
    return _UNPACKED[kind](*parts)


def _as_is(message: object) -> tuple:
    return "message", message


def _packed_run(run: Run) -> tuple:
    stamps = array("q", run.stamps) if isinstance(run.stamps, list) else run.stamps
    return stamps, packed(run.items)


def _unpacked_run(stamps, pack: tuple) -> Run:
    return Run(stamps, unpacked(pack))


_PACKED = {
    Events: lambda m: ("events", m.shard, _packed_run(m.run), m.until),
    Done: lambda m: ("done", m.worker, list(map(_packed_run, m.outputs)), m.until, m.failure),
}
_UNPACKED = {
    "message": lambda message: message,
    "events": lambda shard, run, until: Events(shard, _unpacked_run(*run), until),
    "done": lambda worker, runs, until, failure: Done(
        worker, [_unpacked_run(*run) for run in runs], until, failure),
}
