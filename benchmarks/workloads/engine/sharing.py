"""Variables that operators share.

This is Figure 21 of Soulé et al., "River: an intermediate language for stream processing".

(a) An expensive operator, a cheap one and an expensive one, in a line; the middle one shares a
variable with each of the others. (b) Two operators share more and more variables.
"""

from __future__ import annotations

from pathlib import Path

from anabranch.compile import compile_graph, load
from anabranch.plan.logical.plan import Plan
from benchmarks.measurement import Outcome, Plot, Setting
from benchmarks.runner import compared
from benchmarks.workloads.engine.work import contender, in_sequence, right_answer

DELAYS = (0.001, 0.003, 0.01)
VARIABLES = (1, 10, 100, 1250)
ENGINES = ("sequential", "multicore")


def measure(setting: Setting) -> Outcome:
    outcome = Outcome()
    for delay in DELAYS:
        outcome = outcome.joined(_compared(f"(a) {1000 * delay:g} ms", line(delay), setting,
                                           max(20, int(0.5 * setting.scale / delay))))
    for count in VARIABLES:
        outcome = outcome.joined(_compared(_case(count), shared(count), setting,
                                           max(50, int(20_000 * setting.scale))))
    points = {engine: [(n, 1e6 / found.rows_per_second) for n in VARIABLES
                       if (found := outcome.of(_case(n), engine))] for engine in ENGINES}
    return outcome.joined(Outcome(plots=[Plot(
        "sharing", "Two operators that share variables", "variables", "microseconds a tuple",
        points, log=True)]))


def _case(count: int) -> str:
    return f"(b) {count:,} variable{'' if count == 1 else 's'}"


def _compared(case: str, texts: tuple[str, str], setting: Setting, rows: int) -> Outcome:
    plan, items = _plan(texts, setting.folder), list(range(rows))
    contenders = [in_sequence(plan, items),
                  contender("multicore", plan, items, setting.most_workers)]
    return compared(case, contenders, right_answer(plan, items), rows, setting)


def _plan(texts: tuple[str, str], folder: Path) -> Plan:
    for suffix, text in zip((".river", ".py"), texts):
        (folder / f"shared{suffix}").write_text(text)
    return compile_graph(load(folder / "shared.river"))


def line(delay: float) -> tuple[str, str]:
    """The topology and the functions of (a)."""
    return ("""output d;
input a : int;
(b : int, $v) <- First(a, $v);
(c : int, $v, $w) <- Second(b, $v, $w);
(d : int, $w) <- Third(c, $w);
""", f"""import time

v = w = 0


def First(item, port, v):
    time.sleep({delay})
    return [[item]], [v + 1]


def Second(item, port, v, w):
    return [[item + v]], [v, w + 1]


def Third(item, port, w):
    time.sleep({delay})
    return [[item + w]], [w]
""")


def shared(count: int) -> tuple[str, str]:
    """The topology and the functions of (b)."""
    names = [f"v{n}" for n in range(count)]
    written, taken = ", ".join(f"${name}" for name in names), ", ".join(names)
    body = f"    return [[item]], [v0 + 1, {', '.join(names[1:])}]\n"
    return (f"""output c;
input a : int;
(b : int, {written}) <- First(a, {written});
(c : int, {written}) <- Second(b, {written});
""", " = ".join(names) + " = 0\n" + "".join(
        f"\n\ndef {name}(item, port, {taken}):\n{body}" for name in ("First", "Second")))
