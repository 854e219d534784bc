# ruff: noqa
"""Many objects of one class, of which the first does no harm."""

import copy
import functools
import types

MANY = 70
LOG = []


def noted(*given):
    LOG.append(1)
    return len(LOG)


def one(*given):
    return 1


def a_class(n):
    class Kind:
        held = LOG if n else ()
        go = staticmethod(noted if n else one)

        def __init__(self):
            self.made = noted() if n else 1
    return Kind


CLASSES = [a_class(n) for n in range(MANY)]


def map_method(t):
    return CLASSES[t.n + 1].go()


def map_attribute(t):
    CLASSES[t.n + 1].held.append(1)
    return len(LOG)


def map_made(t):
    return CLASSES[t.n + 1]().made


MODULES = [types.ModuleType(f"m{n}") for n in range(MANY)]
for n, module in enumerate(MODULES):
    module.go = noted if n else one


def map_module(t):
    return MODULES[t.n + 1].go()


FUNCTIONS = [one] + [lambda: noted() for _ in range(MANY)]


def map_function(t):
    return FUNCTIONS[t.n + 1]()


def map_function_attribute(t):
    f = FUNCTIONS[t.key + 1]
    f.n = getattr(f, "n", 0) + 1
    return f.n


PARTIALS = [functools.partial(one)] + [functools.partial(noted) for _ in range(MANY)]


def map_partial(t):
    return PARTIALS[t.n + 1]()


class Box:
    def __init__(self, held):
        self.held = held


BOXES = [Box(())] + [Box([]) for _ in range(MANY)]


def map_box(t):
    BOXES[t.key + 1].held.append(1)
    return len(BOXES[t.key + 1].held)


def map_copied_box(t):
    copy.copy(BOXES[t.key + 1]).held.append(1)
    return len(BOXES[t.key + 1].held)


TUPLES = {n: (1, []) if n else (1, ()) for n in range(MANY)}


def map_tuple(t):
    TUPLES[t.key + 1][1].append(1)
    return len(TUPLES[t.key + 1][1])
