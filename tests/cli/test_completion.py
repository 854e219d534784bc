"""What the shell is told when a user presses Tab, as bash asks for it."""

import subprocess

import pytest
from click.testing import CliRunner

from anabranch.cli import commands


@pytest.fixture
def completed(folder, monkeypatch):
    (folder / "data").mkdir()
    (folder / "notes.md").write_text("")

    def complete(*words: str) -> list[str]:
        done = CliRunner().invoke(commands, [], prog_name="anabranch", env={
            "_ANABRANCH_COMPLETE": "bash_complete", "COMP_CWORD": str(len(words)),
            "COMP_WORDS": "\n".join(["anabranch", *words])})
        return [line.partition(",")[2] for line in done.output.splitlines() if line]
    return complete


@pytest.mark.parametrize("words, found", [
    (("ru",), ["run"]),
    (("run", "a"), ["alerts.py"]),
    (("run", ""), ["alerts.py", "data/"]),
    (("run", "x", "--engine", ""), ["sequential", "multicore", "spark"]),
    (("run", "x", "--on-error", "d"), ["divert="]),
    (("run", "x", "--rules", "fuse,"), ["fuse,hoist"]),
    (("run", "x", "--tune", "heu"), ["heuristic="]),
    (("run", "x", "--tune", "heuristic", "=", "C"), ["CT"]),
    (("run", "x", "--tune", "heuristic", "="), ["CT", "LP", "ET", "QST"]),
    (("run", "x", "--engine", "spark", "--tune", "gangs", "=", ""), ["always", "never"]),
    (("run", "x", "--engine", "multicore", "--tune", "ga"), []),
    (("run", "x", "--input", "entries", "=", "en"), ["entries.csv"]),
    (("run", "x", "--master", "spark"), ["spark://"]),
    (("explain", "x", "--format", "h"), ["html"]),
    (("completion", ""), ["bash", "zsh", "fish"])])
def test_values_are_completed(completed, words, found):
    assert completed(*words) == found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(anabranch, shell):
    assert "_ANABRANCH_COMPLETE" in anabranch("completion", shell).stdout


def test_bash_reads_its_script(anabranch):
    script = anabranch("completion", "bash").stdout
    done = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "compopt -o nospace" in script


def test_an_unknown_shell_is_refused(anabranch, monkeypatch):
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert "no completion is known for the shell 'tcsh'" in anabranch("completion").stderr
