"""A graph with a loop between two operators that can be replicated."""

from anabranch.ir.function import Function
from anabranch.ir.graph import Builder, Graph
from anabranch.ir.operators import Map, Sink, Source, Split, Union
from rewrite.programs import EVERYTHING, ONE, STEPS, TYPE


def _small(t):
    return t.v <= 3


def _halve(t):
    return t.replace(v=t.v // 2)


def looping() -> Graph:
    """Values go round, halved each time, until they are small."""
    builder = Builder()
    [queue] = builder.add("source", Source(), (), [TYPE])
    queue = STEPS["rising"](builder, "before", queue)
    builder.place("enter", Union(2), [queue, "back"], ["enter"], [TYPE], [ONE, EVERYTHING])
    done, again = builder.add("leave", Split((Function.of(_small),)), ["enter"], [TYPE, TYPE],
                              [ONE, EVERYTHING])
    builder.place("halve", Map(Function.of(_halve)), [again], ["back"], [TYPE], [ONE])
    queue = STEPS["running_k"](builder, "after", done)
    builder.add("sink", Sink(), [queue])
    return builder.graph()
