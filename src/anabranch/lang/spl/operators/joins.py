"""Join: tuples of two ports that are in each other's windows.

An inner join of windows by count is our own; any other holds both windows in the state of one
operator: what leaves a window without having met anything is told by an outer join.
"""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.core.errors import ProgramError
from anabranch.ir.function import Function
from anabranch.ir.operators import Filter, Map
from anabranch.ir.records import record_class, state_class
from anabranch.ir.types import RecordOf
from anabranch.ir.windows import Keep, WindowJoin
from anabranch.lang.spl import syntax
from anabranch.lang.spl.building import (
    ITEM,
    Build,
    Model,
    Work,
    fields_named,
    outputs_of,
    python_name,
    stateful,
)
from anabranch.lang.spl.coding.bodies import Ports
from anabranch.lang.spl.coding.scopes import Scope
from anabranch.lang.spl.composites import Input, Instance
from anabranch.lang.spl.operators.windows import CLOCKS, Windowing, windowing
from anabranch.lang.spl.types import field_name, item_type, record_of

SIDES = ("left", "right")
OUTER = {"inner": (), "leftOuter": (0,), "rightOuter": (1,), "outer": (0, 1)}
"""The sides whose tuples are told if they leave without having met anything."""


def join(op: Instance, build: Build) -> None:
    """Each tuple with those that the other side holds, where they match."""
    work = build.work(op)
    windows = (windowing(op, build, work, 0, "partitionByLHS"),
               windowing(op, build, work, 1, "partitionByRHS"))
    outer = OUTER[work.word("algorithm", OUTER, "inner")]
    for window in windows:
        if window.tumbling or (window.triggers.kind, window.triggers.size) != ("count", 1):
            raise ProgramError("a Join takes sliding windows that are looked at each time",
                               window.clause.span, help="window In: sliding, count(10);")
    _check_outputs(op, outer)
    plain = not outer and all(w.evicts.kind == "count" for w in windows)
    if plain and bool(windows[0].by) == bool(windows[1].by) and not any(
            build.is_marked(port) for port in (*op.inputs, *op.outputs)):
        return _as_own_join(op, build, work, windows)
    return _Joined(op, build, work, windows, outer).lower()


def _check_outputs(op: Instance, outer: tuple[int, ...]) -> None:
    allowed = {1, 1 + len(outer)}
    if len(op.outputs) not in allowed:
        raise ProgramError(f"this Join has {' or '.join(map(str, sorted(allowed)))} output ports",
                           op.span, got=str(len(op.outputs)))
    for output, side in zip(op.outputs[1:], outer):
        if output.type != op.inputs[side].type:
            raise ProgramError("tuples that meet nothing leave as they came", output.span,
                               expected=str(op.inputs[side].type), got=str(output.type))


def _as_own_join(op: Instance, build: Build, work: Work, windows: tuple[Windowing, Windowing]
                 ) -> None:
    if len(windows[0].by) != len(windows[1].by):
        raise ProgramError("both sides of a Join are partitioned by as many attributes", op.span)
    left, right = op.inputs
    scope = work.scope((left, "t.left"), (right, "t.right"))
    pair = record_class("Pair", {"left": RecordOf(record_of(left.type)),
                                 "right": RecordOf(record_of(right.type))})
    keeps = tuple(Keep(count=w.evicts.size) for w in windows)
    made = Function.from_source("lambda left, right: Pair(left, right)", {"Pair": pair}, op.span)
    kind = WindowJoin(fields_named(windows[0].by), fields_named(windows[1].by), keeps, made)
    queue = build.add(f"{op.name}.pairs", kind, [build.queue(op, 0), build.queue(op, 1)],
                      RecordOf(pair), op.span)
    condition = _matching(op, work, scope)
    if condition is not None:
        queue = build.add(f"{op.name}.match", Filter(work.simple(condition, op.span)), [queue],
                          RecordOf(pair), op.span)
    last = build.work(op)
    text = last.output(0, last.at(last.scope((left, "t.left"), (right, "t.right"))), op.inputs)
    build.give(op, Map(last.simple(text, op.outputs[0].span)), [queue])


