"""Writes a stream program as a user might, from one seed: its text, its helper modules, its data.

`write(7)` gives the same case every time. A case is what one reads in a file: records, helpers,
functions, a pipeline of named streams, sinks.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from fuzz import inputs
from fuzz.grammar import NAME, Grammar, Scope, indented
from fuzz.hidden import HIDDEN, NOTES
from fuzz.inputs import ANNOTATIONS, FLAT, KEYS, KINDS, Fields

LIBRARY = {"math": "import math", "re": "import re", "json": "import json",
           "statistics": "import statistics", "itertools": "import itertools",
           "functools": "import functools", "heapq": "import heapq", "bisect": "import bisect",
           "textwrap": "import textwrap", "hashlib": "import hashlib", "zlib": "import zlib",
           "io": "import io", "contextlib": "import contextlib", "random": "import random",
           "enum": "import enum",
           "Counter": "from collections import Counter", "deque": "from collections import deque",
           "defaultdict": "from collections import defaultdict",
           "ChainMap": "from collections import ChainMap",
           "namedtuple": "from collections import namedtuple",
           "Decimal": "from decimal import Decimal", "getcontext": "from decimal import getcontext",
           "Fraction": "from fractions import Fraction",
           "datetime": "from datetime import datetime",
           "timedelta": "from datetime import timedelta",
           "dataclass": "from dataclasses import dataclass",
           "field": "from dataclasses import field",
           "NamedTuple": "from typing import NamedTuple"}

HELPERS = {
    "money": ("class Money:\n    def __init__(self, cents):\n        self.cents = cents\n\n"
              "    def __add__(self, other):\n        return Money(self.cents + other.cents)\n\n"
              "    def __lt__(self, other):\n        return self.cents < other.cents\n\n"
              "    def __str__(self):\n        return f'{self.cents // 100}.{self.cents % 100:02}'",
              {"int": ["(Money(<int>) + Money(<small>)).cents"],
               "bool": ["Money(<int>) < Money(<int>)"], "str": ["str(Money(<int>))"]}),
    "span": ("@dataclass(frozen=True)\nclass Span:\n    start: int\n    end: int = 10\n\n"
             "    @property\n    def length(self):\n        return self.end - self.start\n\n"
             "    def overlaps(self, other):\n"
             "        return self.start < other.end and other.start < self.end",
             {"int": ["Span(<int>, <int>).length"],
              "bool": ["Span(<int>).overlaps(Span(<int>, <int>))"]}),
    "level": ("class Level(enum.IntEnum):\n    LOW = 1\n    MID = 5\n    HIGH = 9\n\n"
              "    @classmethod\n    def of(cls, n):\n"
              "        return cls.HIGH if n > 50 else cls.MID if n > 5 else cls.LOW",
              {"int": ["Level.of(<int>).value"], "str": ["Level.of(<int>).name"],
               "bool": ["Level.of(<int>) is Level.MID"]}),
    "point": ("Point = namedtuple('Point', 'x y')",
              {"int": ["Point(<int>, <small>)._replace(x=<int>).x", "sum(Point(<int>, <int>))"],
               "bool": ["Point(<int>, 1) == Point(1, <int>)"]}),
    "clamp": ("def clamp(n: int, low: int = 0, high: int = 99) -> int:\n    if n < low:\n"
              "        return low\n    if n > high:\n        return high\n    return n",
              {"int": ["clamp(<int>)", "clamp(<int>, high=<small>)"]}),
    "slug": ("def slug(text: str) -> str:\n    out = []\n    for c in text.lower():\n"
             "        if c.isalnum():\n            out.append(c)\n"
             "        elif out and out[-1] != '-':\n            out.append('-')\n"
             "    return ''.join(out).strip('-')", {"str": ["slug(<str>)"]}),
    "parsed": ("def parsed(text: str) -> int:\n    try:\n        return int(text)\n"
               "    except ValueError:\n        pass\n    try:\n        return int(float(text))\n"
               "    except (ValueError, OverflowError):\n        return -1",
               {"int": ["parsed(<str>)"]}),
    "prices": ("PRICES = {'a': 3, 'b': 5, 'word': 8}\nRATES = (0.5, 1.0, 2.0)",
               {"int": ["PRICES.get(<str>, 0)"], "float": ["RATES[<int> % 3]"],
                "bool": ["<str> in PRICES"]}),
    "vector": ("class Vector(NamedTuple):\n    x: float\n    y: float = 1.0\n\n"
               "    def __mul__(self, k):\n        return Vector(self.x * k, self.y * k)\n\n"
               "    def norm(self):\n        return math.hypot(self.x, self.y)",
               {"float": ["(Vector(<tame>) * <small>).norm()", "Vector(<float>, 2.0).x"]}),
}

MODULE = '''\"\"\"Helpers beside the program.\"\"\"
import re

LIMIT = 12
_word = re.compile(r"[a-z]+")


def score(n, text=""):
    total = n % LIMIT
    for word in _word.findall(text):
        total += len(word)
    return total


def label(text):
    first, _, rest = text.partition("-")
    return (rest or first).strip().lower()
'''

PLAIN_KINDS = ("int", "int", "float", "float", "str", "bool", "datetime", "int?")
COUNTS = (0, 1, 2, 3, 5, 8, 13, 25, 40, 60)
FAMILIES = ("filter", "map", "map", "replace", "flat_map", "apply", "keyed", "keyed", "keyed_end",
            "unkeyed", "aggregate", "aggregate", "sort", "deduplicate", "split", "join", "union",
            "barrier", "loop", "tee")


@dataclass(frozen=True)
class Case:
    """A program with the files beside it; `on_error` is an option of its runs."""

    seed: int
    source: str
    files: dict[str, bytes] = field(default_factory=dict)
    hidden: str = ""
    on_error: str = "stop"
    large: bool = False


def write(seed: int, size: int | None = None) -> Case:
    """The program of a seed; `size` says how many rows its inputs have."""
    return _Writer(seed, size).case()


class _Writer:
    """One program in the making: its definitions, its pipeline, its files."""

    def __init__(self, seed: int, size: int | None):
        self.seed, self.draw = seed, random.Random(seed)
        self.plain = self.draw.random() < 0.4
        self.grammar = Grammar(self.draw, self.plain)
        self.definitions: list[str] = []
        self.pipeline: list[str] = []
        self.files: dict[str, bytes] = {}
        self.records: dict[str, Fields] = {}
        self.size = size or self._size()
        self.odd = self.draw.choice((0.0, 0.05, 0.3))
        self.hidden = ""

    def _size(self) -> int:
        return self.draw.choice((3000, 5000)) if self.draw.random() < 0.03 else \
            self.draw.choice((200, 400)) if self.draw.random() < 0.06 else self.draw.choice(COUNTS)

    def case(self) -> Case:
        self._helpers()
        stream, item = self._source()
        for _ in range(self.draw.randint(1, 5)):
            stream, item = self._step(stream, item)
        self._sink(stream, item)
        text = "\n\n\n".join(["import anabranch as ab", *self.definitions,
                              "\n".join(self.pipeline)]) + "\n"
        on_error = "skip" if self.draw.random() < 0.05 else "stop"
        return Case(self.seed, with_imports(text, self.files), self.files, self.hidden, on_error,
                    self.size > 100)

    # What the program has beside its pipeline.

    def _helpers(self) -> None:
        most = 0 if self.plain else 3
        for name in self.draw.sample(sorted(HELPERS), self.draw.randint(0, most)):
            text, rules = HELPERS[name]
            self.definitions.append(text)
            for kind, added in rules.items():
                self.grammar.add(kind, *added)
        if not self.plain and self.draw.random() < 0.3:
            self.files["shop.py"] = MODULE.encode()
            self.grammar.add("int", "shop.score(<int>, <str>)", "shop.LIMIT")
            self.grammar.add("str", "shop.label(<str>)")
        if self.draw.random() < 0.25:
            self._hide()

    def _hide(self) -> None:
        self.hidden = self.draw.choice(sorted(HIDDEN))
        text, rule = HIDDEN[self.hidden]
        if text:
            self.definitions.append(text)
        else:
            self.files["notes.py"] = NOTES.encode()
        self.grammar.add("int", *[rule] * 4)

    def _record(self, least: Fields, kinds: tuple[str, ...] = KINDS) -> str:
        """A record class with these fields and some more."""
        fields = dict(least)
        for _ in range(self.draw.randint(max(0, 2 - len(fields)), 3)):
            fields[self.grammar.fresh("v")] = self.draw.choice(PLAIN_KINDS if self.plain else kinds)
        return self._class(fields)

    def _class(self, fields: Fields) -> str:
        name = f"R{len(self.records)}"
        self.records[name] = fields
        self.definitions.append("\n".join([f"class {name}(ab.Record):", *indented([
            f"{n}: {ANNOTATIONS.get(kind, kind)}" for n, kind in fields.items()])]))
        return name

    def _source(self, like: str | None = None) -> tuple[str, str]:
        form = self.draw.choice(("csv", "jsonl", "parquet", "list", "list"))
        if like is None:
            kinds = FLAT if form == "csv" else KINDS
            keys = {f"k{n}": self.draw.choice(sorted(KEYS)) for n in range(self.draw.randint(1, 2))}
            like = self._record({"ts": "int"} | keys, kinds)
        fields = self.records[like]
        items = inputs.repeated(self.draw, fields, self.size, self.odd)
        if form != "list" and not inputs.fits(fields, form, items):
            form = "list"
        name = self.grammar.fresh("s")
        timed = ', time="ts"' if "ts" in fields and self.draw.random() < 0.5 else ""
        if form == "list":
            self._from_list(name, like, items, timed)
        else:
            path = f"{name}.{form}"
            self.files[path] = inputs.FORMATS[form](self.draw, fields, items)
            self.pipeline.append(f"{name} = ab.read_{form}(HERE / {path!r}, {like}{timed})")
        return name, like

    def _from_list(self, name: str, item: str, items: list[dict], timed: str) -> None:
        base = items[:200]
        shown = [f"    {item}({', '.join(_literal(v) for v in row.values())})," for row in base]
        self.definitions.append("\n".join([f"ROWS_{name} = [", *shown, "]"]))
        many = f" * {len(items) // 200}" if len(items) > 200 else ""
        timed = "" if many else timed
        self.pipeline.append(f"{name} = ab.from_iterable(ROWS_{name}{many}, {item}{timed})")

    # The steps of the pipeline: each takes a stream of a record class and gives another.

    def _step(self, stream: str, item: str) -> tuple[str, str]:
        family = self.draw.choice(FAMILIES)
        return getattr(self, f"_{family}")(stream, item)

    def _then(self, text: str, item: str) -> tuple[str, str]:
        name = self.grammar.fresh("s")
        self.pipeline.append(f"{name} = {text}")
        return name, item

    def _scope(self, item: str, name: str = "t") -> Scope:
        return [(f"{name}.{field}", kind) for field, kind in self.records[item].items()]

    def _built(self, item: str, scope: Scope, forwarded: Scope = (), depth: int = 2) -> str:
        """A call of the record class; keys and times are mostly handed on."""
        values = []
        for name, kind in self.records[item].items():
            same = [text for text, k in forwarded or scope
                    if text.endswith(f".{name}") and k == kind]
            keeps = same and self.draw.random() < 0.9
            values.append(same[0] if keeps else self.grammar.expression(kind, scope, depth))
        return f"{item}({', '.join(values)})"

    def _out(self, item: str) -> str:
        """The class of a step's outputs: a new one with the same keys, or the same."""
        if self.draw.random() < 0.4:
            return item
        return self._record({name: kind for name, kind in self.records[item].items()
                             if name == "ts" or name[0] == "k"})

    def _function(self, head: str, body: list[str]) -> str:
        name = self.grammar.fresh("f")
        self.definitions.append("\n".join([f"def {name}{head}:", *indented(body)]))
        return name

    def _early(self, scope: Scope, statement: str) -> list[str]:
        if self.draw.random() < 0.3:
            return [f"if {self.grammar.expression('bool', scope)}:", f"    {statement}"]
        return []

    def _filter(self, stream: str, item: str) -> tuple[str, str]:
        scope = self._scope(item)
        if self.draw.random() < 0.5:
            test = self.grammar.expression("bool", scope)
            return self._then(f"{stream}.filter(lambda t: {test})", item)
        body = self.grammar.statements(scope, 2)
        body += self._early(scope, f"return {self.grammar.expression('bool', scope, 1)}")
        body.append(f"return {self.grammar.expression('bool', scope)}")
        return self._then(f"{stream}.filter({self._function(f'(t: {item})', body)})", item)

    def _map(self, stream: str, item: str) -> tuple[str, str]:
        out, scope = self._out(item), self._scope(item)
        given = self._scope(item)
        if self.draw.random() < 0.3:
            return self._then(f"{stream}.map(lambda t: {self._built(out, scope)})", out)
        body = self.grammar.statements(scope, 3)
        body += self._early(scope, f"return {self._built(out, scope, given, 1)}")
        body += self.grammar.statements(scope, 1)
        body.append(f"return {self._built(out, scope, given)}")
        head = f"(t: {item}) -> {out}" if self.draw.random() < 0.7 else "(t)"
        return self._then(f"{stream}.map({self._function(head, body)})", out)

    def _replace(self, stream: str, item: str) -> tuple[str, str]:
        name, kind = self.draw.choice(list(self.records[item].items()))
        changed = self.grammar.expression(kind, self._scope(item))
        return self._then(f"{stream}.map(lambda t: t.replace({name}={changed}))", item)

    def _flat_map(self, stream: str, item: str) -> tuple[str, str]:
        out, scope = self._out(item), self._scope(item)
        body = self.grammar.statements(scope, 2) + self._early(scope, "return")
        inner = [*scope, ("i", "int")]
        body += [f"for i in range({self.grammar.expression('int', scope, 1)} % 3):",
                 f"    yield {self._built(out, inner, self._scope(item), 1)}"]
        return self._then(f"{stream}.flat_map({self._function(f'(t: {item})', body)})", out)

    def _apply(self, stream: str, item: str) -> tuple[str, str]:
        return self._operator(stream, item, (), False, False)

    def _keyed(self, stream: str, item: str) -> tuple[str, str]:
        return self._operator(stream, item, self._keys(item), True, False)

    def _keyed_end(self, stream: str, item: str) -> tuple[str, str]:
        return self._operator(stream, item, self._keys(item), True, True)

    def _unkeyed(self, stream: str, item: str) -> tuple[str, str]:
        return self._operator(stream, item, (), True, self.draw.random() < 0.3)

    def _keys(self, item: str) -> tuple[str, ...]:
        keys = [name for name in self.records[item] if name[0] == "k"]
        return tuple(keys[:self.draw.randint(1, 2)])

    def _operator(self, stream: str, item: str, by: tuple[str, ...], stateful: bool,
                  ends: bool) -> tuple[str, str]:
        out, scope = self._out(item), self._scope(item)
        given, body, head = self._scope(item), [], f"(t: {item})"
        if stateful:
            state = self._state(scope)
            body, head = self._update(state, scope), f"(state: {state}, t: {item})"
        body += self.grammar.statements(scope, 2) + self._early(scope, "return")
        body.append(f"yield {self._built(out, scope, given)}")
        if self.draw.random() < 0.2:
            body += [f"if {self.grammar.expression('bool', scope)}:",
                     f"    yield {self._built(out, scope, given, 1)}"]
        keys = f"(by={by[0]!r})" if len(by) == 1 else f"(by={by!r})" if by else ""
        name = self._function(head, body)
        self.definitions[-1] = f"@ab.operator{keys}\n{self.definitions[-1]}"
        if ends:
            known = [(text, kind) for text, kind in scope if text.startswith("state.")]
            self.definitions[-1] += (f"\n\n\n@{name}.at_end\ndef {name}_end(state: {state}):\n"
                                     f"    yield {self._built(out, known)}")
        return self._then(f"{stream}.apply({name})", out)

    def _state(self, scope: Scope) -> str:
        kinds = ("total", "amount", "flag", "text") if self.plain else sorted(STATES)
        fields = {self.grammar.fresh("m"): self.draw.choice(kinds)
                  for _ in range(self.draw.randint(1, 3))}
        name = self.grammar.fresh("State")
        self.definitions.append("\n".join([f"class {name}(ab.State):", *indented(
            [f"{n}: {STATES[kind][0]}" for n, kind in fields.items()])]))
        self.records[name] = fields
        return name

    def _update(self, state: str, scope: Scope) -> list[str]:
        body = []
        for name, kind in self.records[state].items():
            _, updates, reads = STATES[kind]
            place = f"state.{name}"
            body += self._update_of(self.draw.choice(updates), place, scope)
            scope.extend((read.replace("#", place), k) for read, k in reads)
        return body

    def _update_of(self, rule: str, place: str, scope: Scope) -> list[str]:
        text = NAME.sub(lambda found: self.grammar.expression(found[1], scope, 1), rule)
        return text.replace("#", place).split("\n")

    def _window(self, item: str) -> str:
        sizes = self.draw.choice(("tumbling(count={})", "sliding(count={}, step={})",
                                  "tumbling(time={})", "sliding(time={}, step={})"))
        size = self.draw.choice((1, 2, 3, 5, 10))
        text = "ab." + sizes.format(size, self.draw.choice((1, 2, 3)))
        more = ""
        if "time" in sizes:
            if "ts" not in self.records[item]:
                return f"ab.tumbling(count={size})"
            more = ', on="ts"' + self.draw.choice(("", ', late="drop"'))
        return text[:-1] + more + self.draw.choice(("", "", ", partial=False")) + ")"

    def _aggregate(self, stream: str, item: str) -> tuple[str, str]:
        fields = self.records[item]
        by = self._keys(item) if self.draw.random() < 0.7 else ()
        window = self._window(item)
        calls, out = [], {name: fields[name] for name in by}
        if "ts" in fields and "time" in window and self.draw.random() < 0.8:
            calls.append("ts=ab.start()")
            out["ts"] = "int"
        elif "ts" in fields and self.draw.random() < 0.7:
            calls.append('ts=ab.last("ts")')
            out["ts"] = "int"
        for _ in range(self.draw.randint(1, 3)):
            call, kind = self._fold(item)
            name = self.grammar.fresh("v")
            calls.append(f"{name}={call}")
            out[name] = kind
        keys = f", by={by!r}" if len(by) > 1 else f', by="{by[0]}"' if by else ""
        into = self._class(out)
        return self._then(f"{stream}.aggregate({window}{keys}, {', '.join(calls)}, into={into})",
                          into)

    def _fold(self, item: str) -> tuple[str, str]:
        fields = self.records[item]
        numbers = [n for n, kind in fields.items() if kind in ("int", "float")]
        if not numbers or self.draw.random() < 0.2:
            return "ab.count()", "int"
        if self.draw.random() < 0.2:
            test = self.grammar.expression("int", self._scope(item), 1)
            return f"ab.sum(lambda t: {test})", "int"
        name = self.draw.choice(numbers)
        fold = self.draw.choice(("sum", "min", "max", "first", "last", "mean"))
        return f'ab.{fold}("{name}")', "float" if fold == "mean" else fields[name]

    def _sort(self, stream: str, item: str) -> tuple[str, str]:
        known = [n for n, kind in self.records[item].items() if kind in ("int", "str", "bool")]
        if not known:
            return self._filter(stream, item)
        reverse = self.draw.choice(("", ", reverse=True"))
        count = self.draw.choice((2, 3, 7))
        return self._then(f'{stream}.sort("{self.draw.choice(known)}", '
                          f"ab.tumbling(count={count}){reverse})", item)

    def _deduplicate(self, stream: str, item: str) -> tuple[str, str]:
        name = self.draw.choice([n for n, kind in self.records[item].items() if kind != "ints"])
        return self._then(f'{stream}.deduplicate("{name}")', item)

    def _split(self, stream: str, item: str) -> tuple[str, str]:
        left, right = self.grammar.fresh("s"), self.grammar.fresh("s")
        test = self.grammar.expression("bool", self._scope(item))
        self.pipeline.append(f"{left}, {right} = {stream}.split(lambda t: {test})")
        left, _ = self._replace(left, item)
        if self.draw.random() < 0.5:
            right, _ = self._filter(right, item)
        return self._union_of(left, right, item)

    def _union_of(self, left: str, right: str, item: str) -> tuple[str, str]:
        on = self.draw.random() < 0.3 and "ts" in self.records[item]
        how = 'on="ts"' if on else "arrival=True"
        return self._then(f"{left}.union({right}, {how})", item)

    def _union(self, stream: str, item: str) -> tuple[str, str]:
        other, _ = self._source(item)
        return self._union_of(stream, other, item)

    def _join(self, stream: str, item: str) -> tuple[str, str]:
        by = self._keys(item)
        if not by:
            return self._map(stream, item)
        other, other_item = (stream, item) if self.draw.random() < 0.5 else self._source(item)
        if other == stream:
            other, other_item = self._filter(stream, item)
        scope = self._scope(item, "a") + self._scope(other_item, "b")
        out = self._out(item)
        built = self._built(out, scope, self._scope(item, "a"), 1)
        keep = self.draw.choice(("ab.recent(count=1)", "ab.recent(count=2)",
                                 "(ab.recent(count=3), ab.recent(count=1))",
                                 "(ab.recent(count=0), ab.recent(count=1))"))
        if "ts" in self.records[item] and self.draw.random() < 0.3:
            keep = 'ab.recent(time=3, on="ts")'
        keys = f"{by!r}" if len(by) > 1 else f'"{by[0]}"'
        return self._then(f"{stream}.join({other}, by={keys}, keep={keep}, "
                          f"into=lambda a, b: {built})", out)

    def _barrier(self, stream: str, item: str) -> tuple[str, str]:
        other, _ = self._replace(stream, item)
        scope = self._scope(item, "a") + self._scope(item, "b")
        built = self._built(item, scope, self._scope(item, "a"), 1)
        return self._then(f"ab.barrier({stream}, {other}, into=lambda a, b: {built})", item)

    def _loop(self, stream: str, item: str) -> tuple[str, str]:
        numbers = [n for n, kind in self.records[item].items() if kind == "int" and n != "ts"]
        if not numbers or self.size > 1000:
            return self._map(stream, item)
        name = self.draw.choice(numbers)
        body = [f"done, again = items.split(lambda t: abs(t.{name}) < 8)",
                f"return done, again.map(lambda t: t.replace({name}=abs(t.{name}) // 3), "
                f"to={item})"]
        return self._then(f"{stream}.loop({self._function('(items)', body)})", item)

    def _tee(self, stream: str, item: str) -> tuple[str, str]:
        """A second sink in the middle."""
        self._sink(stream, item)
        return stream, item

    def _sink(self, stream: str, item: str) -> None:
        name = self.grammar.fresh("out")
        kinds = set(self.records[item].values())
        forms = ["list", "list", "list", "jsonl", "parquet", "each"]
        forms += [] if "ints" in kinds else ["csv", "csv"]
        form = self.draw.choice(forms)
        if form == "list":
            self.pipeline.append(f"{stream}.collect_into([], name={name!r})")
        elif form == "each":
            self.pipeline.append(f"EACH_{name} = []\n{stream}.for_each(EACH_{name}.append, "
                                 f"name={name!r})")
        else:
            self.pipeline.append(f"{stream}.write_{form}(HERE / '{name}.{form}', name={name!r})")


