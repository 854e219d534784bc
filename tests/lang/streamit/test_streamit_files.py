"""Files of every type, tables of numbers, and what is printed before anything fires."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.compile import compile_graph, load
from anabranch.core.errors import DataError
from anabranch.engine.run import execute
from anabranch.runtime.ends.binding import bound_graph
from anabranch.runtime.options import RunOptions

ENGINES = pytest.mark.parametrize("engine", ["sequential", "multicore"])
THROUGH = """void->void pipeline Main {{ add FileReader<{0}>("in.raw");
    add {0}->{0} filter {{ work pop 1 push 1 {{ push({1}); }} }};
    add FileWriter<{0}>("out.raw"); }}"""


def run(folder, text: str, engine: str, **own) -> None:
    (folder / "program.str").write_text(text)
    options = RunOptions(engine=engine)
    execute(bound_graph(compile_graph(load(folder / "program.str", {}, own)), options), options)


@ENGINES
def test_bits_are_packed(tmp_path, engine):
    (tmp_path / "in.raw").write_bytes(bytes([0b10011111, 1]))
    run(tmp_path, THROUGH.format("bit", "pop() ^ 1"), engine)
    assert (tmp_path / "out.raw").read_bytes() == bytes([0b01100000, 0b11111110])


@ENGINES
def test_the_last_byte_ends_with_zeros(tmp_path, engine):
    (tmp_path / "in.raw").write_bytes(bytes([0b10011111, 0b11000000]))
    run(tmp_path, THROUGH.format("bit", "pop()"), engine, iterations=10)
    assert (tmp_path / "out.raw").read_bytes() == bytes([0b10011111, 0b11000000])


@ENGINES
def test_complex_numbers(tmp_path, engine):
    np.array([1 + 2j, 3 - 4j], "<c8").tofile(tmp_path / "in.raw")
    run(tmp_path, THROUGH.format("complex", "pop() * 1i"), engine)
    assert np.fromfile(tmp_path / "out.raw", "<c8").tolist() == [-2 + 1j, 4 + 3j]


def test_half_a_complex_number(tmp_path):
    (tmp_path / "in.raw").write_bytes(bytes(12))
    with pytest.raises(DataError, match="values of eight bytes"):
        run(tmp_path, THROUGH.format("complex", "pop()"), "sequential")


@ENGINES
def test_tables_and_what_init_prints(tmp_path, capsys, engine):
    (tmp_path / "numbers.txt").write_text("1.5\n2.5\n3.5\n")
    (tmp_path / "counts.txt").write_text("4\n5\n")
    run(tmp_path, """
        static { float[2] table = init_array_1D_float("numbers.txt", 2); }
        void->void pipeline Main { int[2] counts = init_array_1D_int("counts.txt", 2);
            add void->int filter { init { println("made"); } work push 1 { push(counts[1]); } };
            add int->void filter { init { println("begun"); }
                                   work pop 1 { println(pop() + table[1]); } }; }""",
        engine, iterations=2)
    assert capsys.readouterr().out == "made\nbegun\n7.500000\n7.500000\n"


@pytest.mark.parametrize("items", range(9))
@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_only_whole_rounds_are_dealt_out(tmp_path, engine, items):
    """A file may end in the middle of a round: splitters and joiners fire as a whole."""
    (tmp_path / "deal.str").write_text(
        'void->void pipeline Main { add FileReader<int>("in.raw"); add splitjoin {'
        " split roundrobin(2, 1); add Identity<int>; add Identity<int>; join roundrobin(2, 1); };"
        ' add FileWriter<int>("out.raw"); }')
    np.arange(items, dtype="<i4").tofile(tmp_path / "in.raw")
    execute(compile_graph(load(tmp_path / "deal.str", {})), RunOptions(engine))
    written = np.fromfile(tmp_path / "out.raw", "<i4")
    assert written.tolist() == list(range(items // 3 * 3))
