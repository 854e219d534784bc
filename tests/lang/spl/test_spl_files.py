"""What a FileSink writes a FileSource reads, in every format."""

from __future__ import annotations

import pytest

from anabranch.core.errors import DataError, ProgramError, RunError
from lang.spl.spl_support import HERE, printed

TYPES = (HERE / "types.spl").read_text()
COPY = """
composite Main {{
  type
    E = enum{{low, high}};
    T = tuple<uint64 x, decimal64 d, set<int32> s, map<rstring, int32> m, timestamp t, blob b, E e,
              tuple<int32 q, list<rstring> w> n>;
  graph
    stream<T> In = FileSource() {{ param file: "{path}"; format: {format}; }}
    () as Out = FileSink(In) {{ param file: "/dev/stdout"; format: {format}; }}
}}
"""
NUMBERS = """
composite Main {{
  graph
    stream<int8 a, float64 b, rstring c> In = FileSource() {{
      param file: "{path}"; format: csv; {more}
    }}
    () as Out = FileSink(In) {{ param file: "/dev/stdout"; format: csv; {sink} }}
}}
"""


@pytest.mark.parametrize("format", ["csv", "txt"])
def test_what_is_written_is_read(format, tmp_path):
    written = printed(TYPES.replace("format: csv", f"format: {format}"))
    path = tmp_path / "written.txt"
    path.write_text(written)
    assert written.count("\n") == 100
    assert printed(COPY.format(path=path, format=format)) == written


BINARY = """
composite Main {{
  type
    E = enum{{low, high}};
    T = tuple<uint64 x, float32 d, set<int16> s, map<rstring, boolean> m, timestamp t, blob b, E e,
              optional<int8> o, complex64 c, ustring u, tuple<int32 q, list<rstring> w> n>;
  graph
    stream<T> In = {source}
    () as Out = FileSink(In) {{ param file: "{path}"; format: {format}; }}
}}
"""
BEACON = """Beacon() { param iterations: 3; output In: x = IterationCount(), d = 0.1, s = {1, 2},
    m = {"k" : true}, t = createTimestamp(5l, 6u), b = convertToBlob("hi"), e = high,
    o = IterationCount() == 1ul ? null : 7, c = (complex64) (1, -2), u = "\u00e9",
    n = {q = -1, w = ["a"]}; }"""


def test_comments_and_cells_with_nothing(tmp_path):
    """As the reference has it: csv is the format of those who name none."""
    path = tmp_path / "in.csv"
    path.write_text("# tuple<int8 a, float64 b, rstring c>\n1, 2.5,x\n\n#2,3,y\n,,\n3,,z\n")
    text = NUMBERS.format(path=path, more="", sink="").replace("format: csv;", "")
    assert printed(text) == '1,2.5,"x"\n0,0,""\n3,0,"z"\n'


def test_two_sinks_may_write_to_standard_output():
    """The second follows when the first is complete."""
    text = """composite Main { graph
        stream<int32 a> A = Beacon() { param iterations: 2; output A: a = 1; }
        stream<int32 a> B = Functor(A) { output B: a = 2; }
        () as S = FileSink(A) { param file: "/dev/stdout"; format: csv; }
        () as T = FileSink(B) { param file: "/dev/stdout"; format: csv; } }"""
    assert printed(text) == printed(text, engine="multicore", workers=2) == "1\n1\n2\n2\n"


def test_bytes_are_read_as_they_were_written(tmp_path):
    """Numbers are in network byte order, sizes in one byte: as the language's encoding says."""
    path = tmp_path / "written.bin"
    printed(BINARY.format(source=BEACON, path=path, format="bin"))
    text = printed(BINARY.format(source=BEACON, path="/dev/stdout", format="txt"))
    assert text.startswith('{x=0,d=0.1,s={1,2},m={"k":true},t=(5,6,0),b=6869,e=high,o=7,'
                           'c=(1,-2),u="é",n={q=-1,w=["a"]}}')
    first = path.read_bytes()[:80].hex(" ")
    assert first.startswith("00 00 00 00 00 00 00 00 3d cc cc cd 02 00 01 00 02 01 01 6b 01 "
                            "00 00 00 00 00 00 00 05 00 00 00 06 00 00 00 00 02 68 69 "
                            "00 00 00 01 01 07 3f f0")
    source = f'FileSource() {{ param file: "{path}"; format: bin; }}'
    assert printed(BINARY.format(source=source, path="/dev/stdout", format="txt")) == text
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RunError, match="the last tuple is cut off"):
        printed(BINARY.format(source=source, path="/dev/stdout", format="txt"))


MAPPING = """
composite Main {{
  graph
    stream<rstring name> In = FileSource() {{ param file: "{path}"; format: line; }}
    (stream<In> A; stream<In> B) = Split(In) {{ param file: "{mapping}"; key: name; }}
    () as Out = Custom(A, B) {{ logic onTuple A: printStringLn("A " + name); }}
    () as More = Custom(B) {{ logic onTuple B: printStringLn("B " + name); }}
}}
"""


def test_a_file_says_where_tuples_go(tmp_path):
    mapping, path = tmp_path / "mapping.txt", tmp_path / "names.txt"
    mapping.write_text('# who goes where\ndefault, -1\n"ann lee", 0 # left\nbob, 0, 1\n')
    path.write_text("ann lee\nbob\nzoe\n")
    text = MAPPING.format(path=path, mapping=mapping)
    assert sorted(printed(text).splitlines()) == ["A ann lee", "A bob", "A bob", "B bob"]
    mapping.write_text("bob, 0\n")
    with pytest.raises(RunError, match='no indices for "ann lee"'):
        printed(text)
    mapping.write_text("bob, x\n")
    with pytest.raises(ProgramError, match="line 1 of the mapping"):
        printed(text)


def test_headers_separators_and_quotes(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('a;b;c\n1;2.50;"x;y"\n-128;1e3;plain\n')
    text = NUMBERS.format(path=path, more="hasHeaderLine: true; separator: \";\";",
                          sink="quoteStrings: false;")
    assert printed(text) == "1,2.5,x;y\n-128,1000,plain\n"


@pytest.mark.parametrize("line, told", [
    ("128,1,x", "a cannot be read as int8"), ("1,x,x", "b cannot be read as float64"),
    ("1,2", "2 values where the tuple has 3 attributes"), ("1,2,3,4", "4 values")])
def test_a_malformed_line_is_told(line, told, tmp_path):
    path = tmp_path / "in.csv"
    path.write_text(f"1,2,x\n{line}\n")
    with pytest.raises(DataError, match=told) as caught:
        printed(NUMBERS.format(path=path, more="", sink=""))
    assert f"{path}:2" in str(caught.value)
    assert printed(NUMBERS.format(path=path, more="parsing: permissive;", sink="")) == '1,2,"x"\n'
