"""State that hides in objects: none of these functions may be taken for stateless."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import operator
import types
from collections import defaultdict

import pytest

from anabranch.analysis.fact import StateKind
from anabranch.analysis.facts.summary import analyse
from anabranch.ir.function import Function
from anabranch.ir.graph import Builder
from anabranch.ir.operators import Apply, Map, Sink, Source
from anabranch.ir.records import Record, State
from anabranch.ir.types import ANY, INT, RecordOf
from analysis.support import Entry, compiled, function, single

LOG: list[int] = []


class Counting:
    """Every use of it counts."""

    shared_total = 0

    def __init__(self):
        self.n, self.ids = 0, itertools.count()

    def _count(self, *others):
        self.n += 1
        return self.n

    __add__ = __getitem__ = __len__ = __neg__ = __format__ = __eq__ = _count
    __hash__ = None

    def __iter__(self):
        self.n += 1
        return iter([self.n])

    @property
    def p(self):
        self.n += 1
        return self.n

    @classmethod
    def of_class(cls, t):
        cls.shared_total += 1
        return cls.shared_total

    def of_type(self, t):
        type(self).shared_total += 1
        return t


class Descriptor:
    def __get__(self, owner, cls):
        LOG.append(1)


class Described:
    d = Descriptor()


class Noted(Record):
    k: int

    def __add__(self, other):
        LOG.append(other)

    @property
    def noted(self):
        LOG.append(1)


class Listed(Record):
    xs: list[int] = []


@dataclasses.dataclass
class FromFactory:
    xs: list = dataclasses.field(default_factory=lambda: LOG)


class CountingMeta(type):
    def __call__(cls):
        LOG.append(1)


class MadeByMeta(metaclass=CountingMeta):
    pass


@functools.lru_cache
def remembered(k):
    return []


def scope() -> dict[str, object]:
    import numpy
    settings = types.ModuleType("settings")
    settings.n = 0
    return {"o": Counting(), "log": LOG, "settings": settings, "FromFactory": FromFactory,
            "Listed": Listed, "Described": Described, "remembered": remembered,
            "MadeByMeta": MadeByMeta, "groups": defaultdict(list), "numpy": numpy,
            "array": numpy.zeros(3), "sha": hashlib.sha256(), "itertools": itertools,
            "following": itertools.count().__next__, "counters": [itertools.count()],
            "append_one": operator.methodcaller("append", 1), "holder": Described(),
            "bump": lambda: LOG.append(1)}


IMPURE = [
    "o + 1", "o[0]", "len(o)", "[*o]", "o == 1", "-o", "f'{o}'", "o.p", "getattr(o, 'p')", "sum(o)",
    "holder.d", "[x for x in o.ids]", "list(zip(counters[0], [1]))", "following()",
    "remembered(t.uid).append(1)", "setattr(settings, 'n', 1)", "append_one(log)",
    "numpy.add(array, 1, array)", "numpy.add(array, 1, out=array)", "sha.update(b'')",
    "list(itertools.groupby(t.tags, log.append))", "iter(bump, 3)",
    "list(itertools.accumulate(t.tags, bump))", "MadeByMeta()", "FromFactory().xs.append(1)",
    "Listed().xs.append(1)", "[g for g in [groups]][0][t.uid]", "(lambda: 0)() or log.append(1)"]


@pytest.mark.parametrize("expression", IMPURE)
def test_what_an_object_does_by_itself_is_seen(expression):
    assert state_of(function(f"f = lambda t: ({expression}, t)[1]", scope())) is StateKind.UNKNOWN


@pytest.mark.parametrize("body", [
    "s = settings; s.n = t.uid", "settings.n += 1", "for settings.n in (1, 2): pass",
    "c = type(o); c.shared_total = 1", "o.__class__.shared_total = 1"])
def test_attributes_of_modules_and_classes_are_shared(body):
    text = f"def f(t):\n    {body}\n    return t\n"
    assert state_of(function(text, scope())) is StateKind.UNKNOWN


@pytest.mark.parametrize("method", [Counting.of_class, Counting().of_class, Counting().of_type])
def test_a_class_that_a_method_is_bound_to_is_shared(method):
    assert state_of(Function.of(method)) is StateKind.UNKNOWN


@pytest.mark.parametrize("expression", ["t + 1", "getattr(t, 'noted')", "[t.noted]"])
def test_special_methods_of_records_are_followed(expression):
    found = function(f"f = lambda t: ({expression}, 1)")
    assert state_of(found, Noted) is StateKind.UNKNOWN


def test_an_iterator_as_a_default_value_is_shared():
    text = "def f(t, ids=itertools.count()):\n    for i in ids:\n        return i\n"
    assert state_of(function(text, scope())) is StateKind.UNKNOWN


def state_of(call: Function, item: type = Entry) -> StateKind:
    return analyse(single(Map(call), [RecordOf(item)]))["op"].state.value.kind


class Settings:
    n = 0


class Inherited(Settings):
    pass


def shared_scope() -> dict[str, object]:
    inner: list[int] = []
    return {"Settings": Settings, "Inherited": Inherited, "instance": Settings(), "inner": inner,
            "outer": {"inner": inner}}


ALIASES = {
    "Settings.n += 1": "Settings.n",
    "setattr(Settings, 'n', 1)": "Settings.n",
    "Settings.n = 1": "Inherited.n",
    "Settings.n = 2": "instance.n",
    "inner.append(1)": "outer['inner'][-1]",
    "outer['inner'].append(1)": "len(inner)",
    "f.n = t.uid": "f.n",
}


@pytest.mark.parametrize("writing", ALIASES)
def test_what_one_operator_changes_another_reads_by_another_name(writing):
    text = f"def f(t):\n    {writing}\n    return t\ng = lambda t: ({ALIASES[writing]}, t)[1]\n"
    shared = shared_scope()
    first = function(text, shared)
    second = Function.of(first.call.__globals__["g"])
    facts = analyse(chain(Map(first), Map(second)))
    assert facts["op1"].state.value.kind is StateKind.UNKNOWN
    assert analyse(chain(Map(second)))["op0"].state.value.kind is StateKind.STATELESS


def test_items_that_one_operator_changes_are_shared_by_all():
    changing = function("def f(t):\n    t.tags.append('x')\n    return t\n")
    reading = function("f = lambda t: len(t.tags)")
    facts = analyse(chain(Map(changing), Map(reading)))
    assert facts["op1"].state.reason == "op0 changes items in place, which it may share"
    assert analyse(chain(Map(reading)))["op0"].state.value.kind is StateKind.STATELESS


class Groups(State):
    by_key: dict = {}


@pytest.mark.parametrize("given", ["state.by_key.values()", "list(state.by_key.values())",
                                   "[v for _, v in state.by_key.items()]"])
def test_lists_in_the_state_are_given_out_through_views(given):
    text = ("def f(state, t):\n    state.by_key.setdefault(t.name, []).append(1)\n"
            f"    for xs in {given}:\n        yield xs\n")
    graph = single(Apply(function(text), Groups, ("uid",)))
    assert analyse(graph)["op"].state.value.kind is StateKind.UNKNOWN


def chain(*kinds):
    b = Builder()
    [queue] = b.add("in", Source(), (), [RecordOf(Entry)])
    for number, kind in enumerate(kinds):
        [queue] = b.add(f"op{number}", kind, [queue], [RecordOf(Entry)])
    b.add("out", Sink(), [queue])
    return b.graph()


def test_objects_that_only_compute_are_harmless():
    class Scale:
        def __init__(self, by):
            self.by = by

        def __mul__(self, x):
            return self.by * x

        @property
        def twice(self):
            return self.by * 2

    table = {"scale": Scale(2), "table": {1: [1, 2], 2: (3,)}, "Settings": Settings, "ANY": ANY}
    for expression in ("scale * 2", "scale.twice", "table[t.uid]", "Settings.n", "hash_free(t)"):
        call = function(f"def hash_free(t):\n    return t.uid\nf = lambda t: {expression}", table)
        assert state_of(call) is StateKind.STATELESS, expression


@pytest.mark.parametrize("change", ['globals()["scale"] = n', 'exec("global scale; scale = 2")'])
def test_an_operator_that_may_change_anything_is_read_by_all_others(change):
    names = compiled("scale = 1\n"
                     f"def bump(n):\n    {change}\n    return n\n"
                     "def use(n):\n    return n * scale\n")
    b = Builder()
    [queue] = b.add("source", Source(), (), [INT])
    for name in ("bump", "use"):
        [queue] = b.add(name, Map(Function.of(names[name])), [queue], [INT])
    b.add("out", Sink(), [queue])
    found = analyse(b.graph())["use"].state
    assert found.value.kind is StateKind.UNKNOWN
    assert "bump calls" in found.reason


def test_a_class_is_not_trusted_for_what_it_says_of_itself():
    """Code that is executed without a name, or from a text, is the user's all the same."""
    for heading in ("", "@dataclasses.dataclass\n"):
        for name in ({}, {"__name__": "enum"}):
            scope = {"LOG": LOG, "dataclasses": dataclasses, **name}
            exec(f"{heading}class Own:\n    def __add__(self, x):\n        LOG.append(x)\n"
                 "        return x\n", scope)
            found = function("f = lambda t: own + t.uid", {"own": scope["Own"]()})
            assert state_of(found) is StateKind.UNKNOWN
