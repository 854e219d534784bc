"""What plain Python gives is written as columns where columns can hold it: the same bytes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import anabranch as ab
from anabranch.engine.multicore.intake import Intake
from anabranch.engine.multicore.sizing import Sizing
from anabranch.runtime.ends import emitting


class Given(ab.Record):
    n: int


class Made(ab.Record):
    n: int
    text: str
    value: float
    maybe: int | None


TEXTS = ["plain", "", 'with "quotes"', "a,b", "two\nlines", "ü 漢 🙂", " spaces "]
VALUES = [0.1, -0.0, 1e300, 5e-324, 1.0, float("inf")]


def opaque(g: Given) -> Made:
    seen = {n: TEXTS[n % len(TEXTS)] for n in range(g.n, g.n + 3)}
    return Made(g.n, seen[g.n], VALUES[g.n % len(VALUES)], None if g.n % 5 == 0 else g.n)


def odd(g: Given) -> Made:
    """Now and then there is a value that columns cannot hold as it is."""
    made = opaque(g)
    return made.replace(value=float("nan")) if g.n in (70, 230) else made


def written(tmp_path, function, form: str, name: str, **options: object) -> bytes:
    target = tmp_path / f"{name}.{form}"
    stream = ab.from_iterable([Given(n) for n in range(1500)], Given).map(function)
    getattr(stream, f"write_{form}")(str(target)).run(**options)
    return target.read_bytes()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("function", [opaque, odd])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_same_bytes_are_written(tmp_path, form, function, workers):
    right = written(tmp_path, function, form, "right", engine="sequential")
    assert written(tmp_path, function, form, "ours", engine="multicore", workers=workers) == right


def test_most_slices_become_columns(tmp_path, monkeypatch):
    """The comparison above is of two ways to write, not of one with itself."""
    seen, as_batch = [], emitting.as_batch
    monkeypatch.setattr(emitting, "as_batch",
                        lambda *given: seen.append(as_batch(*given)) or seen[-1])
    written(tmp_path, opaque, "csv", "ours", engine="multicore", workers=1)
    assert any(batch is not None for batch in seen)


def test_tuples_of_a_slow_source_go_alone():
    intake = Intake(SimpleNamespace(workers=2), Sizing(100), 0.5, 8)
    intake.closed, intake.came = 10.0, 10.6
    assert intake._comes_alone()
    intake.came = 10.4
    assert not intake._comes_alone(), "another may come within the time"
    intake.came, intake.last_rows = 10.6, 40
    assert not intake._comes_alone(), "a fast source is late only once"
