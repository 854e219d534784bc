"""Structures, and arrays as items, in compiled code: the same as item by item."""

from __future__ import annotations

import multiprocessing
from random import randrange

import pytest

from anabranch.core.errors import ProgramError
from anabranch.kernels.folder import folder
from anabranch.lang.streamit import schedule_of
from anabranch.lang.streamit.execution.machine.state import compiled_groups
from lang.streamit.streamit_support import COUNTER, PRINTER, blocks, graph_of, rows

PAIR = ("struct Pair { int a; float[2] b; }"
        " struct Deep { Pair p; Pair[2] more; complex z; boolean t; }")
MAKE = ("void->Pair filter Make { int k; work push 1 { Pair p; p.a = k++; p.b[1] = p.a / 4.0;"
        " push(p); p.a = 99; } }")
SHOW = "Pair->void filter Show { work pop 1 { Pair p = pop(); println(p.a); println(p.b[1]); } }"
PROGRAMS = {
    "items": (MAKE + SHOW, "add Make; add Show;"),
    "looked at": (MAKE, "add Make; add Pair->void filter { work pop 1 peek 3 {"
                        " println(peek(2).a * 10 + peek(0).a); println(peek(1).b[1]); pop(); } };"),
    "state": (MAKE + SHOW, "add Make; add Pair->Pair filter { Pair last; Pair[2] seen; int i;"
              " work pop 1 push 1 { Pair now = pop(); seen[i % 2] = now; i++; now.a += last.a;"
              " now.b[1] = seen[0].a; last = now; push(now); } }; add Show;"),
    "split and joined": (MAKE + SHOW, "add Make; add splitjoin { split roundrobin(1, 2);"
                         " add Identity<Pair>; add Pair->Pair filter { work pop 1 push 2 { Pair p ="
                         " pop(); push(p); p.a = -p.a; push(p); } }; join roundrobin(1, 4); };"
                         " add Show;"),
    "deep": ("", "add void->Deep filter { int k; Deep d; work push 1 { Deep e = d; e.p.a = k++;"
             " e.more[1].b[0] = k * 0.5; e.more[0] = e.p; e.z = 1 + 2i; e.z.real = k;"
             " e.t = k % 2 == 0; d = e; push(e); } };"
             " add Deep->void filter { work pop 1 { Deep d = pop(); Pair p = d.more[0];"
             " println(p.a + d.p.a); println(d.more[1].b[0]); println(d.z); println(d.t); } };"),
    "parameters and functions": (MAKE, "Pair p; p.a = 7; p.b[0] = 0.5; add Make; add pipeline {"
                                 " add Pair->float filter { float sum(Pair q, float by) { return"
                                 " (q.a + q.b[1]) * by; } work pop 1 push 1 { push(sum(pop(), 2) +"
                                 " p.a * p.b[0]); } }; }; add float->void filter { work pop 1 {"
                                 " println(pop()); } };"),
    "arrays": ("", "add void->float[3] filter { int k; work push 1 { float[3] a = {k, 2, 3};"
               " a[k % 3] += 0.5; k++; push(a); a[0] = 99; } }; add float[3]->float[3] filter {"
               " float[3] last; work pop 1 push 1 peek 2 { float[3] a = pop(); for (int i = 0;"
               " i < 3; i++) a[i] += last[2 - i] + peek(0)[i]; last = a; push(a); } };"
               " add float[3]->void filter { work pop 1 { float[3] a; a = pop(); println(a[0]);"
               " println(a[2]); } };"),
    "arrays of two dimensions": (
        "int[N][2]->int filter Sum(int N) { work pop 1 push 1 { int[N][2] m = pop(); int s = 0;"
        " for (int i = 0; i < N; i++) s += m[i][0] * m[i][1]; push(s); } }"
        "void->int[N][2] filter Fill(int N) { int k; work push 1 { int[N][2] m; for (int i = 0;"
        " i < N; i++) { m[i][0] = k++; m[i][1] = i; } push(m); } }",
        "int n = 3; add Fill(n); add splitjoin { split duplicate; add Sum(n); add Sum(n);"
        " join roundrobin; }; add Print;"),
    "arrays of structures": (MAKE, "add Make; add Pair->Pair[2] filter { work pop 2 push 1 {"
                             " Pair[2] both; both[0] = pop(); both[1] = pop(); push(both); } };"
                             " add Pair[2]->void filter { work pop 1 { Pair[2] both = pop();"
                             " println(both[0].a * 10 + both[1].a); } };"),
    "structures changed by a function": (MAKE + SHOW, "add Make; add Pair->Pair filter { Pair more("
                                         "Pair p) { p.a++; return p; } work pop 1 push 1 {"
                                         " push(more(pop())); } }; add Show;"),
}
PLAIN = ("structures changed by a function",)


