"""The documents as a site: every link leads somewhere, every page is in the navigation, and who
reads with a program gets all of it. `make site` builds it, strictly."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
FENCE = re.compile(r"^(```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def _hooks():
    spec = importlib.util.spec_from_file_location("site_hooks", SITE / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOKS = _hooks()
PAGES = HOOKS.pages()


def in_navigation() -> list[str]:
    listed = (SITE / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    return re.findall(r"- (\S+\.md)$", listed, re.MULTILINE)


def anchors(text: str) -> set[str]:
    """What can be pointed at in a page, as Markdown names it."""
    found = HEADING.findall(re.sub(r"(?ms)^```.*?^```$", "", text))
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", each).replace("`", "") for each in found)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", each).strip().lower()) for each in plain}


@pytest.mark.parametrize("page", [p for p in PAGES if not p.startswith("examples/")])
def test_every_link_leads_somewhere(page):
    for target, anchor in HOOKS.LINK.findall(FENCE.sub("", PAGES[page])):
        to = str(PurePosixPath(page).parent / target) if target else page
        while ".." in to:
            to = re.sub(r"[^/]+/\.\./", "", to)
        place = ROOT / "docs" / to
        assert to in PAGES or place.is_file(), f"{target} is not there"
        if anchor and to in PAGES:
            assert anchor.removeprefix("#") in anchors(PAGES[to]), f"{target}{anchor} is not there"


def test_every_page_is_in_the_navigation():
    listed = in_navigation()
    reached = ("examples/", "decisions/0")
    assert sorted(listed) == sorted(p for p in PAGES if not p.startswith(reached))


def test_the_pages_are_there_for_programs_that_read():
    order = in_navigation()
    text, whole = HOOKS.llms(PAGES, order), HOOKS.one_file(PAGES, order)
    assert text.startswith("# Anabranch\n\n> Write a stream program")
    for page in order:
        assert f"]({page}): " in text
        assert PAGES[page] in whole
