"""W3 with PyFlink: a function with state over a stream."""

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor
from streams import through
from tables import start
from tables import without_header as load

__all__ = ["load", "start"]


class Between(KeyedProcessFunction):
    def open(self, context):
        self.total = context.get_state(ValueStateDescriptor("total", Types.LONG()))

    def process_element(self, line, context):
        barrier, value = line.split(",")
        total = self.total.value() or 0
        if barrier == "1":
            yield str(total)
        self.total.update(0 if barrier == "1" else total + int(value))


def run(source, target, workers):
    through(Between(), source, target, workers)
