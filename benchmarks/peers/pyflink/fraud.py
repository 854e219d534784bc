"""Fraud with PyFlink: a function with state over a stream."""

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor
from streams import through
from tables import start
from tables import without_header as load

__all__ = ["load", "start"]


class Watched(KeyedProcessFunction):
    def open(self, context):
        self.total = context.get_state(ValueStateDescriptor("total", Types.LONG()))
        self.suspect = context.get_state(ValueStateDescriptor("suspect", Types.LONG()))

    def process_element(self, line, context):
        at, rule, value = line.split(",")
        total, value = self.total.value() or 0, int(value)
        if rule == "1":
            yield f"{at},0,{total}"
            self.total.update(0)
            self.suspect.update((total + value) % 1000)
        else:
            self.total.update(total + value)
            if value % 1000 == self.suspect.value():
                yield f"{at},1,{value}"


def run(source, target, workers):
    through(Watched(), source, target, workers)
