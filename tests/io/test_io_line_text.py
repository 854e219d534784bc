"""The lines that compiled loops make are those that Python writes."""

import math
import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.batch.record_batch import batch_of
from anabranch.io.csv import text as csv_text
from anabranch.io.csv.files import CsvSink
from anabranch.io.jsonl.files import JsonlSink
from anabranch.io.text.format import lines
from anabranch.ir.records import Record
from anabranch.ir.types import RecordOf


def text_of(values: list, kind: pa.DataType) -> list[str]:
    return bytes(lines([pa.array(values, kind)], [b"", b"\n"])).decode().split("\n")[:-1]


def is_short(*values: float) -> bool:
    return lines([pa.array(values, pa.float64())], [b"", b"\n"]) is not None


whole = st.integers(-2**63, 2**63 - 1) | st.integers(0, 64).flatmap(
    lambda bits: st.integers(-2**bits, 2**bits).filter(lambda n: -2**63 <= n < 2**63))


@settings(max_examples=100, deadline=None)
@given(st.lists(whole, min_size=1, max_size=20))
def test_ints_are_written_as_python_writes_them(values):
    assert text_of(values, pa.int64()) == list(map(str, values))


decimals = st.integers(-10**15, 10**15).flatmap(
    lambda n: st.integers(0, 19).map(lambda places: n / 10**places))


@settings(max_examples=300, deadline=None)
@given(st.lists(decimals | st.floats() | st.sampled_from([-0.0, 1e15, 1e-4, 999999999999999.0]),
                min_size=1, max_size=20))
def test_short_floats_are_written_as_python_writes_them(values):
    short = [x for x in values if is_short(x)]
    assert text_of(short, pa.float64()) == list(map(repr, short))


@settings(max_examples=300, deadline=None)
@given(decimals.filter(lambda x: x == 0 or 1e-4 <= abs(x) < 1e15))
def test_floats_of_few_digits_are_short(value):
    digits = repr(abs(value)).replace(".", "").strip("0")
    assert is_short(value) == (len(digits) <= 15)


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.1 + 0.2, 1e15, 9.9e-5, 5e-324])
def test_other_floats_are_not_short(value):
    assert not is_short(0.5, value)


class Mixed(Record):
    n: int
    x: float
    s: str
    b: bool
    maybe: int | None
    y: float | None
    text: str | None


items = st.builds(Mixed, whole, decimals | st.floats(), st.text('a",\n\\é', max_size=4),
                  st.booleans(), st.none() | whole, st.none() | decimals,
                  st.none() | st.text('a"', max_size=2))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([CsvSink, JsonlSink]), st.lists(items, min_size=1, max_size=6))
def test_many_rows_are_written_as_few_are(sink, given_items):
    texts = []
    writer = sink("/dev/null").open(RecordOf(Mixed))
    for loops in (csv_text.LOOPS, "a module that nobody has loaded"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_text, "LOOPS", loops)
            texts.append(bytes(writer.text_of(batch_of(given_items, RecordOf(Mixed)))))
    writer.abort()
    assert texts[0] == texts[1]


FEW_ROWS = """
import sys
import pyarrow as pa
from anabranch.io.csv import text as csv_text
from anabranch.ir.types import INT

batch = pa.record_batch({"n": range(5000)})
print(len(csv_text.written(batch, [INT])), csv_text.LOOPS in sys.modules)
batch = pa.record_batch({"n": range(csv_text.MANY)})
print(len(csv_text.written(batch, [INT])), csv_text.LOOPS in sys.modules)
"""


def test_numba_is_not_loaded_to_write_a_few_rows():
    done = subprocess.run([sys.executable, "-c", FEW_ROWS], capture_output=True, text=True)
    assert (done.stdout.splitlines(), done.stderr) == (["23890 False", "87194 True"], "")