def program(name: str) -> str:
    before, main = PROGRAMS[name]
    return f"{COUNTER}{PRINTER}{PAIR}{before}\nvoid->void pipeline Main {{ {main} }}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_compiled(name):
    text = program(name)
    expected = rows(text, 7)
    assert blocks(text, 7, compiles=True) == expected
    assert blocks(text, 7, workers=3, compiles=True) == expected
    assert len(expected.split()) >= 7
    groups = compiled_groups(schedule_of([("program.str", text)]), joined=True)
    assert all(group.compiled for group in groups) == (name not in PLAIN)


LARGE = """
    struct Large { int a; float[9000000] b; }
    void->int filter Make {
        int k;
        int of(Large one, int more) { Large own; own.a = one.a; return own.a + more; }
        work push 2 {
            Large p; Large q; p.a = k++; q.a = -k;
            push(of(k > 2 ? p : q, k > 1 ? 10 : 20));
            while (true) {
                if (k > 9) { Large r; r.a = k; push(r.a); r.a = 99; return; }
                Large s; k += 10; s.a = k; k = s.a; s.a = 99;
            }
        }
    }
    void->void pipeline Main { add Make; add Print; }
"""


def in_processes(function, items: list) -> list:
    """What a function gives for each item, in a process for each."""
    fork, given = multiprocessing.get_context("fork"), []
    for item in items:
        ours, theirs = fork.Pipe()
        process = fork.Process(target=lambda item=item, end=theirs: end.send(function(item)))
        process.start()
        theirs.close()
        given.append((process, ours))
    found = [ours.recv() for _, ours in given]
    for process, _ in given:
        process.join()
    return found


def test_structures_last_as_long_as_their_blocks():
    # So large a one goes back to the system at once: who uses it then ends with a fault.
    def run(iterations):
        return blocks(PRINTER + LARGE, iterations, compiles=True)
    assert in_processes(run, [1, 2]) == ["19\n11\n", "19\n11\n21\n12\n"]


def of_size(length: int, field: str) -> str:
    """A program whose structures have such a field, and an array of some length."""
    return COUNTER + PRINTER + f"""
        struct Long {{ int {field}; int[{length}] b; }}
        int->Long filter Wrap {{ work pop 1 push 1 {{ Long p; p.{field} = pop(); push(p); }} }}
        Long->int filter Unwrap {{ work pop 1 push 1 {{ push(pop().{field}); }} }}
        void->void pipeline Main {{
            add Count; add Wrap;
            add splitjoin {{ split roundrobin(1, 2); add Identity<Long>; add Identity<Long>;
                             join roundrobin(1, 2); }};
            add Unwrap; add Print;
        }}"""


def test_what_other_processes_have_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder.cache_clear()
    # Nobody has compiled for such structures before.
    field, wanted = f"a{randrange(10**9)}", "".join(f"{n}\n" for n in range(900))

    def run(lengths):
        return [blocks(of_size(length, field), 300, compiles=True) for length in lengths]
    assert run([1]) == [wanted]
    # Both compile with all else alike: what they save must not have the same names.
    assert in_processes(run, [[4], [90]]) == [[wanted]] * 2
    assert in_processes(run, [[4, 90], [90, 4]]) == [[wanted] * 2] * 2
    folder.cache_clear()


def test_arrays_of_another_length():
    text = program("arrays").replace("add float[3]->void", "add float[4]->void")
    with pytest.raises(ProgramError, match=r"float\[4\](.|\n)*float\[3\]"):
        graph_of(text, 1)
