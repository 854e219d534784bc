"""Everything that goes wrong ends in one clear message and the right exit status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from anabranch import compile as compiling
from anabranch.cli.failures import coloured
from anabranch.core.errors import ProgramError
from anabranch.core.source import Span


def wrong(result, *words: str, status: int = 2) -> None:
    """The command ended with this status, no output, and a message that has these words."""
    assert (result.exit_code, result.stdout) == (status, "")
    for word in words:
        assert word in result.stderr
    assert "Traceback" not in result.stderr.split("\n")[0]


@pytest.mark.parametrize("option", ["--input", "--output", "--set"])
@pytest.mark.parametrize("value", ["entries", "=x", "entries="])
def test_a_malformed_pair(anabranch, option, value):
    wrong(anabranch("run", "alerts.py", option, value), "is not understood", f"{option} NAME=")


def test_a_name_given_twice(anabranch):
    wrong(anabranch("run", "alerts.py", "--input", "entries=a.csv", "--input", "entries=b.csv"),
          "--input entries=... is given twice")


@pytest.mark.parametrize("option, what, known", [
    ("--input", "entires=x.csv", "did you mean 'entries'?"),
    ("--output", "alert=x.csv", "did you mean 'alerts'?"),
    ("--output", "zzz=x.csv", "there is: alerts"),
    ("--set", "treshold=1", "did you mean 'threshold'?"),
])
def test_an_unknown_name(anabranch, option, what, known):
    wrong(anabranch("run", "alerts.py", option, what), what.split("=")[0], known)


def test_a_parameter_of_the_wrong_type(anabranch):
    wrong(anabranch("run", "alerts.py", "--set", "threshold=high"), "threshold=high", "float")


def test_an_engine_that_is_not_there(anabranch):
    wrong(anabranch("run", "alerts.py", "--engine", "quantum"), "quantum", "sequential")


@pytest.mark.parametrize("line, words", [
    ("ab.read_cvs('x.csv', int)", ["wrong.py:2:1", "did you mean 'read_csv'?"]),
    ("ab.read_csv('x.csv', int, delimeter=';')", ["wrong.py:2:1", "did you mean 'delimiter'?"]),
    ("ab.read_csv('x.csv')", ["wrong.py:2:1", "missing 1 required", "= expected: read_csv(path,"]),
    ("known = 1; print(knwon)", ["wrong.py:2:18", "did you mean 'known'?"])])
def test_what_loading_raises_is_told_at_the_line(anabranch, tmp_path, line, words):
    (tmp_path / "wrong.py").write_text(f"import anabranch as ab\n{line}\n")
    wrong(anabranch("run", "wrong.py"), *words)


def test_an_option_that_means_nothing_to_the_engine(anabranch):
    wrong(anabranch("run", "alerts.py", "--engine", "sequential", "--workers", "2"), "--workers")


def test_a_policy_that_is_not_known(anabranch):
    wrong(anabranch("run", "alerts.py", "--on-error", "ignore"), "stop, skip or divert=PATH")


def test_a_missing_program(anabranch):
    wrong(anabranch("run", "nothing.py"), "nothing.py")


@pytest.mark.parametrize("command", ["run", "explain", "check"])
def test_an_unknown_extension_lists_the_known_ones(anabranch, folder, command):
    (folder / "alerts.txt").write_text("")
    wrong(anabranch(command, "alerts.txt"), ".txt", ".py", ".river")


def test_a_program_that_raises_shows_its_own_traceback(anabranch, folder):
    (folder / "broken.py").write_text("def f():\n    return 1 / 0\n\nf()\n")
    result = anabranch("run", "broken.py")
    wrong(result, "ZeroDivisionError", "Traceback (most recent call last)", "return 1 / 0")
    assert result.stderr.startswith("error: ")


def test_a_program_that_cannot_be_parsed(anabranch, folder):
    (folder / "broken.py").write_text("x = (1,\n")
    wrong(anabranch("explain", "broken.py"), "broken.py:1")


def test_a_program_without_a_sink(anabranch, folder):
    (folder / "open.py").write_text("import anabranch as ab\nab.from_iterable([1], int)\n")
    wrong(anabranch("run", "open.py"), "no sink", "help")


def test_a_function_that_raises_shows_the_tuple(run, folder):
    (folder / "divides.py").write_text(
        "import anabranch as ab\n"
        "numbers = ab.from_iterable([1, 0], int)\n"
        "numbers.map(lambda n: 1 // n).for_each(print)\n")
    result = run("divides.py")
    assert result.exit_code == 1
    assert "ZeroDivisionError" in result.stderr
    assert "= came: 0" in result.stderr
    assert "divides.py:3" in result.stderr


def failing(error: BaseException):
    def compile_graph(graph, rules=()):
        raise error
    return compile_graph


def test_a_fault_of_our_own_says_how_to_see_more(anabranch, monkeypatch):
    monkeypatch.setattr(compiling, "compile_graph", failing(KeyError("lost")))
    result = anabranch("run", "alerts.py")
    wrong(result, "internal error", "KeyError: 'lost'", "ANABRANCH_TRACEBACK=1", status=1)
    assert len(result.stderr.splitlines()) == 1


def test_the_traceback_can_be_asked_for(anabranch, monkeypatch):
    monkeypatch.setattr(compiling, "compile_graph", failing(KeyError("lost")))
    monkeypatch.setenv("ANABRANCH_TRACEBACK", "1")
    result = anabranch("run", "alerts.py")
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr


def test_an_interrupt_takes_one_line(anabranch, monkeypatch):
    monkeypatch.setattr(compiling, "compile_graph", failing(KeyboardInterrupt()))
    result = anabranch("run", "alerts.py")
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")


def test_a_request_to_end_leaves_nothing_behind(anabranch, monkeypatch):
    def ended(graph, rules=()):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(20)
    monkeypatch.setattr(compiling, "compile_graph", ended)
    result = anabranch("run", "alerts.py")
    assert (result.exit_code, result.stderr) == (143, "terminated\n")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_messages_are_coloured_on_a_terminal_alone(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    error = ProgramError("no such name", Span(__file__, 3, 0, 3, 4), help="look again")
    text = coloured(str(error))
    assert "\x1b[31m\x1b[1merror\x1b[0m: no such name" in text
    assert "\x1b[31m\x1b[1m^^^^\x1b[0m" in text
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured(str(error)) == str(error)


COUNT = """\
import anabranch as ab
ab.generate(lambda i: i, 200_000, to=int).write_stdout(format="jsonl")
"""


def into_head(program: str) -> subprocess.CompletedProcess:
    command = f"{sys.executable} -m anabranch run {program} --engine sequential"
    shell = f"set -o pipefail; {command} | head -n 2"
    return subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60)


def test_a_reader_that_goes_away_is_no_failure(folder):
    (folder / "count.py").write_text(COUNT)
    done = into_head("count.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n1\n", "")


def test_a_reader_that_goes_away_with_other_sinks_to_write_is_one(folder):
    (folder / "count.py").write_text(
        COUNT.replace(".write", ".write_jsonl('kept.jsonl').write"))
    done = into_head("count.py")
    assert done.returncode == 1
    assert "no sink was written" in done.stderr
    assert not (folder / "kept.jsonl").exists()


def test_help_is_quick_and_has_an_example(anabranch):
    for name in ("run", "explain", "check"):
        result = anabranch(name, "--help")
        assert result.exit_code == 0
        assert f"anabranch {name} alerts.py" in result.stdout


def test_help_imports_nothing_heavy():
    script = ("import sys\nfrom anabranch.cli import commands\n"
              "print(sorted({'rich', 'lark'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_version(anabranch):
    assert anabranch("--version").stdout.startswith("anabranch 0.")


PROGRAMS = {
    "p.py": "import anabranch as ab\nclass R(ab.Record):\n    a: int\n"
            "ab.read_csv('missing', R).write_csv('out.csv')\n",
    "p.szl": "emit stdout <- string(input);\n",
    "p.str": 'void->void pipeline Main { add FileReader<int>("missing"); add int->void filter {'
             " work pop 1 { println(pop()); } }; }\n",
    "p.cql": "quotes := {string ticker, int ask} stream;\nselect istream(*) from quotes [now];\n"}
GIVEN = {"p.szl": ("missing",), "p.cql": ("--input", "quotes=missing.csv")}
TUNED = ("nosuch=1", "kernels=sometimes", "slice_size=0", "slice_size=many")


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_input_that_is_not_there(anabranch, tmp_path, monkeypatch, name, engine):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(PROGRAMS[name])
    wrong(anabranch("run", name, *GIVEN.get(name, ()), "--engine", engine),
          "error: there is no file", "missing")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("tuned", TUNED)
def test_a_knob_that_is_not_there_is_refused_before_anything_runs(
        anabranch, tmp_path, monkeypatch, name, tuned):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(PROGRAMS[name])
    wrong(anabranch("run", name, *GIVEN.get(name, ()), "--engine", "multicore", "--tune", tuned),
          tuned.split("=")[0])


RAISED = {
    "a pipe that is not standard output": (
        'BrokenPipeError(32, "Broken pipe")', "f raised BrokenPipeError while handling a tuple: "
        "[Errno 32] Broken pipe"),
    "no exception": ('GeneratorExit("now")', "the program raised GeneratorExit: now"),
    "a class of its own": ('type("Own", (BaseException,), {})("mine")',
                           "the program raised Own: mine")}


@pytest.mark.parametrize("engine", [["sequential"], ["multicore", "--workers", "2"],
                                    ["multicore", "--tune", "processes=always"]])
@pytest.mark.parametrize("case", RAISED)
def test_whatever_a_function_raises_is_a_failure(anabranch, tmp_path, monkeypatch, case, engine):
    monkeypatch.chdir(tmp_path)
    error, message = RAISED[case]
    (tmp_path / "p.py").write_text(
        f"import anabranch as ab\ndef f(n):\n    if n == 50:\n        raise {error}\n    return n\n"
        "ab.from_iterable(range(99), int).map(f, to=int).write_jsonl('out.jsonl')\n")
    result = anabranch("run", "p.py", "--engine", *engine)
    wrong(result, f"error: {message}", "Traceback (most recent call last):\n", status=1)
    assert sorted(os.listdir(tmp_path)) == ["alerts.py", "entries.csv", "p.py"]
