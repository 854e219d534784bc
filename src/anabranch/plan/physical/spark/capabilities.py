"""What the Spark engine does not do, and why: for refusals, docs and tests."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.core.errors import UsageError
from anabranch.core.source import Span
from anabranch.io.python.objects import IterableSource
from anabranch.ir.graph import Graph
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.bonds import led_by_name


@dataclass(frozen=True)
class Limit:
    """Something that is refused before anything starts."""

    what: str
    why: str
    help: str | None = None

    def refusal(self, got: str, where: Span | None = None) -> UsageError:
        return UsageError(f"the spark engine does not run {self.what}: {self.why}", where, got=got,
                          help=self.help)


LIMITS = {
    "workers": Limit("with `--workers`", "the master decides, as in --master local[4]; "
                                         "--engine multicore has workers"),
    "endless": Limit("a source that never ends", "a batch begins when its input has been read",
                     "--limit N takes the first N items; other engines take items as they come"),
    "led": Limit("a generator that changes what an operator sees",
                 "its items are all taken before the first is worked on",
                 "run it with --engine multicore or sequential, or give the items what they need"),
    "remote": Limit("a stream of folders that are not this machine's",
                    "rows are read by Python from a path", "name a path, without **"),
}

REFUSES = {"workers": LIMITS["workers"].why}
"""The options of a run that mean nothing here."""


def refuse_led(plan: Plan) -> None:
    """Refuses to show operators what only comes later, where both name it."""
    for source, op in led_by_name(plan.graph, plan.facts):
        raise LIMITS["led"].refusal(f"{source.name}, which changes what {op.name} sees", op.span)


def refuse_endless(graph: Graph, limit: int | None) -> None:
    """Refuses to wait for ever for the last item of a source."""
    for op in graph.sources:
        spec = op.kind.spec
        if limit is None and isinstance(spec, IterableSource) and spec.endless:
            raise LIMITS["endless"].refusal(op.kind.spec.shown, op.span)
