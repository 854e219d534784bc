"""Functions that use the variables of others are kept as long as these, and no longer."""

from __future__ import annotations

import pytest

from anabranch.core.errors import ProgramError
from lang.sawzall.szl import ran

FINE = {
    "at the same level": """x := 3; f: function() { x = 4; }; g: function() = f; g();
        h: function() { y := 1; i: function() { y = 2; }; j: function(); j = i; j();
          assert(y == 2); }; h(); assert(x == 4);""",
    "outwards, where nothing is used": """x := 3; g: function(); f: function() {
        h: function() { x = 5; }; g = h; }; f(); g(); assert(x == 5);""",
    "returned to where the variable is": """f: function() { x := 3; g: function(): function(): int {
        h: function(): int { return x; }; return h; }; assert(g()() == 3); }; f();""",
    "inwards": """f: function() { x := 4; g: function(): int { return x; };
        h: function(k: function(): int): int { return k(); }; assert(h(g) == 4); }; f();""",
    "a static variable": """f: function(): function(): int { static x := 4;
        return function(): int { return x; }; }; assert(f()() == 4);""",
    "itself": """f := function(n: int): int { g := function(m: int): int {
        if (m > 0) return g(m - 1); return n; };
        h: function(m: int): int; h = g; return h(3); }; assert(f(7) == 7);""",
    "parts of others": """f: function() { type F = function(): int;
        a: array of F = {F { return 0; }}; y := 12;
        g: function() { h: function(): int { return y; }; a[0] = h; a = { h }; };
        g(); assert(a[0]() == 12); }; f();""",
}
KEPT = {
    "outside": "k: function(); f: function() { x := 3; g: function() { x = 5; }; k = g; };",
    "in a part": """f: function() { m: map[int] of function(): int = {:}; g: function() { y := 1;
        m[0] = function(): int { return y; }; }; };""",
    "in a tuple": """f: function() { t: { x: function(): int } = { function(): int { return 0; } };
        g: function() { y := 1; h: function(): int { return y; }; t = { h }; }; };""",
    "by what it is passed to": """f: function() { k: function();
        put: function(h: function()) { k = h; };
        g: function() { x := 5; h: function() { x = 6; }; put(h); }; };""",
    "by what it uses": """k: function(): int; f: function() { x := 5;
        g: function(): int { return x; }; h: function(): int { return g(); }; k = h; };""",
    "in a statement expression": """k: function(); f: function() { x := 3; g: function() { x = 5; };
        assert(?{ k = g; result true; }); };""",
}
RETURNED = {
    "at once": "f: function(): function(): int { x := 3; return function(): int { return x; }; };",
    "through another": """f: function(): function(): int { x := 4;
        g: function(): int { return x; };
        h: function(k: function(): int): function(): int { return k; }; return h(g); };""",
    "a parameter": """f: function(n: int): function(): int {
        return function(): int { return n; }; };""",
}


@pytest.mark.parametrize("case", FINE)
def test_functions_keep_their_variables(case):
    assert ran(FINE[case]) == ""


@pytest.mark.parametrize("case", [*KEPT, *RETURNED])
def test_functions_that_would_be_kept_too_long_are_refused(case):
    what = "kept in" if case in KEPT else "returned from"
    with pytest.raises(ProgramError, match=f"cannot be {what}") as caught:
        ran((KEPT | RETURNED)[case])
    assert caught.value.where is not None and "which is gone by then" in caught.value.help
