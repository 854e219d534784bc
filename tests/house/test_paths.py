"""The paths of modules and folders that documents and tests name are there."""

import re

import pytest

from house.modules import ROOT, SOURCE
from mutants.places import GROUPS
from mutants.places import SOURCE as MUTATED

PACKAGE = SOURCE / "anabranch"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PATH = re.compile(r"`((?:\w+/)+(?:\w+\.\w+)?)`")
MODULE = re.compile(r"\banabranch((?:\.\w+){2,})")
MADE_LATER = ("out/",)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_are_there(document):
    text = document.read_text()
    named = [path for path in PATH.findall(text) if not path.startswith(MADE_LATER)]
    assert not [path for path in named
                if not any((root / path).exists() for root in (ROOT, PACKAGE, ROOT / "docs"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_are_there(document):
    wrong = [name for name in MODULE.findall(document.read_text())
             if not (PACKAGE / name[1:].replace(".", "/")).is_dir()
             and not (PACKAGE / name[1:].replace(".", "/")).with_suffix(".py").exists()
             and not (PACKAGE / name[1:].rpartition(".")[0].replace(".", "/")
                      ).with_suffix(".py").exists()]
    assert not wrong


def test_mutants_have_a_place():
    wrong = [pattern for group in GROUPS for pattern in group.patterns
             if not any(MUTATED.glob(pattern))]
    assert not wrong
    assert not [test for group in GROUPS for stage in group.stages for test in stage
                if test.startswith("tests/") and not (ROOT / test).exists()]
