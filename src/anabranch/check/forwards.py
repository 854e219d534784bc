"""Every output has the forwarded attributes of the tuple that it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.analysis.fact import Forwarding
from anabranch.check.replay import Subject, same
from anabranch.check.verdict import Counterexample, the_tuple

MISSING = "no such attribute"


def forwards(subject: Subject, forwarding: Forwarding, port: int) -> Counterexample | None:
    for firing in subject.log.firings:
        if firing.port == port:
            for _, output in firing.outputs:
                for expected, came in _differences(forwarding, firing.item, output):
                    return Counterexample(the_tuple(firing.item), expected, came)
    return None


def _differences(forwarding: Forwarding, item: object, output: object) -> Iterator[tuple[str, str]]:
    if forwarding.everything and not same(item, output):
        yield "the tuple itself", repr(output)
    for name, origin in forwarding.pairs:
        given, out = getattr(item, origin, MISSING), getattr(output, name, MISSING)
        if not same(given, out) or out is MISSING:
            yield f"{name} = {given!r}, the tuple's {origin}", f"{name} = {out!r} in {output!r}"
