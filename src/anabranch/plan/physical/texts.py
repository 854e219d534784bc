"""Text for the sinks, made by any worker: what is left to do in order is to write it.

Before each sink that writes text stands a stage of its own, without state, which makes the text of
whole slices that come in columns; other items pass it as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from anabranch.ir.graph import Operator
from anabranch.ir.operators import Kind
from anabranch.plan.physical.stages import Sharing, Stage


class AsText(Kind):
    """Not an operator of the program: it makes a sink's text."""

    label = "text"


def is_text(stage: Stage) -> bool:
    return isinstance(stage.operators[0].kind, AsText)


def with_texts(stages: Sequence[Stage], makes_text: Callable[[Operator], bool]) -> list[Stage]:
    """The stages, the last of which has the sinks, with a stage for each sink that writes text."""
    *others, last = stages
    texts = [_text_of(op) for op in last.operators if op.is_sink and makes_text(op)]
    made = [Stage(len(others) + n, (op,), Sharing.ANY, op.inputs, op.outputs)
            for n, op in enumerate(texts)]
    now = {op.name: op.outputs for op in texts}
    sinks = tuple(replace(op, inputs=now.get(text_name(op), op.inputs)) for op in last.operators)
    inputs = tuple(dict.fromkeys(q for op in sinks for q in op.inputs))
    return [*others, *made,
            replace(last, index=len(others) + len(made), operators=sinks, inputs=inputs)]


def text_name(sink: Operator) -> str:
    return f"text of {sink.name}"


def _text_of(sink: Operator) -> Operator:
    name = text_name(sink)
    return Operator(name, AsText(), sink.inputs, (name,), span=sink.span)
