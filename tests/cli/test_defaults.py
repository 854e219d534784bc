"""Defaults of runs: what is typed wins over ANABRANCH_ENGINE, that over anabranch.toml."""

import os

import pytest

import anabranch as ab
from anabranch.engine.defaults import FILE, defaults, with_defaults


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch):
    monkeypatch.delenv("ANABRANCH_ENGINE", raising=False)


def test_who_wins(anabranch, folder, monkeypatch):
    (folder / FILE).write_text('engine = "sequential"\n')
    assert with_defaults({})["engine"] == "sequential"
    monkeypatch.setenv("ANABRANCH_ENGINE", "multicore")
    assert with_defaults({"engine": None})["engine"] == "multicore"
    assert with_defaults({"engine": "spark"})["engine"] == "spark"
    assert anabranch("run", "alerts.py").stderr.startswith("read 5 rows")


def test_the_file_above_counts_and_the_nearest_wins(folder, monkeypatch):
    (folder / FILE).write_text('engine = "sequential"\nworkers = 3\n')
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert {name: each.value for name, each in defaults().items()} == {
        "engine": "sequential", "workers": 3}
    (folder / "a" / FILE).write_text('workers = 2\n')
    assert {name: each.value for name, each in defaults().items()} == {"workers": 2}


def test_a_default_that_means_nothing_to_the_engine_is_left_out(anabranch, folder):
    (folder / FILE).write_text('engine = "multicore"\nworkers = 2\nmaster = "local[2]"\n')
    assert with_defaults({}) == {"engine": "multicore", "workers": 2}
    assert anabranch("run", "alerts.py", "--engine", "sequential").exit_code == 0


@pytest.mark.parametrize("option", [{"master": "local[2]"}, {"session": object()},
                                    {"stream": True}])
def test_what_only_spark_has_means_spark(folder, option):
    (folder / FILE).write_text('engine = "multicore"\n')
    assert "engine" not in with_defaults(option)


def test_malformed_rows_are_skipped_by_default(anabranch, folder):
    (folder / FILE).write_text('engine = "sequential"\non-error = "skip"\n')
    (folder / "entries.csv").write_text("uid,amount\n1,x\n1,40\n")
    assert "1 malformed row skipped" in anabranch("run", "alerts.py").stderr
    assert anabranch("check", "alerts.py").exit_code == 0
    assert "cannot" in anabranch("run", "alerts.py", "--on-error", "stop").stderr


def test_explain_tells_of_the_run_that_they_make(anabranch, folder):
    shown = ("explain", "alerts.py", "--engine", "multicore")
    assert "by 3 processes" not in anabranch(*shown).stdout
    (folder / FILE).write_text('engine = "sequential"\nworkers = 3\n')
    assert "by 3 processes" in anabranch(*shown).stdout
    assert "by 2 processes" in anabranch(*shown, "--workers", "2").stdout


def test_the_library_goes_by_them_too(folder, monkeypatch, capsys):
    (folder / FILE).write_text('engine = "multicre"\n')
    stream = ab.from_iterable([1, 2], int)
    with pytest.raises(ab.UsageError, match="no engine is called"):
        stream.write_stdout().run()
    (folder / FILE).write_text('engine = "sequential"\n')
    stream.run()
    assert capsys.readouterr().out.endswith("1\n2\n")


@pytest.mark.parametrize("text, said", [
    ('\nengine = "multicre"\n', ("no engine is called", "anabranch.toml:2", "multicore")),
    ('wrokers = 2\n', ("no setting 'wrokers'", "anabranch.toml:1", "workers")),
    ('workers = "2"\n', ("workers is not understood", "anabranch.toml:1", "a whole number")),
    ('workers = true\n', ("workers is not understood", "anabranch.toml:1", "True")),
    ('engine = \n', ("anabranch.toml cannot be read", "anabranch.toml\n", "line 1"))])
def test_what_is_wrong_with_the_file(anabranch, folder, text, said):
    (folder / FILE).write_text(text)
    refused = anabranch("run", "alerts.py")
    assert refused.exit_code == 2 and all(part in refused.stderr for part in said)


def test_an_error_says_where_the_value_comes_from(anabranch, folder, monkeypatch):
    (folder / FILE).write_text('\nengine = "sequential"\n')
    refused = anabranch("run", "alerts.py", "--workers", "2")
    assert "  = note: engine is sequential by anabranch.toml:2\n" in refused.stderr
    monkeypatch.setenv("ANABRANCH_ENGINE", "multcore")
    refused = anabranch("run", "alerts.py")
    assert "  = note: engine is multcore by ANABRANCH_ENGINE\n" in refused.stderr
    assert "note" not in anabranch("run", "alerts.py", "--engine", "nothing").stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_a_file_of_another_user_where_all_may_write_does_not_count(folder):
    (folder / FILE).write_text('engine = "sequential"\n')
    os.chown(folder / FILE, 12345, -1)
    assert defaults()
    folder.chmod(0o1777)
    assert not defaults()
