"""The key of a Custom's state is found where the logic shows it, and nowhere else."""

from __future__ import annotations

import pytest

from anabranch.ir.operators import Apply
from lang.spl.spl_support import compiled, printed

PROGRAM = """
composite Main {{
  type In = tuple<int32 a, int32 b>;
  graph
    stream<In> Numbers = Beacon() {{
      param iterations: 60;
      output Numbers: a = (int32) (IterationCount() % 4ul), b = (int32) (IterationCount() % 3ul);
    }}
    stream<In, tuple<int32 n>> Counts = Custom(Numbers) {{
      logic
        state: {{ {state} }}
        onTuple Numbers: {{ {logic} }}
        {more}
    }}
    () as Out = FileSink(Counts) {{ param file: "/dev/stdout"; format: csv; }}
}}
"""
MAP, SUBMIT = "mutable map<int32, int32> m = {};", "submit({{a = a, b = b, n = {}}}, Counts);"
KEYED = "if (!(a in m)) m[a] = 0; m[a] += b; " + SUBMIT.format("m[a]").replace("{{", "{").replace(
    "}}", "}")
N = "submit({a = a, b = b, n = %s}, Counts);"
CASES = {
    "one attribute": (MAP, KEYED, "", ("a",)),
    "by the port's name": (MAP, "if (!has(m, Numbers.a)) insertM(m, a, 0); m[Numbers.a] += b; "
                           + N % "m[a]", "", ("a",)),
    "two attributes": ("mutable map<tuple<int32 x, int32 y>, int32> m = {};",
                       "if (!({x = a, y = b} in m)) m[{x = a, y = b}] = 0; m[{x = a, y = b}] += 1; "
                       + N % "m[{x = a, y = b}]", "", ("a", "b")),
    "two maps": (MAP + "mutable map<int32, int32> o = {};",
                 "if (!(a in m)) m[a] = 0; m[a] += b; o[a] = m[a] * 2; " + N % "o[a]", "", ("a",)),
    "two keys": (MAP, "if (!(a in m)) m[a] = 0; m[b] = a; " + N % "m[a]", "", ()),
    "the size of the map": (MAP, KEYED + " if (size(m) > 2) " + N % "9", "", ()),
    "the map as a whole": (MAP, KEYED + " for (int32 k in m) " + N % "k", "", ()),
    "a key that is computed": (MAP, "if (!(a + 1 in m)) m[a + 1] = 0; m[a + 1] += b; "
                               + N % "m[a + 1]", "", ()),
    "a variable with the name of the attribute": (
        MAP, "{ int32 a = 1; if (!(a in m)) m[a] = 0; m[a] += b; " + N % "m[a]" + " }", "", ()),
    "another variable that changes": (MAP + "mutable int32 c = 0;", "c++; " + KEYED, "", ()),
    "a marker looks at it": (MAP, KEYED, "onPunct Numbers: submit({a = 0, b = 0, n = size(m)}, "
                             "Counts);", ()),
}


def program(state: str, logic: str, more: str) -> str:
    return PROGRAM.format(state=state, logic=logic, more=more)


@pytest.mark.parametrize("case", CASES)
def test_the_key(case):
    *parts, key = CASES[case]
    graph = compiled(program(*parts), "keys.spl")
    [found] = [op.kind for op in graph if isinstance(op.kind, Apply)]
    assert found.by == key


@pytest.mark.parametrize("case", CASES)
def test_buckets_give_what_one_state_gives(case, monkeypatch):
    *parts, _ = CASES[case]
    keyed = printed(program(*parts), engine="multicore", workers=2, tune={"slice_size": 7})
    monkeypatch.setattr("anabranch.lang.spl.operators.relational.key_of", lambda *given: ())
    assert printed(program(*parts)) == keyed != ""
