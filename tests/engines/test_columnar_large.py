"""Large CSV files go through compiled loops from end to end, with the text and errors of rows."""


import pytest

import anabranch as ab
from anabranch.engine.multicore import compilation
from anabranch.io.csv import text as csv_text
from interpreting import FREE_KERNELS, SMALL_IS_LARGE, kernels_in_python, with_costs


class Sale(ab.Record):
    at: int
    shop: str
    note: str | None
    price: float


class Till(ab.State):
    total: float = 0.0


@ab.operator(by="shop")
def till(state: Till, s: Sale):
    state.total += s.price
    yield s.replace(price=state.total)


@pytest.fixture(autouse=True)
def small_files_are_large(monkeypatch):
    """The loops for large files read and write small ones; kernels are run by Python itself."""
    with_costs(monkeypatch, **SMALL_IS_LARGE, **FREE_KERNELS)
    monkeypatch.setattr(csv_text, "MANY", 1)
    monkeypatch.setattr(compilation, "WORTH_WAITING", 600)
    monkeypatch.setattr(compilation, "LONGEST_LOAD", 600)
    with kernels_in_python():
        yield


NOTES = ["", '""', "plain", '"with, comma"', '"a ""quoted"" one"', '"two\nlines"', "é"]


def lines(rows: int) -> list[str]:
    return [f"{n},s{n % 5},{NOTES[n % len(NOTES)]},{n % 9 / 4 if n % 50 else 0.1 + 0.2}"
            for n in range(rows)]


def run(path, engine, form="csv", **options):
    target = path.with_name(f"out-{engine}.{form}")
    kept = ab.read_csv(path, Sale).filter(lambda s: s.price != 1.25)
    stream = getattr(kept.apply(till), f"write_{form}")(target)
    report = stream.run(engine=engine, **options)
    return report, target.read_text()


def written(folder, rows, end="\n"):
    path = folder / "in.csv"
    path.write_bytes(end.join(["at,shop,note,price", *rows, ""]).encode())
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quotes_and_line_ends_are_read_in_columns(tmp_path, end, form):
    path = written(tmp_path, lines(700), end)
    _, wanted = run(path, "sequential", form)
    report, came = run(path, "multicore", form, workers=2)
    assert came == wanted
    assert (report.tier, report.read) == ("native", {"in": 700})


@pytest.mark.parametrize("bad", ["x,s1,,1.0", "1,s1,,1.0,", '1,s1,"open,1.0', "1,s1,,"])
@pytest.mark.parametrize("place", [0, 300, 699])
def test_a_malformed_row_is_the_same_error(tmp_path, bad, place):
    rows = lines(700)
    path = written(tmp_path, [*rows[:place], bad, *rows[place:]])
    errors = []
    for engine, options in (("sequential", {}), ("multicore", {"workers": 2})):
        with pytest.raises(ab.DataError) as caught:
            run(path, engine, **options)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


def test_bad_rows_are_skipped_alike(tmp_path):
    rows = lines(700)
    path = written(tmp_path, [*rows[:400], "1,s1,,many", *rows[400:]])
    _, wanted = run(path, "sequential", on_error="skip")
    _, came = run(path, "multicore", workers=2, on_error="skip")
    assert came == wanted
