"""What is found out while a function, and all that it calls, is walked."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.analysis.facts import Effect, EffectKind
from anabranch.analysis.objects import reached
from anabranch.analysis.roots import Root, Value
from anabranch.source import Span


@dataclass
class Context:
    """Collects effects, changes of the state, and what was put into the state; `active` and `done`
    keep recursive and repeated calls from being walked for ever, `met` the special methods of a
    class."""

    effects: dict[tuple, Effect] = field(default_factory=dict)
    changed: set[Root] = field(default_factory=set)
    placed: list[tuple[Root, Root, Span | None]] = field(default_factory=list)
    active: list[object] = field(default_factory=list)
    done: dict[tuple, Value] = field(default_factory=dict)
    met: set[tuple] = field(default_factory=set)
    surveys: dict[int, list] = field(default_factory=dict)

    def survey(self, value: object) -> list[object]:
        """The object from outside and all that lies in it; looked at once, as it may be large."""
        if id(value) not in self.surveys:
            self.surveys[id(value)] = list(reached(value))
        return self.surveys[id(value)]

    def add(self, kind: EffectKind, name: str, reason: str, span: Span | None,
            identity: frozenset = frozenset()) -> None:
        self.effects.setdefault((kind, name, span), Effect(kind, name, reason, span, identity))

    def writes(self, root: Root, reason: str, span: Span | None) -> None:
        self.add(EffectKind.WRITES, root.name, reason, span, root.identity)

    def reads(self, root: Root, span: Span | None) -> None:
        self.add(EffectKind.READS_SHARED, root.name, f"reads {root.label}", span, root.identity)

    def unresolved(self, name: str, reason: str, span: Span | None,
                   identity: frozenset = frozenset()) -> None:
        self.add(EffectKind.UNRESOLVED, name, reason, span, identity)

    def changed_state(self, root: Root) -> None:
        self.changed.add(root)

    def stored(self, place: Value, value: Value, span: Span | None) -> None:
        """Notes a part of the input, or of the state, that is put into the state."""
        for at in place.itself:
            if at.kind == "state":
                self.placed.extend((at, root, span) for root in value.all
                                   if root.kind in ("item", "state"))

    def changes_within(self, root: Root) -> bool:
        """Whether a part of the state is changed in place, at this depth or below."""
        aliased = any(inner.kind == "state" for _, inner, _ in self.placed)
        return any(c.depth >= max(root.depth, 1) and (
            aliased or "*" in (c.name, root.name) or c.name == root.name) for c in self.changed)
