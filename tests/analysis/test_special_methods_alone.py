"""A class with one special method that counts: whatever calls the method is found by that alone."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.analysis.effects.purity import Effects
from anabranch.analysis.fact import EffectKind
from anabranch.ir.function import Function
from anabranch.ir.operators import Map
from analysis.support import compiled, single

BINARY = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
          "pow": "**", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
          "matmul": "@"}
USES = {
    **{f"__{name}__": ("1", [f"c {sign} t.uid", f"c {sign} c"]) for name, sign in BINARY.items()},
    **{f"__r{name}__": ("1", [f"t.uid {sign} c", f"2.5 {sign} c"])
       for name, sign in BINARY.items()},
    **{f"__{name}__": ("True", [f"c {sign} t.uid", f"[c] {sign} [t.uid]", f"(1, c) {sign} (1, 2)"])
       for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items()},
    "__eq__": ("True", ["c == 1", "1 == c", "c != 1", "c in [t.uid]", "[c].index(1)",
                        "[c].count(1)",
                        "(c,).index(1)", "t.uid in [c]", "[c] == [1]", "{'a': c} == {'a': 1}",
                        "[1].remove(c)", "(1, c) == (1, 2)"]),
    "__hash__": ("1", ["{c}", "{c: 1}", "{1: 2}.get(c)", "c in {1}", "hash(c)", "set([c])",
                       "dict([(c, 1)])", "dict.fromkeys([c])", "frozenset([(1, c)])", "{1}.add(c)",
                       "{1}.union([c])", "{x for x in [c]}", "{x: 1 for x in [c]}", "{}.pop(c, 1)",
                       "{}.setdefault(c, 1)", "{1: 2}[c]", "{1}.discard(c)", "{(1, c): 2}"]),
    "__bool__": ("True", ["not c", "1 if c else 2", "c and 1", "c or 1", "bool(c)", "any([c])",
                          "all([c])", "[x for x in [1] if c]", "list(filter(None, [c]))",
                          "not [x for x in t.tags if not c]"]),
    "__len__": ("1", ["len(c)", "bool(c)", "not c", "1 if c else 2"]),
    "__str__": ("''", ["str(c)", "f'{c}'", "'%s' % c", "'%s %s' % (1, c)", "'{}'.format(c)",
                       "format(c)", "'%(a)s' % {'a': c}", "'{a}'.format_map({'a': c})"]),
    "__repr__": ("''", ["repr(c)", "str(c)", "f'{c!r}'", "str([c])", "str({'a': c})", "ascii(c)",
                        "f'{[c]}'", "'%r' % (c,)", "str((1, c))"]),
    "__format__": ("''", ["f'{c:>3}'", "format(c, 'x')", "'{:x}'.format(c)"]),
    "__iter__": ("iter([1])", ["list(c)", "[*c]", "[x for x in c]", "sum(c)", "max(c)", "sorted(c)",
                               "set(c)", "tuple(c)", "dict(c)", "list(zip(c, [1]))", "iter(c)",
                               "list(enumerate(c))", "list(map(str, c))", "1 in c", "''.join(c)",
                               "[].extend(c)", "{1}.update(c)", "any(c)", "(lambda *a: 1)(*c)",
                               "(lambda a, b: 1)(*c)", "{*c}", "list(filter(None, c))", "bytes(c)",
                               "list(reversed(list(c)))", "{1}.union(c)", "dict.fromkeys(c)",
                               "next(iter(c))", "[a for a, b in [c]]"]),
    "__next__": ("1", ["next(c)"]),
    "__getitem__": ("1", ["c[0]", "c['a']", "c[1:2]", "list(c)", "'%(a)s' % c", "1 in c"]),
    "__contains__": ("True", ["1 in c", "1 not in c"]),
    "__call__": ("1", ["c()", "c(1)", "list(map(c, [1]))", "sorted([1], key=c)", "max([1], key=c)",
                       "list(filter(c, [1]))", "(lambda f: f(1))(c)"]),
    "__getattr__": ("1", ["c.other", "getattr(c, 'other')", "hasattr(c, 'other')", "c.other.more"]),
    "__getattribute__": ("1", ["c.other", "getattr(c, 'other')"]),
    "__neg__": ("1", ["-c"]), "__pos__": ("1", ["+c"]), "__invert__": ("1", ["~c"]),
    "__abs__": ("1", ["abs(c)"]), "__round__": ("1", ["round(c)", "round(c, 1)"]),
    "__index__": ("1", ["t.tags[c]", "t.name[c]", "range(c)", "bin(c)", "hex(c)", "chr(c)",
                        "int(c)", "float(c)", "bytes(c)", "t.tags[c:]", "[].insert(c, 1)",
                        "round(2.5, c)", "bytearray(c)", "oct(c)"]),
    "__int__": ("1", ["int(c)"]), "__float__": ("1.0", ["float(c)"]),
    "__complex__": ("1j", ["complex(c)"]), "__reversed__": ("iter([1])", ["list(reversed(c))"]),
    "__missing__": ("1", []),
}
LIBRARY = {
    "__float__": ("1.0", ["math.sqrt(c)", "math.floor(c)", "math.isnan(c)"]),
    "__floor__": ("1", ["math.floor(c)"]), "__ceil__": ("1", ["math.ceil(c)"]),
    "__trunc__": ("1", ["math.trunc(c)"]), "__copy__": ("1", ["copy.copy(c)"]),
    "__deepcopy__": ("1", ["copy.deepcopy(c)", "copy.deepcopy([c])"]),
    "__lt__": ("True", ["sorted([1, c])", "max(1, c)", "heapq.heappush([1], c)",
                        "bisect.bisect([1], c)", "heapq.nlargest(1, [c])", "[c, 1].sort()"]),
    "__call__": ("'a'", ["re.sub('a', c, t.name)", "functools.reduce(c, [1, 2])",
                         "list(itertools.accumulate([1], c))", "functools.partial(c, 1)()",
                         "list(itertools.groupby([1], c))", "iter(c, 1)"]),
    "__index__": ("1", ["struct.pack('i', c)", "math.gcd(c, 2)", "list(itertools.islice([1], c))",
                       "t.name.split(' ', c)", "t.name.split(maxsplit=c)", "t.name.center(c)",
                       "list(enumerate([1], c))", "list(enumerate([1], start=c))",
                       "list(itertools.repeat(1, c))", "list(itertools.permutations([1], c))",
                       "list(itertools.product([1], repeat=c))", "itertools.tee([1], c)",
                       "heapq.nlargest(c, [1])", "t.name.find('a', c)", "[1].pop(c)",
                       "[1].index(1, c)", "t.uid.to_bytes(c, 'big')", "collections.deque([1], c)",
                       "collections.deque([1]).rotate(c)", "[1] * c", "t.name * c", "c * [1]",
                       "collections.deque([1], maxlen=c)", "(1,).index(1, c)",
                       "collections.Counter([1]).most_common(c)"]),
    "__add__": ("1", ["sum([c, 1], c)", "operator.add(c, 1)", "statistics.mean([c])"]),
    "__getitem__": ("1", ["operator.getitem(c, 1)", "operator.itemgetter(1)(c)",
                          "t.name.translate(c)"]),
    "__getattr__": ("1", ["operator.attrgetter('a')(c)"]),
    "__iter__": ("iter([1])", ["json.dumps([x for x in c])", "collections.Counter(c)",
                               "statistics.mean(c)", "collections.deque(c)", "math.fsum(c)",
                               "list(itertools.compress([1], c))"]),
    "__bool__": ("True", ["list(itertools.compress([1], [c]))",
                          "list(itertools.takewhile(lambda x: c, [1]))"]),
    "__str__": ("''", ["decimal.Decimal(str(c))"]),
    "__array__": ("None", ["np.array([c])", "np.add(c, 1)"]),
    "__hash__": ("1", ["collections.Counter([c])", "collections.OrderedDict([(c, 1)])"]),
}
MODULES = ("bisect collections copy decimal functools heapq itertools json math operator re "
           "statistics struct")
NAMES = {name: __import__(name) for name in MODULES.split()} | {"np": np}
METHODS = ("__setattr__ __setitem__ __delattr__ __delitem__ __iadd__ __enter__ __exit__ __iter__ "
           "__bool__ __hash__ __index__ __eq__ __len__ __getitem__ __str__ __lt__ __contains__")
CASES = [(method, result, use) for table in (USES, LIBRARY)
         for method, (result, uses) in table.items() for use in uses]


def effects(text: str) -> set[EffectKind]:
    call = compiled(text, {**NAMES, "__name__": __name__})["f"]
    return {e.kind for e in Effects().of(single(Map(Function.of(call))))["op"].fact.value}


@pytest.mark.parametrize(("method", "result", "use"), CASES)
def test_it_is_found(method, result, use):
    text = (f"NOTED = []\n\n\nclass C:\n    def {method}(self, *given):\n        NOTED.append(1)\n"
            f"        return {result}\n\n\nc = C()\n")
    lasting = {EffectKind.WRITES, EffectKind.UNRESOLVED}
    assert effects(f"{text}f = lambda t: {use}\n") & lasting
    assert effects(f"{text}f = lambda t: (lambda c: {use})(C())\n") & lasting


@pytest.mark.parametrize("body", [
    "c.a = 1", "c['a'] = 1", "del c.a", "del c['a']", "c += 1", "with c:\n        pass",
    "for x in c:\n        pass", "a, b = c", "assert c", "if c:\n        pass",
    "while c:\n        break", "n = {}\n    n[c] = 1", "n = [1, 2]\n    n[c] = 1",
    "match c:\n        case 1:\n            pass", "match c:\n        case [a]:\n            pass",
    "match c:\n        case {'a': 1}:\n            pass", "raise ValueError(str(c))",
    "n = [1]\n    n += c", "n = {1}\n    n |= {c}", "n = [3, c]\n    n.sort()", "assert 1, c",
    "a, *b = c", "n = [1]\n    n[0:1] = c", "n = [1]\n    n.remove(c)",
])
def test_a_statement_is_found(body):
    """Of a class with all of the methods that a statement calls."""
    text = "NOTED = []\n\n\nclass C:\n" + "".join(
        f"    def {name}(self, *given):\n        NOTED.append(1)\n        return 1\n\n"
        for name in METHODS.split()) + f"\ndef f(t):\n    c = C()\n    {body}\n    return 1\n"
    assert effects(text) & {EffectKind.WRITES, EffectKind.UNRESOLVED}
