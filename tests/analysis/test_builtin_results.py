"""What built-in functions, methods and operators give: each is run, and analysis says just that."""

from __future__ import annotations

import collections
import copy
import functools
import heapq
import itertools
import operator

import numpy as np
import pytest

from anabranch.analysis.effects.purity import Effects
from anabranch.ir.operators import Map
from analysis.support import Entry, Out, function, single
from analysis.test_library_results import is_one_of, line

NAMES = {"collections": collections, "copy": copy, "functools": functools, "heapq": heapq,
         "itertools": itertools, "operator": operator, "np": np}
ITEM = Entry(1.5, 7, "Ab c1", 2.5, ["x", "yy"], None)

FUNCTIONS = [
    "abs(t.uid)", "abs(t.amount)", "abs(True)", "round(t.amount)", "round(t.amount, 1)",
    "round(t.uid)", "round(t.amount, None)", "round(t.amount, ndigits=1)", "divmod(t.uid, 2)",
    "divmod(t.amount, 2)", "pow(t.uid, 2, 5)", "pow(t.amount, 2)", "bin(t.uid)", "hex(t.uid)",
    "oct(t.uid)", "chr(t.uid)", "ord(t.tags[0])", "repr(t.tags)", "ascii(t.name)",
    "format(t.amount, '.2f')", "len(t.tags)", "any(t.tags)", "all(t.tags)", "sum([t.uid, 2])",
    "sum([t.amount, 2.0], 0.0)", "sum([[t.uid]], [])", "sum([t.uid, 1], start=2)", "min(t.tags)",
    "max(t.uid, 3)", "min(t.tags, key=len)", "max(t.tags, default='')", "min([], default='')",
    "sorted(t.tags)", "sorted(t.tags, key=len, reverse=True)", "heapq.nlargest(1, t.tags)",
    "heapq.nsmallest(1, t.tags, key=len)", "iter(t.tags)", "next(iter(t.tags))",
    "next(iter(iter(t.tags)))", "next(iter([]), '')", "list(enumerate(t.tags))",
    "list(zip(t.tags, [t.uid]))", "list(zip(*[t.tags, [t.uid, 1]]))",
    "list(itertools.zip_longest(t.tags, [t.uid], fillvalue=0.5))", "list(map(len, t.tags))",
    "list(map(operator.add, [t.uid], [2]))", "list(itertools.starmap(pow, [(t.uid, 2)]))",
    "list(filter(None, t.tags))", "list(filter(str.isalpha, t.tags))",
    "list(itertools.filterfalse(str.isdigit, t.tags))", "list(reversed(t.tags))",
    "list(itertools.takewhile(str.isalpha, t.tags))", "list(itertools.chain(t.tags, ['a']))",
    "list(itertools.chain.from_iterable([t.tags]))", "list(itertools.islice(t.tags, 1))",
    "list(itertools.compress(t.tags, [1, 0]))",
    "list(itertools.islice(itertools.cycle(t.tags), 3))",
    "list(itertools.repeat(t.name, 2))", "list(itertools.islice(itertools.count(t.uid), 2))",
    "list(itertools.product(t.tags, repeat=2))", "list(itertools.permutations(t.tags, 2))",
    "list(itertools.combinations(t.tags, 2))", "list(itertools.pairwise(t.tags))",
    "[(k, list(g)) for k, g in itertools.groupby(t.tags, len)]",
    "[(k, list(g)) for k, g in itertools.groupby(t.tags)]", "list(itertools.accumulate([t.uid]))",
    "list(itertools.accumulate([t.uid], max))", "list(itertools.accumulate([1], initial=0))",
    "[list(each) for each in itertools.tee(t.tags)]", "functools.reduce(max, t.tags)",
    "functools.reduce(lambda a, b: a + len(b), t.tags, 0)", "isinstance(t.uid, int)",
    "issubclass(int, object)", "callable(len)", "type(t.uid)(2.5)", "getattr(t, 'name')",
    "getattr(t, 'name', '')", "hasattr(t, 'name')", "int(t.amount)", "float(t.uid)",
    "complex(t.amount)", "str(t.uid)", "bool(t.uid)", "bytes(t.uid)", "bytes([t.uid])",
    "range(t.uid)", "slice(t.uid)", "copy.copy(t.tags)", "copy.deepcopy({'a': t.tags})",
    "operator.itemgetter(0)(t.tags)", "operator.attrgetter('name')(t)", "operator.add(t.uid, 2.5)",
    "operator.methodcaller('upper')(t.name)", "functools.partial(max, 3)(t.uid)",
]
COLLECTIONS = [
    "list(t.tags)", "tuple(t.tags)", "set(t.tags)", "frozenset(t.tags)",
    "collections.deque(t.tags)",
    "bytearray(3)", "dict(a=t.uid)", "dict([('a', t.uid)])", "dict({'a': t.uid}, b=2)",
    "{**{'a': t.uid}, 'b': 2}", "[*t.tags, 'z']", "(*t.tags, 'z')", "{t.name: t.uid}",
    "{x: len(x) for x in t.tags}", "{len(x) for x in t.tags}", "[x for x in t.tags if x]",
    "collections.Counter(t.tags)", "collections.Counter({'a': t.uid})",
    "collections.Counter(t.tags).most_common(1)", "list(collections.Counter(t.tags).elements())",
    "collections.Counter(t.tags).total()", "collections.OrderedDict(a=t.uid)",
    "t.tags + ['z']", "t.tags * 2", "2 * t.tags", "(t.uid,) + (2.5,)", "{1} | {t.uid}",
    "{1} & {t.uid}",
    "{1} - {t.uid}", "{1} ^ {t.uid}", "{'a': 1} | {'b': t.uid}", "t.tags[0]", "t.tags[:1]",
    "(t.uid, 'a')[0]", "(t.uid, 'a')[1]", "{'a': t.uid}['a']", "t.name[0]", "t.name[::2]",
    "b'ab'[0]", "b'ab'[:1]", "range(9)[t.uid]", "range(9)[:t.uid]", "collections.deque(t.tags)[0]",
    "t.tags.index('x')", "t.tags.count('x')", "t.tags.copy()", "[3, t.uid].pop()",
    "(1, t.uid).index(1)", "(1, t.uid).count(1)", "{1}.union([t.uid])", "{1}.intersection([t.uid])",
    "{1}.difference([t.uid])", "{1}.symmetric_difference([t.uid])", "{1}.issubset([t.uid])",
    "{1}.isdisjoint([t.uid])", "{1}.issuperset([t.uid])", "{1}.copy()", "{t.uid}.pop()",
    "{'a': t.uid}.get('a')", "{'a': t.uid}.get('b', 2.5)", "{'a': t.uid}.pop('a')",
    "{'a': t.uid}.pop('b', 2.5)", "{'a': t.uid}.setdefault('b', 2.5)", "list({'a': t.uid}.keys())",
    "list({'a': t.uid}.values())", "list({'a': t.uid}.items())", "{'a': t.uid}.popitem()",
    "{'a': t.uid}.copy()", "dict.fromkeys(t.tags, 0)", "{'a': t.uid}.setdefault('b')",
    "bytearray(b'ab').upper()", "bytearray(b'ab').copy()",
    "bytearray(b'a b').hex()",
    "bytearray(b'a b').partition(b' ')[0]", "bytearray(b'a b').split()[0]",
    "[1].append(t.uid)", "{1}.add(t.uid)", "{'a': 1}.update(b=t.uid)",
    "t.tags[-1]", "[t.tags][0][0]", "[[t.uid]][0]", "sorted({'b': 1, 'a': t.uid}.items())[0]",
]
OPERATORS = [
    "t.uid + 1", "t.uid + t.amount", "t.uid / 2", "t.uid // 2", "t.amount // 2", "t.uid % 3",
    "t.name % ()", "'%s' % t.uid", "'%d %s' % (t.uid, t.name)", "b'%d' % t.uid", "t.uid ** 2",
    "t.uid << 1", "t.uid & 1", "t.uid | 1", "True & True", "~t.uid", "-t.amount", "not t.uid",
    "t.name + 'a'", "t.name * 2", "t.uid < 3", "t.tags == []", "t.name in t.tags", "'A' in t.name",
    "t.uid in {1: 2}", "t.note is None", "1 < t.uid < 9", "t.uid and t.uid", "t.name or 'a'",
    "t.uid if t.name else 3", "f'{t.uid:>{t.uid}} {t.name!r}'", "(lambda a, b=2: a + b)(t.uid)",
    "(lambda *a, **k: (a, k))(t.uid, x=t.name)", "(n := t.uid) + n", "t.note", "t.tags", "[]",
    "[a for a, *b in [(t.uid, 'x')]]", "(lambda a, /, *, b: b)(1, b=t.name)", "t.replace(uid=3)",
    "t.replace(uid=3).uid", "[*map(str, t.tags)][0]", "Out(1, 2.5)",
    "Out(1, 2.5).total", "Out(uid=1, total=2.5).uid", "[i for i in range(t.uid) if i % 2]",
    "sum(len(x) for x in t.tags)", "max(x for x in t.tags)", "{*t.tags}", "t == t", "t[0]", "t.ts",
    "[y for x in [t.tags] for y in x]", "next((x for x in t.tags if x == 'zz'), None)",
]
EXPRESSIONS = [*FUNCTIONS, *COLLECTIONS, *OPERATORS]


def found(expression: str):
    return Effects().of(single(Map(function(f"f = lambda t: {expression}", NAMES))))["op"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_it_gives(expression):
    known = found(expression)
    assert [e.reason for e in known.fact.value] == []
    value = eval(f"(lambda t: {expression})(ITEM)", NAMES | {"ITEM": ITEM, "Out": Out})
    assert is_one_of(value, known.outputs[0]), (value, known.outputs)


def test_all_that_is_known(golden):
    golden("analysis/builtins.txt", "\n".join(line(e, found(e)) for e in EXPRESSIONS) + "\n")
