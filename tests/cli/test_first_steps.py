"""The first ten minutes: `init`, `tutorial` and `examples`, in an empty folder."""

import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from anabranch.cli import commands
from anabranch.cli.start.files import CHECKOUT, came_with_us
from anabranch.lang.registry import LANGUAGES


@pytest.fixture
def anabranch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(commands, arguments)


def test_a_new_project_runs_and_its_test_passes(anabranch, tmp_path, monkeypatch):
    assert anabranch("init", "shop").exit_code == 0
    monkeypatch.chdir(tmp_path / "shop")
    done = anabranch("run", "balances.py")
    assert done.stdout.splitlines()[:2] == ["account,balance", "102,-25.69"]
    tested = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
                            capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout


@pytest.mark.parametrize("arguments", [("init", "shop"), ("tutorial", "shop"),
                                       ("examples", "--to", "shop")])
def test_nothing_is_overwritten(anabranch, tmp_path, arguments):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "mine.py").write_text("kept")
    refused = anabranch(*arguments)
    assert refused.exit_code == 2 and "shop is there already" in refused.stderr
    assert [path.name for path in (tmp_path / "shop").iterdir()] == ["mine.py"]


def test_the_lessons_are_done_one_after_the_other(anabranch, tmp_path):
    assert anabranch("tutorial").exit_code == 0
    lessons = sorted(path.name for path in (tmp_path / "anabranch-tutorial").glob("*.py"))
    assert len(lessons) == 5
    for done, lesson in enumerate(lessons):
        seen = anabranch("tutorial", "--check")
        assert (seen.exit_code, seen.stdout.count(" Done.\n")) == (1, done)
        assert f"Task, in anabranch-tutorial/{lesson}: " in seen.stdout
        shutil.copy(came_with_us("tutorial", "solutions", lesson), "anabranch-tutorial")
    seen = anabranch("tutorial", "--check")
    assert (seen.exit_code, seen.stdout.count(" Done.\n")) == (0, 5)


def test_an_answer_that_knows_the_data_is_not_taken(anabranch, tmp_path):
    anabranch("tutorial")
    lesson = tmp_path / "anabranch-tutorial" / "1_filter.py"
    lesson.write_text(lesson.read_text().replace("p.amount < 0", "p.amount in (-3.25, -30, -2.75)"))
    assert "other data than that of the lesson" in anabranch("tutorial", "--check").stdout


def test_examples_are_listed_and_copied(anabranch, tmp_path):
    listed = anabranch("examples").stdout.splitlines()
    assert " ".join(listed[0].split()) == (
        "balances.py Running account balances, in order: who is overdrawn, and by how much.")
    assert not [line for line in listed if not line.partition(" ")[2].strip()]
    anabranch("examples", "--to", "mine")
    there = {str(path.relative_to(tmp_path / "mine")) for path in (tmp_path / "mine").rglob("*")
             if path.suffix in LANGUAGES}
    assert there == {line.split()[0] for line in listed}
    done = anabranch("run", "mine/balances.py", "--engine", "sequential")
    assert "wrote 12 rows" in done.stderr


def test_the_wheel_takes_them_along():
    """`setup.py` puts this folder into the package."""
    assert came_with_us() == CHECKOUT