@dataclass
class _Joined:
    """A join whose windows are lists in one state, beside what tells who has met somebody."""

    op: Instance
    build: Build
    work: Work
    windows: tuple[Windowing, Windowing]
    outer: tuple[int, ...]

    def lower(self) -> None:
        op, build, work = self.op, self.build, self.work
        by = [fields_named(w.by) for w in self.windows]
        self.keyed = len(by[0]) > 0 and len(by[0]) == len(by[1])
        queue, _ = build.merged(op, by if self.keyed else ())
        self.ports = Ports.of([o.name for o in op.outputs], [o.type for o in op.outputs],
                              [item_type(o.type) for o in op.outputs])
        work.extra = {"Given": self.ports.made} if self.ports.made else {}
        self.found = work.at(work.scope(*zip(op.inputs, SIDES, strict=True)))
        self.pair = self.ports.given(0, work.output(0, self.found, op.inputs))
        name, clocks = python_name(op.name), [w.evicts.kind == "clock" for w in self.windows]
        with work.lines.inside(f"def {name}(s, {ITEM}):", op.span):
            if any(clocks):
                work.lines.add("now = clock()", op.span)
            for side in (0, 1):
                with work.lines.inside(f"{('if', 'elif')[side]} {ITEM}.port == {side}:"):
                    self._arrive(side)
        fields = {}
        for side, port, clock in zip(SIDES, op.inputs, clocks, strict=True):
            fields |= {side: (list[record_of(port.type)], []), f"{side}_met": (list[bool], [])}
            fields |= {f"{side}_at": (list[float], [])} if clock else {}
        keys = tuple(f"k{n}" for n in range(len(by[0]))) if self.keyed else ()
        outputs_of(op, build, stateful(state_class(fields), keys), work, work.function(name), queue,
                   self.ports, False)

    def _arrive(self, side: int) -> None:
        """A tuple lets others leave, meets those of the other side, and stays."""
        lines, mine, other = self.work.lines, SIDES[side], SIDES[1 - side]
        text = f"{ITEM}.p{side}"
        if self.build.is_marked(self.op.inputs[side]):
            with lines.inside(f"if {text} is None:"):
                lines.add("return")
        self._evict(side, text, side)
        if self.windows[1 - side].evicts.kind in CLOCKS:
            self._evict(1 - side, text, side)
        lines.add(f"{mine}, met = {text}, False", self.op.span)
        with lines.inside(f"for n in range(len(s.{other})):"):
            lines.add(f"{other} = s.{other}[n]")
            condition = _matching(self.op, self.work, self.found.scope) or "True"
            with lines.inside(f"if {condition}:", self.op.span):
                lines.add("met = True")
                lines.add(f"s.{other}_met[n] = True")
                lines.add(f"yield {self.pair}", self.op.outputs[0].span)
        if self.windows[side].evicts.size == 0 and self.windows[side].evicts.kind == "count":
            if side in self.outer:
                with lines.inside("if not met:"):
                    self._tell(side)
        else:
            lines.add(f"s.{mine}.append({text})")
            lines.add(f"s.{mine}_met.append(met)")
            if self.windows[side].evicts.kind == "clock":
                lines.add(f"s.{mine}_at.append(now)")
        if self.op.outputs[0].stream in self.build.marked:
            with lines.inside("if met:"):
                lines.add(f"yield {self.ports.given(0, 'None')}")

    def _evict(self, side: int, came: str, by: int) -> None:
        """Tuples leave the window of a side as one comes by that side or the other."""
        window, lines, mine = self.windows[side], self.work.lines, SIDES[side]
        bound, n = window.evicts, "n"
        same = " and ".join(f"s.{mine}[{n}].{a} == {came}.{a}" for a in fields_named(window.by)
                            ) if by == side and not self.keyed else ""
        if bound.kind == "count":
            if bound.size == 0:
                return
            lines.add(f"held = [n for n in range(len(s.{mine})){' if ' + same if same else ''}]")
            lines.add(f"gone = held[:1] if len(held) >= {bound.size!r} else []")
        elif bound.kind == "clock":
            far = f"now - s.{mine}_at[n] > {bound.size!r}"
            condition = " and ".join(filter(None, (same, far)))
            lines.add(f"gone = [n for n in range(len(s.{mine})) if {condition}]")
        else:
            now = self._time_of(by) if by != side else bound.attribute
            if now is None:
                return
            far = (f"{came}.{field_name(now)} - s.{mine}[n].{field_name(bound.attribute)} > "
                   f"{bound.size!r}")
            condition = " and ".join(filter(None, (same, far)))
            lines.add(f"gone = [n for n in range(len(s.{mine})) if {condition}]")
        if side in self.outer:
            with lines.inside("for n in gone:"), lines.inside(f"if not s.{mine}_met[n]:"):
                lines.add(f"{mine} = s.{mine}[n]")
                self._tell(side)
        with lines.inside("if gone:"):
            for name in (mine, f"{mine}_met", *([f"{mine}_at"] * (bound.kind == "clock"))):
                kept = f"[s.{name}[n] for n in range(len(s.{name})) if n not in gone]"
                lines.add(f"s.{name} = {kept}")

    def _time_of(self, side: int) -> str | None:
        known = {self.build.event_times[s] for s in self.op.inputs[side].streams
                 if s in self.build.event_times}
        return known.pop()[0] if len(known) == 1 else None

    def _tell(self, side: int) -> None:
        """A tuple that has met nothing leaves: alone, or beside one of default values."""
        lines, mine, other = self.work.lines, SIDES[side], SIDES[1 - side]
        if len(self.op.outputs) > 1:
            lines.add(f"yield {self.ports.given(1 + self.outer.index(side), mine)}")
            return
        setting = self.op.node.setting(("defaultTupleRHS", "defaultTupleLHS")[side])
        kind, found = self.op.inputs[1 - side].type, self.work.at(self.op.scope)
        default = found.default(kind) if setting is None else found.fit(
            setting.values[0], kind, f"the parameter {setting.name.text}")
        lines.add(f"{other} = {default}")
        lines.add(f"yield {self.pair}", self.op.outputs[0].span)


