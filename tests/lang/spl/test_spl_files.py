"""What a FileSink writes a FileSource reads, in every format."""

from __future__ import annotations

import pytest

from anabranch.core.errors import DataError
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
