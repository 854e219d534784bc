"""A language that another package brings: the one of the documentation, and packages that are
wrong."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from anabranch.cli import commands
from anabranch.compile import compile_graph, load
from anabranch.core.errors import UsageError
from anabranch.lang.registry import LANGUAGES, installed, known_language
from anabranch.lsp.recovery import compiled

PAGE = Path(__file__).parents[3] / "docs" / "languages.md"
BLOCK = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder where the package of the page is installed."""
    for title, text in BLOCK.findall(PAGE.read_text()):
        path = tmp_path / title
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("rill", None)


def bring(folder: Path, entries: str, package: str = "other") -> None:
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[anabranch.languages]\n{entries}\n")


def output(*words: object) -> str:
    return CliRunner().invoke(commands, list(map(str, words))).output


def test_its_operators_have_facts_and_regions(folder):
    plan = compile_graph(load(folder / "hot.rill"))
    assert [(r.operators, r.key) for r in plan.regions] == [
        (("readings", "fahrenheit", "where"), ()), (("heat",), ("sensor",))]


def test_every_engine_gives_the_same_rows(folder):
    (folder / "readings.csv").write_text("sensor,value\n" + "".join(
        f"s{n % 7},{n % 50}.5\n" for n in range(2000)))
    (folder / "run.rill").write_text((folder / "hot.rill").read_text().replace(
        "write hot", 'write hot to "hot.csv"'))
    rows = []
    for engine in ("sequential", "multicore"):
        told = output("run", folder / "run.rill", "--engine", engine)
        assert "wrote 480 rows" in told
        rows.append((folder / "hot.csv").read_text())
    assert rows[0] == rows[1]


def test_it_is_compiled(folder):
    told = output("explain", folder / "hot.rill", "--engine", "multicore", "--tune",
                  "kernels=always")
    assert re.search(r"fahrenheit > where > heat\s+one compiled loop", told), told


def test_an_editor_is_told_what_is_wrong(folder):
    text = (folder / "misspelt.rill").read_text()
    [problem] = compiled(folder / "misspelt.rill", text).problems
    assert (problem.span.line, problem.span.column) == (2, 6)
    assert compiled(folder / "hot.rill", (folder / "hot.rill").read_text()).graph is not None


def test_packages_that_are_wrong(folder):
    bring(folder, "gone = no_such_module\nempty = empty_language\npy = empty_language")
    (folder / "empty_language.py").write_text("")
    for extension, message in ((".gone", "the language of the package other cannot be imported: "
                                "ModuleNotFoundError"),
                               (".empty", "the language of the package other has no load"),
                               (".none", "no language has the extension '.none'")):
        (folder / f"a{extension}").write_text("")
        with pytest.raises(UsageError, match=re.escape(message)):
            load(folder / f"a{extension}")
    assert known_language(".py") is LANGUAGES[".py"] and ".rill" in installed()
