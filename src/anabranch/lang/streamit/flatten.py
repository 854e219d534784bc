"""From the tree of instances to a flat flow of filters, splitters and joiners."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.lang.streamit.execution.plain import complex_of, single
from anabranch.lang.streamit.instances import Branch, Leaf, gives, takes
from anabranch.lang.streamit.sdf.flow import Actor, Channel, Flow, Join, Rates, Split
from anabranch.lang.streamit.types import (
    BOOLEAN,
    COMPLEX,
    FLOAT,
    INT,
    VOID,
    Type,
    promotes,
    shape_of,
)


@dataclass(frozen=True)
class End:
    """An output that nothing reads yet."""

    actor: int
    port: int
    type: Type


def flatten(top: Leaf | Branch) -> Flow:
    """The flow of a program."""
    flattening = Flattening()
    end = flattening.place(top, None)
    if end is not None:
        raise ProgramError(f"nothing reads what '{flattening.actors[end.actor].name}' pushes",
                           flattening.actors[end.actor].span)
    return Flow(tuple(flattening.actors), tuple(flattening.channels))


class Flattening:
    """Places instances one after another; `place` gives the open end behind each."""

    def __init__(self):
        self.actors: list[Actor] = []
        self.channels: list[Channel] = []
        self._names: dict[str, int] = {}

    def place(self, instance: Leaf | Branch, end: End | None) -> End | None:
        if isinstance(instance, Leaf):
            return self._leaf(instance, end)
        return {"pipeline": self._pipeline, "splitjoin": self._splitjoin,
                "feedbackloop": self._feedback}[instance.kind](instance, end)

    def _leaf(self, leaf: Leaf, end: End | None) -> End | None:
        self._check_input(leaf, end)
        actor = self._actor(leaf.name, leaf.rates, leaf.body, leaf.span, leaf.first)
        if end is not None:
            self._connect(end, actor, 0)
        if leaf.output in (None, VOID):
            return None
        return End(actor, 0, end.type if leaf.body is None else leaf.output)

    def _check_input(self, leaf: Leaf, end: End | None) -> None:
        wanted = None if leaf.input == VOID else leaf.input
        if wanted is None and end is not None:
            raise ProgramError(f"'{leaf.name}' takes nothing from '{self.actors[end.actor].name}'",
                               leaf.span, got=f"items of type {end.type}")
        if wanted is not None and end is None:
            raise ProgramError(f"nothing stands before '{leaf.name}'", leaf.span,
                               expected=f"a stream of {wanted}")
        if end is not None and (end.type != wanted or _is_longer(end.type, wanted)):
            raise ProgramError(f"'{leaf.name}' takes items of another type", leaf.span,
                               expected=str(wanted),
                               got=f"{end.type}, from '{self.actors[end.actor].name}'")

    def _pipeline(self, branch: Branch, end: End | None) -> End | None:
        for _, child in branch.children:
            end = self.place(child, end)
        return end

    def _splitjoin(self, branch: Branch, end: End | None) -> End | None:
        children = [child for _, child in branch.children]
        if not children:
            raise ProgramError("the split-join has no streams in it", branch.span)
        ends = self._split(branch, end, children)
        outs = [self.place(child, each) for child, each in zip(children, ends)]
        return self._join(branch, outs)

    def _split(self, branch: Branch, end: End | None, children: list) -> list[End | None]:
        """The ends for the children; one that takes nothing has none."""
        takers = [takes(child) for child in children]
        weights = _weights(branch.splitting, len(children), "split", branch.span)
        if end is None or not any(takers):
            return [end if taker else None for taker in takers]
        kept = [1 if weights is None else w
                for w, taker in zip(weights or takers, takers) if taker]
        total = 1 if weights is None else sum(kept)
        body = Split(None if weights is None else tuple(kept))
        actor = self._actor("split", Rates((total,), (total,), tuple(kept)), body, branch.span)
        self._connect(end, actor, 0)
        ports = iter(range(len(kept)))
        return [End(actor, next(ports), end.type) if taker else None for taker in takers]

    def _join(self, branch: Branch, ends: list[End | None]) -> End | None:
        weights = _weights(branch.joining, len(ends), "join", branch.span)
        if weights is None:
            raise ProgramError("the split-join has no joiner", branch.span)
        kept = [(end, weight) for end, weight in zip(ends, weights) if end is not None]
        if not kept:
            return None
        return self._joined([end for end, _ in kept], [weight for _, weight in kept], branch.span)

    def _joined(self, ends: list[End], weights: list[int], span: Span) -> End:
        types = {end.type for end in ends}
        if len(types) > 1:
            raise ProgramError("the joined streams have different types", span,
                               got=" and ".join(sorted(map(str, types))))
        rates = Rates(tuple(weights), tuple(weights), (sum(weights),))
        actor = self._actor("join", rates, Join(tuple(weights)), span)
        for port, end in enumerate(ends):
            self._connect(end, actor, port)
        return End(actor, 0, ends[0].type)

    def _feedback(self, branch: Branch, end: End | None) -> End | None:
        parts = dict(branch.children)
        for role in ("body", "loop"):
            if role not in parts:
                raise ProgramError(f"the feedback loop has no '{role}'", branch.span)
        joining = _weights(branch.joining, 2, "join", branch.span) or (1, 1)
        kind = gives(parts["loop"]) or gives(parts["body"]) or (end.type if end else VOID)
        joiner = self._loop_joiner(branch, end, joining, kind)
        after = self.place(parts["body"], End(joiner, 0, kind))
        if after is None:
            raise ProgramError("the body of the feedback loop gives nothing", branch.span)
        out, back = self._loop_splitter(branch, after)
        last = self.place(parts["loop"], back)
        if last is None:
            raise ProgramError("the loop of the feedback loop gives nothing", branch.span)
        initial = tuple(enqueued(value, last.type, branch.span) for value in branch.enqueued)
        port = len(self.actors[joiner].rates.pops) - 1
        self.channels.append(Channel(last.actor, last.port, joiner, port, last.type, initial, True))
        return out

    def _loop_joiner(self, branch: Branch, end: End | None, weights: tuple, kind: Type) -> int:
        if weights[1] == 0:
            raise ProgramError("nothing goes round in the feedback loop", branch.span,
                               got="a joiner that takes nothing from the loop")
        kept = weights[1:] if end is None else weights
        actor = self._actor("join", Rates(kept, kept, (sum(kept),)), Join(kept), branch.span)
        if end is not None:
            if end.type != kind:
                raise ProgramError("the feedback loop goes round with another type", branch.span,
                                   expected=str(end.type), got=str(kind))
            self._connect(end, actor, 0)
        return actor

    def _loop_splitter(self, branch: Branch, end: End) -> tuple[End | None, End]:
        weights = _weights(branch.splitting, 2, "split", branch.span)
        silent = weights is not None and weights[0] == 0
        pushes = (1, 1) if weights is None else weights
        pushes = pushes[1:] if silent else pushes
        total = 1 if weights is None else sum(weights)
        body = Split(None if weights is None else pushes)
        actor = self._actor("split", Rates((total,), (total,), pushes), body, branch.span)
        self._connect(end, actor, 0)
        back = End(actor, len(pushes) - 1, end.type)
        return None if silent else End(actor, 0, end.type), back

    def _connect(self, end: End, actor: int, port: int) -> None:
        self.channels.append(Channel(end.actor, end.port, actor, port, end.type))

    def _actor(self, name: str, rates: Rates, body: object, span: Span,
               first: Rates | None = None) -> int:
        count = self._names[name] = self._names.get(name, 0) + 1
        unique = name if count == 1 else f"{name}_{count}"
        self.actors.append(Actor(unique, rates, body, first, span))
        return len(self.actors) - 1


def _is_longer(given: Type, wanted: Type) -> bool:
    """Whether arrays have other lengths, where both are known."""
    shapes = shape_of(given), shape_of(wanted)
    return None not in shapes and shapes[0] != shapes[1]


def _weights(given: object, count: int, what: str, span: Span) -> tuple[int, ...] | None:
    """The weights for each of so many streams; None to duplicate."""
    if given is None:
        return None
    weights = given * count if len(given) == 1 else given or (1,) * count
    if len(weights) != count:
        raise ProgramError(f"the {what} has another number of weights than there are streams",
                           span, expected=str(count), got=str(len(weights)))
    if min(weights) < 0:
        raise ProgramError(f"a weight of the {what} is negative", span, got=str(min(weights)))
    return tuple(weights)


def enqueued(value: object, type: Type, span: Span) -> object:
    """An enqueued value as an item of the loop."""
    kinds = ((bool, BOOLEAN), (int, INT), (float, FLOAT), (complex, COMPLEX))
    given = next((kind for cls, kind in kinds if isinstance(value, cls)), type)
    if not promotes(given, type):
        raise ProgramError("an item of another type is enqueued", span, expected=str(type),
                           got=str(given))
    if type == FLOAT:
        return single(value)
    return complex_of(complex(value).real, complex(value).imag) if type == COMPLEX else value
