"""Compressed files, CSV of other habits, lines, JSON documents and Arrow files."""

import gzip
import os

import pyarrow as pa
import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError, DataError, ProgramError, RunError, UsageError
from anabranch.explain import explain

ENGINES = ["sequential", "multicore"]


class Row(ab.Record):
    n: int
    x: float | None
    s: str


ROWS = [Row(n, None if n % 5 == 0 else n / 4, ["plain", "", "é, \"quoted\"\n", "a;b"][n % 4])
        for n in range(300)]


def rows():
    return ab.from_iterable(ROWS, Row)


WRITTEN = [f"a.{form}{codec}" for form in ("csv", "jsonl") for codec in ("", ".gz", ".bz2", ".zst")]


@pytest.mark.parametrize("name", [*WRITTEN, "a.arrow", "b.CSV.GZ"])
@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_written_is_read_again(tmp_path, name, engine):
    form = next(f for f in ("csv", "jsonl", "arrow") if f".{f}" in name.lower())
    for path in (tmp_path / name, f"{tmp_path}/parts.{form}{os.path.splitext(name)[1]}/"
                 if form != "arrow" else f"{tmp_path}/parts/"):
        getattr(rows(), f"write_{form}")(path).run(engine=engine)
        assert getattr(ab, f"read_{form}")(path, Row).collect(engine=engine) == ROWS
    assert not [left for left in os.listdir(tmp_path) if left.startswith(".")]


def test_what_is_compressed_is_compressed_and_the_same_in_every_run(tmp_path):
    for n in (1, 2):
        rows().write_csv(tmp_path / f"{n}.csv.gz").run(engine="sequential")
    rows().write_csv(tmp_path / "a.csv").run(engine="sequential")
    one, other = (tmp_path / f"{n}.csv.gz" for n in (1, 2))
    assert one.read_bytes() == other.read_bytes()
    assert gzip.decompress(one.read_bytes()) == (tmp_path / "a.csv").read_bytes()


