"""Operators of toolkits in folders: found by `use`, run on every engine, their claims tried."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from anabranch.cli import commands
from anabranch.core.errors import ProgramError
from anabranch.lang.spl import load

MODEL = """\
state = "partitioned"
key = "by"
selectivity = [1, 1]
forwards = ["user"]
parameters = ["by", "step"]
"""
CODE = """\
import anabranch as ab

class Seen(ab.State):
    count: int = 0

def Numbers(seen: Seen, t, out, step):
    seen.count += step
    yield out(t.user, seen.count)
"""
PROGRAM = """\
use my.numbers::Numbers;

composite Main {
  graph
    stream<rstring user> In = Beacon() {
      param iterations: 400;
      output In: user = "u" + (rstring) (IterationCount() * IterationCount() % 7ul);
    }
    stream<rstring user, int32 number> Out = Numbers(In) { param by: user; step: 3; }
    () as Sink = FileSink(Out) { param file: "/dev/stdout"; format: csv; }
}
"""


@pytest.fixture
def program(tmp_path):
    folder = tmp_path / "my.numbers"
    folder.mkdir()
    (folder / "Numbers.toml").write_text(MODEL)
    (folder / "Numbers.py").write_text(CODE)
    path = tmp_path / "numbers.spl"
    path.write_text(PROGRAM)
    return path


def command(*words) -> str:
    done = CliRunner().invoke(commands, [str(word) for word in words])
    assert done.exit_code in (0, 1), done.stderr
    return done.stdout


def test_engines_agree(program):
    expected = command("run", program, "--engine", "sequential")
    assert expected.startswith('"u0",3\n"u1",3\n"u4",3\n')
    assert command("run", program, "--engine", "multicore", "--workers", 2) == expected


def test_a_claim_that_does_not_hold_is_found(program):
    assert "none broken" in command("check", program)
    model = program.parent / "my.numbers" / "Numbers.toml"
    code = model.with_suffix(".py")
    code.write_text(CODE + "    if seen.count == 9:\n        yield out(t.user, 0)\n")
    assert "1 broken" in command("check", program)


def test_a_toolkit_is_found_in_other_folders(program, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = program.rename(elsewhere / "numbers.spl")
    with pytest.raises(ProgramError, match="there is no toolkit my"):
        load(moved, {})
    assert [op.name for op in load(moved, {}, str(tmp_path))] == ["In", "Out", "Sink"]


@pytest.mark.parametrize("model, what", [
    ("state = 3", "state is no entry"), ("staat = \"stateless\"", "staat is no entry"),
    ("state = \"none\"", "the state of Numbers is not known"), ("state = ", "cannot be read"),
    ("state = \"partitioned\"\nkey = \"step\"\nparameters = [\"by\", \"step\"]",
     "a key is made of attributes"),
    ("parameters = [\"by\"]", "Numbers has no parameter step")])
def test_a_wrong_model_is_told(program, model, what):
    (program.parent / "my.numbers" / "Numbers.toml").write_text(model)
    with pytest.raises(ProgramError, match=what):
        load(program, {})