def _matching(op: Instance, work: Work, scope: Scope) -> str | None:
    """The condition under which a pair leaves."""
    found, parts = work.at(scope), []
    one, other = op.node.setting("equalityLHS"), op.node.setting("equalityRHS")
    if (one is None) != (other is None) or (one and len(one.values) != len(other.values)):
        raise ProgramError("equalityLHS and equalityRHS come together", op.span)
    if one is not None:
        _check_side(one, op.inputs[0], work)
        _check_side(other, op.inputs[1], work)
        for a, b in zip(one.values, other.values, strict=True):
            left = _sided(a, op.inputs[0])
            right = _sided(b, op.inputs[1])
            parts.append(found.condition(syntax.Binary(a.span, "==", left, right)))
    if (match := op.node.setting("match")) is not None:
        parts.append(found.condition(match.values[0]))
    return " and ".join(parts) or None


def _check_side(setting: syntax.Setting, port: Input, work: Work) -> None:
    for value in setting.values:
        work.at(work.scope((port, ITEM))).value(value)


def _sided(node: syntax.Node, port: Input) -> syntax.Node:
    """An attribute of one side, by the name of its port."""
    if isinstance(node, syntax.Name) and node.text in port.type.attributes:
        return syntax.Attribute(node.span, syntax.Name(node.span, port.name),
                                syntax.Word(node.span, node.text))
    return node


MODELS = (
    Model("Join", (2, 2), (1, 3), ("match", "equalityLHS", "equalityRHS", "algorithm",
          "partitionByLHS", "partitionByRHS", "defaultTupleLHS", "defaultTupleRHS"),
          "both windows, for each value of partitionByLHS and partitionByRHS", "any number", join,
          windows=True, assigns=True, makes_marks=True),
)