def test_a_run_that_fails_leaves_no_compressed_file(tmp_path):
    broken = rows().map(lambda r: r.replace(n=1 // (r.n - 200)))
    with pytest.raises(RunError):
        broken.write_csv(tmp_path / "a.csv.gz").run(engine="sequential")
    assert os.listdir(tmp_path) == []


def test_a_folder_may_have_both(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, part in (("part-0.csv", ROWS[:100]), ("part-1.csv.gz", ROWS[100:])):
        ab.from_iterable(part, Row).write_csv(tmp_path / name).run(engine="sequential")
    stream = ab.read_csv(".", Row)
    for engine in ENGINES:
        assert stream.collect(engine=engine) == ROWS
    shown = explain(compile_graph(stream.graph()))
    assert "a compressed file is read by one worker" in " ".join(shown.split())


@pytest.mark.parametrize("name, data", [
    ("a.csv.gz", b"n,x,s\n1,2.0,a\n"), ("a.csv.bz2", b"text"), ("a.csv.zst", b"text"),
    ("a.csv.gz", gzip.compress(b"n,x,s\n" * 999, mtime=0)[:-9])])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_damaged_file_is_named(tmp_path, name, data, engine):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(AnabranchError, match="damaged, or not compressed as its name says"):
        ab.read_csv(tmp_path / name, Row).collect(engine=engine, on_error="skip")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text, encoding, options, expected", [
    ("n;x;s\n1;1,5;a\n2;NA;é\n3;-;\"b;c\"\n", "utf-8-sig",
     {"delimiter": ";", "decimal": ",", "null": ("NA", "-")},
     [(1, 1.5, "a"), (2, None, "é"), (3, None, "b;c")]),
    ("1|1.5|é\n2||\"\"\n", "cp1252", {"delimiter": "|", "header": False, "encoding": "cp1252"},
     [(1, 1.5, "é"), (2, None, "")]),
    ("n\tx\ts\n1\t\t'a\tb'\n2\t\t''\n", "utf-16",
     {"delimiter": "\t", "quote": "'", "encoding": "utf-16"}, [(1, None, "a\tb"), (2, None, "")]),
    ("1,2.0,a\n", "utf-8-sig", {"header": False}, [(1, 2.0, "a")]),
    ("n,x,s\n1,?,a\n", "utf-8", {"null": "?"}, [(1, None, "a")])])
def test_csv_of_other_habits(tmp_path, engine, text, encoding, options, expected):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    assert ab.read_csv(path, Row, **options).collect(engine=engine) == expected


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("mark", ";\t|")
def test_rows_with_another_delimiter_are_malformed_as_any(tmp_path, engine, mark):
    """Where a comma stands in a number, and cells are missing or too many."""
    lines = ["n;x; s", "1; 1.5;a,b", "2;1,5;c", "3;;d e", "4;2.0", "5;2.5;f;g", ""]
    (tmp_path / "a.csv").write_bytes("\r\n".join(lines).replace(";", mark).encode("utf-8-sig"))
    (tmp_path / "b.csv").write_text("\n".join(lines).replace(";", mark))
    for name in ("a.csv", "b.csv"):
        read = ab.read_csv(tmp_path / name, Row, delimiter=mark)
        assert read.collect(engine=engine, on_error="skip") == [(1, 1.5, "a,b"), (3, None, "d e")]
        with pytest.raises(DataError, match="x cannot be read as float") as caught:
            read.collect(engine=engine)
        assert f"{name}:3" in str(caught.value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("encoding, wrong", [
    ("utf-16", b"\x00\xd8"), ("utf-16-be", b"\xd8\x00"), ("utf-32", b"\xff\xff\xff\x7f"),
    ("shift_jis", b"\xff"), ("gb18030", b"\xff"), ("ascii", b"\xe9"), ("utf-7", b"+2AA-")])
def test_what_is_not_of_the_encoding_is_one_malformed_row(tmp_path, engine, encoding, wrong):
    """The rows before and behind it are read."""
    lines = ["n,x,s\n", *(f"{n},0.5,{'a' * 50}\n" for n in range(4000))]
    coded = [line.encode(encoding if n == 0 or encoding not in ("utf-16", "utf-32")
                         else encoding + "-le") for n, line in enumerate(lines)]
    end = "\n".encode("utf-16-be" if encoding == "utf-16-be" else f"{encoding}-le"
                      if encoding in ("utf-16", "utf-32") else encoding)
    coded[2001] = coded[2001].removesuffix(end) + wrong + end
    (tmp_path / "a.csv").write_bytes(b"".join(coded))
    stream = ab.read_csv(tmp_path / "a.csv", Row, encoding=encoding).map(lambda r: r.n)
    assert stream.collect(engine=engine, on_error="skip") == [n for n in range(4000) if n != 2000]
    with pytest.raises(DataError, match="malformed row: the text is not UTF-8"):
        stream.collect(engine=engine)


def test_a_file_without_the_mark_of_its_encoding_is_named(tmp_path):
    (tmp_path / "a.csv").write_bytes("n,x,s\n1,2,a\n".encode("utf-16-le"))
    with pytest.raises(DataError, match="the CSV file is not in utf-16") as raised:
        ab.read_csv(tmp_path / "a.csv", Row, encoding="utf-16").collect(on_error="skip")
    assert "a.csv" in str(raised.value) and "encoding='utf-16-le'" in str(raised.value)


@pytest.mark.parametrize("encoding", ["rot13", "base64", "idna", "punycode", "undefined", "x", 7])
def test_what_is_no_encoding_of_files_is_refused(encoding):
    with pytest.raises(ProgramError, match="there is no encoding"):
        ab.read_csv("a.csv", Row, encoding=encoding)


def test_the_marks_stay_where_another_path_is_given(tmp_path):
    (tmp_path / "b.csv").write_text("n;x;s\n1;2.0;a\n")
    stream = ab.read_csv(tmp_path / "a.csv", Row, delimiter=";", name="in")
    assert stream.collect(inputs={"in": str(tmp_path / "b.csv")}) == [(1, 2.0, "a")]


def test_a_delimiter_that_was_not_said_is_told(tmp_path):
    (tmp_path / "a.csv").write_text("n;x;s\n1;2.0;a\n")
    with pytest.raises(DataError, match="no column 'n'") as caught:
        ab.read_csv(tmp_path / "a.csv", Row).collect()
    assert "delimiter=';'" in caught.value.help


def test_a_number_with_a_point_is_none_where_the_mark_is_a_comma(tmp_path):
    (tmp_path / "a.csv").write_text("n;x;s\n1;1.234,5;a\n")
    with pytest.raises(DataError, match="x cannot be read as float") as caught:
        ab.read_csv(tmp_path / "a.csv", Row, delimiter=";", decimal=",").collect()
    assert "the decimal mark is ," in caught.value.got


@pytest.mark.parametrize("options, message", [
    ({"delimiter": ";;"}, "the delimiter of a CSV file is one character"),
    ({"quote": "\n"}, "the quote of a CSV file is one character"),
    ({"decimal": ","}, "the decimal mark of a CSV file differ"),
    ({"encoding": "utf-9"}, "there is no encoding 'utf-9'")])
def test_marks_that_cannot_be_are_refused(options, message):
    with pytest.raises(ProgramError, match=message) as caught:
        ab.read_csv("a.csv", Row, **options)
    assert caught.value.where.file == __file__


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["a.txt", "a.log.gz"])
def test_lines_of_text(tmp_path, engine, name):
    pack = gzip.compress if name.endswith(".gz") else bytes
    (tmp_path / name).write_bytes(pack("one line\n\ntwo, \"é\"\r\nlast".encode()))
    lines = ["one line", "", 'two, "é"', "last"]
    assert ab.read_text(tmp_path / name).collect(engine=engine) == lines
    assert ab.read_text(tmp_path).map(lambda line: len(line)).collect(engine=engine) == [8, 0, 8, 4]


def test_a_line_that_is_no_text_is_malformed(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a\n\xff\nb\n")
    assert ab.read_text(tmp_path / "a.txt").collect(on_error="skip") == ["a", "b"]
    with pytest.raises(DataError, match="the text is not UTF-8"):
        ab.read_text(tmp_path / "a.txt").collect()


@pytest.mark.parametrize("engine", ENGINES)
def test_json_documents(tmp_path, engine):
    (tmp_path / "a.json").write_text('[{"n": 1, "x": null, "s": "a"},\n {"n": 2, "x": 1, "s": ""}]')
    (tmp_path / "b.json").write_text('{"n": 3, "x": 2.5, "s": "b"}')
    expected = [(1, None, "a"), (2, 1.0, ""), (3, 2.5, "b")]
    assert ab.read_json(tmp_path, Row).collect(engine=engine) == expected
    (tmp_path / "b.json").write_text('[{"n": "x", "x": 2.5, "s": "b"}]')
    assert ab.read_json(tmp_path, Row).collect(engine=engine, on_error="skip") == expected[:2]
    (tmp_path / "b.json").write_text('{"n": 3}\n{"n": 4}')
    with pytest.raises(DataError, match="not a JSON document") as caught:
        ab.read_json(tmp_path, Row).collect(engine=engine)
    assert "read_jsonl" in caught.value.help


def test_a_document_stays_one_where_another_path_is_given(tmp_path):
    (tmp_path / "b.json").write_text("[1, 2]")
    stream = ab.read_json("a.json", int, name="in")
    assert stream.collect(inputs={"in": str(tmp_path / "b.json")}) == [1, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_damaged_arrow_file_is_named(tmp_path, engine):
    rows().write_arrow(tmp_path / "a.arrow").run(engine="sequential")
    whole = (tmp_path / "a.arrow").read_bytes()
    for part in (whole[:40], whole[:len(whole) // 2], b"text"):
        (tmp_path / "a.arrow").write_bytes(part)
        with pytest.raises(RunError, match="as an Arrow file"):
            ab.read_arrow(tmp_path / "a.arrow", Row).collect(engine=engine)


def placed_wrongly() -> dict[str, pa.Array]:
    """Columns of three rows whose places point elsewhere, as they may stand in a damaged file."""
    def words(places, data=b"abc"):
        offsets = pa.array(places, pa.int32()).buffers()[1]
        return pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(data)])
    codes = pa.array([0, 1 << 20, 0], pa.int32())
    far = words([0, 1 << 28, 2, 3])
    return {"texts far away": far, "texts that go back": words([0, 3, 1, 3]),
            "texts before": words([0, -9, 2, 3]), "a list": pa.ListArray.from_arrays(
                pa.array([0, 1, 2, 3], pa.int32()), far),
            "codes": pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)}


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("compression", [None, "zstd"])
@pytest.mark.parametrize("what", placed_wrongly())
def test_what_lies_elsewhere_in_an_arrow_file_is_not_read(tmp_path, what, compression, engine):
    class Texts(ab.Record):
        s: str

    class Lists(ab.Record):
        s: list[str]

    path, batch = tmp_path / "in.arrow", pa.record_batch({"s": placed_wrongly()[what]})
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(path, batch.schema, options=options) as file:
        file.write_batch(batch)
    rows = ab.read_arrow(path, Lists if what == "a list" else Texts)
    with pytest.raises(AnabranchError, match="as an Arrow file") as e:
        rows.filter(lambda t: len(t.s) > 9).collect(engine=engine, on_error="skip")
    assert "help: it is damaged, or no Arrow file" in str(e.value)


def test_a_text_of_an_arrow_file_that_is_no_text_is_a_malformed_row(tmp_path):
    class Texts(ab.Record):
        s: str

    bad = pa.array([b"a", b"\xff", b"c"], pa.binary())
    batch = pa.record_batch({"s": pa.Array.from_buffers(pa.string(), 3, bad.buffers())})
    with pa.ipc.new_file(tmp_path / "in.arrow", batch.schema) as file:
        file.write_batch(batch)
    rows = ab.read_arrow(tmp_path / "in.arrow", Texts)
    assert [t.s for t in rows.collect(on_error="skip")] == ["a", "c"]


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_the_first_file_with_something_wrong_is_told(tmp_path, engine):
    """Though another one cannot even be counted."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv.gz").write_bytes(gzip.compress(b"n,x,s\n1,?,a\n"))
    (tmp_path / "in" / "b.csv.gz").write_bytes(b"not packed")
    with pytest.raises(AnabranchError, match="malformed row: x "):
        ab.read_csv(tmp_path / "in", Row).collect(engine=engine)


def test_an_arrow_file_without_a_column_is_refused(tmp_path):
    rows().map(lambda r: Only(r.n)).write_arrow(tmp_path / "a.arrow").run(engine="sequential")
    with pytest.raises(DataError, match="the Arrow file has no column 'x'"):
        ab.read_arrow(tmp_path / "a.arrow", Row).collect()


class Only(ab.Record):
    n: int


def test_a_format_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(UsageError, match="does not tell its format"):
        ab.from_iterable([1], int).collect_into([], name="out").run(
            engine="sequential", outputs={"out": str(tmp_path / "a.txt")})
