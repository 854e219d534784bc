"""The screenshots of the documents show what the pages show now.

What stands on the pages is kept as text; with `pytest --update-golden` the pictures are taken anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import anabranch as ab
from anabranch.compile import compile_graph, load
from anabranch.engine.run import engine as engine_called
from anabranch.explain import explain
from explain.chromium import photographed

ROOT = Path(__file__).parents[2]
DARK = ("--blink-settings=preferredColorScheme=0",)


class Payment(ab.Record):
    account: int
    amount: float


class Balance(ab.State):
    total: float = 0.0


def priced(n: int) -> Payment:
    """Some microseconds of plain Python, which several workers share."""
    seen = {i % 7: ab.noise(n, i) for i in range(12)}
    return Payment(n % 500, float(seen[3] % 100))


@ab.operator(by="account")
def running(state: Balance, p: Payment):
    state.total += p.amount
    yield p.replace(amount=state.total)


def plan_page(folder: Path, rows: int) -> str:
    program = ROOT / "examples" / "synchronization" / "event_windows.py"
    plan = compile_graph(load(program, {}))
    return explain(plan, "html", execution=engine_called("multicore").execution(plan))


def run_page(folder: Path, rows: int) -> str:
    stream = ab.from_iterable(range(rows), int, name="numbers").map(priced).apply(running)
    stream.write_csv(folder / "out.csv", name="out").run(
        engine="multicore", workers=2, report=str(folder / "run.html"))
    return (folder / "run.html").read_text()


def test_the_drawing_of_the_first_program_is_fresh(request, tmp_path, monkeypatch):
    target = ROOT / "docs" / "pictures" / "balances.svg"
    blocks = re.findall(r'^```\w+ title="(.*?)"\n(.*?)^```$', (ROOT / "README.md").read_text(),
                        re.MULTILINE | re.DOTALL)
    for name, text in blocks:
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    drawn = explain(compile_graph(load(Path("balances.py"), {})), "svg")
    if request.config.getoption("--update-golden"):
        target.write_text(drawn)
    assert target.read_text() == drawn, "pytest --update-golden draws it anew"


CHANGING = re.compile(r"[\d,.]+( s)?$|stage |[\d,]+ rows$|busy ")
COMMAND = ["anabranch", "run", "balances.py", "--engine", "multicore", "--report", "run.html"]
PICTURES = {"plan": (plan_page, (1290, 960), ()), "run": (run_page, (1430, 1330), DARK)}


def look_of(page: str) -> str:
    """What depends neither on the run nor on the engine's stages: the style, headings, and the
    words of drawings."""
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    words = re.findall(r"<(?:h1|h2|text)[^>]*>(.*?)</(?:h1|h2|text)>", page)
    plain = [re.sub(r"<[^>]*>", "", word) for word in words]
    return "\n".join([*(word for word in plain if not CHANGING.match(word)), *style])


@pytest.mark.parametrize("name", PICTURES)
def test_screenshots_are_fresh(name, golden, request, tmp_path, monkeypatch):
    made, size, flags = PICTURES[name]
    anew = request.config.getoption("--update-golden")
    monkeypatch.setattr(sys, "argv", COMMAND)
    page = made(tmp_path, rows=400_000 if anew else 20_000)
    if anew:
        target = ROOT / "docs" / "pictures" / f"{name}.png"
        photographed(page, target, tmp_path, size, flags)
    golden(f"pictures/{name}.txt", look_of(page))
