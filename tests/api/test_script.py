"""A program that `python` starts says what to type where it would end in silence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """import anabranch as ab
numbers = ab.from_iterable([1, 2], int).map(lambda n: n + 1)
"""
TOLD = "nothing was run: type `anabranch run {name}`, or end the program with .run("


def started(folder: Path, text: str, *more: str, module: str | None = None):
    (folder / "program.py").write_text(PROGRAM + text)
    given = [sys.executable, *more, *(("-m", module) if module else ["program.py"])]
    return subprocess.run(given, cwd=folder, capture_output=True, text=True, timeout=60,
                          env=os.environ | {"PYTHONPATH": str(folder)})


def test_a_program_that_only_builds_says_what_to_type(tmp_path):
    done = started(tmp_path, "numbers.write_stdout()\nnumbers.write_csv('a.csv')\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(TOLD.format(name="program.py")) and done.stderr.count("\n") == 1


def test_so_does_one_that_is_started_as_a_module(tmp_path):
    done = started(tmp_path, "numbers.write_stdout()\n", module="program")
    assert done.stderr.startswith(TOLD.format(name="program.py"))


@pytest.mark.parametrize("text, output", [
    ("numbers.write_stdout().run(engine='sequential')\n", "value\n2\n3\n"),
    ("numbers.write_stdout()\nprint(numbers.collect())\n", "[2, 3]\n"),
    ("numbers.write_stdout()\nnumbers.graph()\n", ""), ("print(numbers.type)\n", "int\n")])
def test_one_that_runs_by_itself_says_nothing(tmp_path, text, output):
    done = started(tmp_path, text)
    assert (done.returncode, done.stdout, done.stderr) == (0, output, "")


def test_one_that_fails_says_what_failed_alone(tmp_path):
    done = started(tmp_path, "numbers.write_stdout()\n1 / 0\n")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    assert "nothing was run" not in done.stderr


def test_one_that_is_imported_says_nothing(tmp_path):
    (tmp_path / "other.py").write_text("import program\n")
    assert started(tmp_path, "numbers.write_stdout()\n", module="other").stderr == ""


def test_one_that_the_command_runs_says_nothing(tmp_path):
    done = started(tmp_path, "numbers.write_stdout()\n", "-m", "anabranch", "run", "--engine",
                   "sequential")
    assert done.stdout == "value\n2\n3\n" and "nothing was run" not in done.stderr
