"""Replicates: gives every region of an unexpanded graph its channels.

    before   (b) <- split(a); (c) <- count(b); (d) <- merge(c)
    after    (b@0, b@1) <- split(a); (c@0) <- count@0(b@0); (c@1) <- count@1(b@1);
             (d) <- merge(c@0, c@1)

If some operator has several inputs, the order between them is decided by stamps that a clock gives
right behind the sources, and everything carries them; otherwise each region numbers its own items.
"""

from __future__ import annotations

from dataclasses import replace

from anabranch.core.errors import UsageError
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.safety import ALL, Context
from oracles.replication.assembly import Assembly, at
from oracles.replication.carry import Strip, carried
from oracles.replication.fission import fission
from oracles.replication.joints import JointPlace
from oracles.replication.markers import Marker
from oracles.replication.merge import PulseMerge
from oracles.replication.split import Clock


def replicate(plan: Plan | Graph, degree: int, epoch: int = 1) -> Graph:
    """The graph with `degree` channels for every region, and a pulse after every `epoch` items.

    With longer epochs mergers hold items back for longer. Loops, and operators that share a
    variable, see when items arrive: for them only an epoch of one keeps the sequential meaning.
    """
    if degree < 1 or epoch < 1:
        raise UsageError("a region has at least one channel, and an epoch at least one item",
                         got=f"degree {degree}, epoch {epoch}")
    graph = fission(plan) if isinstance(plan, Plan) else plan
    return _Expansion(graph, degree, epoch).expanded()


class _Expansion:
    """`wide` are the old queues that have one queue in each channel, `stamped` those whose items
    carry stamps."""

    def __init__(self, graph: Graph, degree: int, epoch: int):
        self.old, self.degree, self.epoch = graph, degree, epoch
        self.behind_loops = Context(graph, {}, ALL).behind_loops
        self.has_clock = any(len(op.inputs) > 1 and op.name not in self.behind_loops
                             for op in graph)
        types = {} if self.has_clock else {q.name: q.type for q in graph.queues}
        self.new = Assembly(types, {v.name: v.initial for v in graph.variables})
        self.wide: set[str] = set()
        self.stamped: set[str] = set()

    def expanded(self) -> Graph:
        # Sources do not fire, so they may all go first: the clock must stand behind them.
        for op in self.old.sources:
            self.new.place(self._unclocked(op))
        if self.has_clock:
            self._add_clock()
        for op in self.old:
            if isinstance(op.kind, Marker):
                self._add_joint(op)
            elif not op.is_source:
                self._add_operator(op)
        return self.new.graph()

    def _unclocked(self, source: Operator) -> Operator:
        """The source, whose queue has another name when the clock takes the old one."""
        outputs = tuple(f"{q}.unclocked" for q in source.outputs)
        return replace(source, outputs=outputs) if self.has_clock else source

    def _add_clock(self) -> None:
        queues = [op.outputs[0] for op in self.old.sources]
        self.stamped.update(queues)
        self.new.make("clock", Clock(len(queues), self.epoch),
                      [f"{q}.unclocked" for q in queues], queues)

    def _add_joint(self, op: Operator) -> None:
        [before], [after] = op.inputs, op.outputs
        clocked = self.has_clock and op.name not in self.behind_loops
        place = JointPlace(op.kind, self.degree, self.epoch, clocked, before in self.stamped)
        if place.gives_stamps:
            self.stamped.add(after)
        if op.kind.begins:
            self.wide.add(after)
        if op.kind.begins and op.kind.ends:
            self._cross(op.name, place, self._wires(before), self._wires(after))
        else:
            kind = place.splitter() if op.kind.begins else place.merger()
            self.new.make(op.name, kind, self._wires(before), self._wires(after))

    def _cross(self, name: str, place: JointPlace, left: list[str], right: list[str]) -> None:
        """Each channel on the left ends with a split, each on the right begins with a merge."""
        rows = [[f"{queue}.{i}" for queue in right] for i in range(len(left))]
        for i, queue in enumerate(left):
            self.new.make(at(f"{name}.split", i), place.splitter(), [queue], rows[i])
        for j, queue in enumerate(right):
            self.new.make(at(f"{name}.merge", j), place.merger(), [r[j] for r in rows], [queue])

    def _add_operator(self, op: Operator) -> None:
        stamped = self._takes_stamps(op)
        op = self._with_plain_inputs(op) if not stamped else self.new.declare(
            carried(op, (self.old.position(op),)))
        if any(q in self.wide for q in op.inputs):
            self.wide.update(op.outputs)
            replicas = [self.new.replica(op, channel) for channel in range(self.degree)]
        else:
            replicas = [op]
        if stamped:
            self.stamped.update(op.outputs)
            replicas = [self._gathered(replica) for replica in replicas]
        for replica in replicas:
            self.new.place(replica)

    def _takes_stamps(self, op: Operator) -> bool:
        """Behind a loop only the channels of a region carry stamps, which its own splitter gave."""
        inputs = [q for q in op.inputs if q in self.stamped]
        wide = any(q in self.wide for q in inputs)
        return bool(inputs) and not op.is_sink and (wide or op.name not in self.behind_loops)

    def _gathered(self, op: Operator) -> Operator:
        """The operator with all its inputs as one, in the order of their stamps."""
        if len(op.inputs) == 1:
            return op
        kind = PulseMerge(len(op.inputs), keep=True, ports=tuple(range(len(op.inputs))))
        self.new.make(f"{op.name}.gather", kind, op.inputs, [f"{op.name}.gathered"])
        return replace(op, inputs=(f"{op.name}.gathered",))

    def _with_plain_inputs(self, op: Operator) -> Operator:
        """The operator with inputs whose items have lost their stamps."""
        inputs = list(op.inputs)
        for port, queue in enumerate(op.inputs):
            if queue in self.stamped:
                inputs[port] = f"{op.name}.plain{port or ''}"
                self.new.make(f"{op.name}.strip{port or ''}", Strip(), [queue], [inputs[port]])
        return replace(op, inputs=tuple(inputs))

    def _wires(self, queue: str) -> list[str]:
        return [at(queue, c) for c in range(self.degree)] if queue in self.wide else [queue]
