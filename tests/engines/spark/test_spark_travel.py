"""Functions of programs on their way to executors."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from importlib import import_module
from types import ModuleType

import pytest

from anabranch.compile import load
from anabranch.engine.spark.job.pickling import dumped, loaded, users_modules_by_value
from anabranch.ir.function import Function
from engines.spark.support import sequential_outputs, spark_outputs

PROGRAMS = {
    "doubled.cql": "S := {int a} stream; select istream(a * 2) from S [now] where a > 1;",
    "words.szl": "n: table sum[string] of int; f: function(s: string): int { return len(s); };\n"
                 "emit n[string(input)] <- f(string(input));",
    "ramp.str": "void->void pipeline Main { add Ramp(); add Shown(); }\n"
                "void->int filter Ramp { int n; work push 1 { push(n); n = n + 1; } }\n"
                "int->void filter Shown { work pop 1 { println(pop()); } }",
}


@pytest.fixture
def asked(monkeypatch):
    """What is looked for in a module that has nothing to do with the program."""
    names = []

    class Loaded(ModuleType):
        def __getattr__(self, name):
            names.append(name)
            raise AttributeError(name)
    monkeypatch.setitem(sys.modules, "loaded_before", Loaded("loaded_before"))
    return names


@pytest.mark.parametrize("made", [
    Function.from_source("lambda x: x + one", {"one": 1}),
    Function.defined("def more(x): return x + one", "more", {"one": 1})], ids=lambda f: f.name)
def test_a_generated_function_arrives(made, asked):
    assert loaded(dumped(made.call))(2) == 3
    assert asked == []


@pytest.mark.parametrize("file", PROGRAMS)
def test_generated_functions_are_sought_in_no_module(file, tmp_path, asked):
    (tmp_path / file).write_text(PROGRAMS[file])
    graph = load(tmp_path / file, {})
    assert [op.name for op in loaded(dumped(list(graph)))] == [op.name for op in graph]
    assert asked == []


OF_MAIN = """
from __future__ import annotations

import sys
import threading
from enum import Enum

from pyspark import cloudpickle

import anabranch as ab

class Colour(Enum):
    RED = 1
    BLUE = 2

class Leg(ab.Record):
    name: str
    colour: object = Colour.RED

    def loud(self):
        return self.name.upper()

class Trade(ab.Record):
    legs: list[Leg]
    price: float = 0.5
    next: Trade | None = None

class Special(Trade):
    extra: int = 3

class Balance(ab.State):
    total: float = 0.0
    seen: dict[str, int] = {"a": 1}

    def more(self):
        self.total += 1

class Thrice(Balance):
    count: int = 3

def local():
    cannot_travel = threading.Lock()

    class Inner(ab.Record):
        leg: Leg

    class Outer(ab.Record):
        inner: Inner
    return Outer(Inner(Leg("x")))

sys.stdout.buffer.write(cloudpickle.dumps([
    Trade([Leg("a")], 2.0), Special([Leg("b", Colour.BLUE)]), Balance(2.0, {"z": 9}), Thrice(),
    local(), Trade, Leg, Balance]))
"""

ELSEWHERE = """
import pickle
import sys

from anabranch.ir.types import field_types
from pyspark import cloudpickle

data = sys.stdin.buffer.read()
trade, special, balance, thrice, outer, Trade, Leg, Balance = pickle.loads(data)
balance.more()
for item in (trade, special, balance, thrice, outer):
    print(item, hasattr(item, "__dict__"))
print(type(trade) is Trade, isinstance(special, Trade), type(trade.legs[0]) is Leg,
      type(balance) is Balance, trade == Trade([Leg("a")], 2.0), type(thrice)() == thrice)
print(trade.legs[0].loud(), trade.replace(price=7.0).price, Balance(),
      Balance().seen is Balance().seen)
for cls in (Trade, type(special), type(outer)):
    print({name: str(kind) for name, kind in field_types(cls).items()})
again = pickle.loads(cloudpickle.dumps([trade, balance]))
print(type(again[0]) is Trade, again == [trade, balance])
try:
    balance.other = 1
except AttributeError:
    print("no other attribute")
"""


def test_records_and_states_of_a_program_survive_cloudpickle():
    made = subprocess.run([sys.executable, "-c", OF_MAIN], capture_output=True, timeout=60)
    assert made.returncode == 0, made.stderr.decode()
    there = subprocess.run([sys.executable, "-c", ELSEWHERE], input=made.stdout,
                           capture_output=True, timeout=60)
    assert (there.stdout.decode(), there.stderr) == ("""\
Trade(legs=[Leg(name='a', colour=<Colour.RED: 1>)], price=2.0, next=None) False
Special(legs=[Leg(name='b', colour=<Colour.BLUE: 2>)], price=0.5, next=None, extra=3) False
Balance(total=3.0, seen={'z': 9}) False
Thrice(total=0.0, seen={'a': 1}, count=3) False
Outer(inner=Inner(leg=Leg(name='x', colour=<Colour.RED: 1>))) False
True True True True True True
A 7.0 Balance(total=0.0, seen={'a': 1}) False
{'legs': 'list[Leg]', 'price': 'float', 'next': 'Trade | None'}
{'legs': 'list[Leg]', 'price': 'float', 'next': 'Trade | None', 'extra': 'int'}
{'inner': 'Inner'}
True True
no other attribute
""", b"")


@lru_cache(maxsize=3)
def squared(n: int) -> int:
    return n * n


def test_a_function_with_a_cache_arrives_with_a_cache_of_its_own():
    @lru_cache(maxsize=7, typed=True)
    def local(n):
        """What it does."""
        return n + 1
    local(1)
    there = loaded(dumped(local))
    assert (there(2), there.cache_parameters(), there.cache_info().currsize, there.__doc__) == (
        3, {"maxsize": 7, "typed": True}, 1, "What it does.")
    assert loaded(dumped(squared)) is squared


OWN_FUNCTIONS = """
from functools import cache, lru_cache

import anabranch as ab

@lru_cache
def squared(n):
    return n * n

@cache
def spelt(n):
    return str(n)

numbers = ab.from_iterable([3, 1, 3], int)
numbers.map(squared).map(lambda n: spelt(n) + "!").write_stdout("jsonl")
"""


@pytest.mark.slow
def test_a_program_with_caches_runs_on_spark(spark, tmp_path):
    (tmp_path / "cached.py").write_text(OWN_FUNCTIONS)
    graph = load(tmp_path / "cached.py")
    found = spark_outputs(graph)
    assert found == sequential_outputs(graph)
    assert [item for _, item in found[0]] == ["9!", "1!", "9!"]


@pytest.mark.parametrize("folder, name, by_value", [
    ("site-packages", "rates_of_a_package", False), ("ledger", "rates_of_ours", True)])
def test_packages_of_another_environment_are_expected_on_the_executors(
        folder, name, by_value, tmp_path, monkeypatch):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / f"{name}.py").write_text("def rate():\n    return 2\n")
    monkeypatch.syspath_prepend(str(tmp_path / folder))
    rates = import_module(name)
    with users_modules_by_value():
        travelling = dumped(rates.rate)
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    if by_value:
        assert loaded(travelling)() == 2
    else:
        with pytest.raises(ModuleNotFoundError):
            loaded(travelling)