STATES = {
    "total": ("int = 0", ["# += <int>", "# = max(#, <int>)", "# = (# * 31 + <int>) % 1000003"],
              [("#", "int")]),
    "amount": ("float = 0.0", ["# += <tame>", "# = # * 0.5 + <tame>", "# = <float>"],
               [("#", "float")]),
    "text": ('str = ""', ["# = (# + <str>)[-12:]", "# = <str>",
                          "if len(<str>) > len(#):\n    # = <str>"], [("#", "str")]),
    "flag": ("bool = False", ["# = not #", "# = # or <bool>"], [("#", "bool")]),
    "list": ("list = []", ["#.append(<int>)", "#.insert(0, <int>)\ndel #[4:]",
                           "# += [<int>]\nif len(#) > 5:\n    #.pop(0)"],
             [("len(#)", "int"), ("(#[-1] if # else 0)", "int"), ("sum(#[-3:])", "int")]),
    "dict": ("dict = {}", ["#[<str>] = #.get(<str>, 0) + 1", "#.setdefault(<int> % 5, <int>)",
                           "#.update({<str>: <int>})\nif len(#) > 4:\n    #.pop(next(iter(#)))"],
             [("len(#)", "int"), ('",".join(map(str, #))', "str"), ("sum(#.values())", "int")]),
    "set": ("set = set()", ["#.add(<int> % 7)", "#.add(<str>)", "# |= {<int> % 3}"],
            [("len(#)", "int"), ("(3 in #)", "bool")]),
    "deque": ("deque = deque(maxlen=3)", ["#.append(<int>)", "#.appendleft(<int>)"],
              [("sum(#)", "int"), ("len(#)", "int"), ("list(#)", "ints")]),
    "counter": ("Counter = Counter()", ["#[<str>] += 1", "#.update(<str>)"],
                [("len(#)", "int"), ("sum(#.values())", "int"),
                 ("(#.most_common(1)[0][0] if # else '')", "str")]),
    "defaultdict": ("defaultdict = defaultdict(int)", ["#[<str>] += <int>", "#[<int> % 4] += 1"],
                    [("len(#)", "int"), ("sum(#.values())", "int")]),
    "heap": ("list = []", ["heapq.heappush(#, <int>)\nif len(#) > 3:\n    heapq.heappop(#)"],
             [("#[0]", "int"), ("len(#)", "int")]),
    "last": ("datetime = datetime(2026, 1, 1)", ["# = max(#, <datetime>)", "# = <datetime>"],
             [("#", "datetime")]),
    "maybe": ("int | None = None", ["# = <int> if # is None else # + 1",
                                    "if # is None:\n    # = <int>"], [("#", "int")]),
}


def _literal(given: object) -> str:
    if isinstance(given, float):
        return f'float("{given}")' if given != given or given in (float("inf"), -float("inf")) \
            else repr(given)
    text = repr(given)
    return text.replace("datetime.datetime(", "datetime(")


def with_imports(text: str, files: dict[str, bytes]) -> str:
    """The text with the imports that it needs."""
    words = set(re.findall(r"[A-Za-z_]+", text))
    needed = [line for word, line in LIBRARY.items() if word in words]
    needed += [f"import {name[:-3]}" for name in sorted(files) if name.endswith(".py")]
    first, rest = text.split("\n", 1)
    here = "\nHERE = Path(__file__).parent\n" if "HERE" in words else ""
    needed += ["from pathlib import Path"] if here else []
    return "\n".join([*sorted(needed), first, here]) + rest
