"""What the site has besides the folder docs/: the README and its like, the examples, a list of the
decisions, and all pages in one file for those who read with a program (llmstxt.org).

`mkdocs` calls `on_files`, `on_page_markdown` and `on_post_build`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OUTSIDE = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md",
           "CHANGELOG.md": "changelog.md"}
"""Files of the repository that are pages of the site."""

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]*)(#[^)\s]*)?(?=\))")
SENTENCE = re.compile(r"(?s)(.+?[.!?])(?:\s|$)")


def pages() -> dict[str, str]:
    """The text of every page of the site by its path, with links as they are there."""
    written = {str(p.relative_to(DOCS)): p.read_text() for p in sorted(DOCS.rglob("*.md"))}
    outside = {page: (ROOT / name).read_text() for name, page in OUTSIDE.items()}
    of_examples = {f"examples/{p.relative_to(ROOT / 'examples')}.md": _shown(p)
                   for p in sorted((ROOT / "examples").rglob("*")) if is_program(p)}
    texts = {page: linked(text, page) for page, text in {**written, **outside}.items()}
    return {**texts, "decisions/index.md": decisions(written), **of_examples}


def is_program(path: Path) -> bool:
    return path.suffix in (".py", ".cql", ".szl", ".str", ".spl", ".river")


def _shown(path: Path) -> str:
    language = "python" if path.suffix == ".py" else "text"
    name = path.relative_to(ROOT / "examples")
    return f"# {name}\n\n```{language} title=\"{name}\"\n{path.read_text().rstrip()}\n```\n"


def linked(text: str, page: str) -> str:
    """The links of a page as they are in the site.

    >>> linked("[one](../README.md#more), [all](decisions)", "files.md")
    '[one](readme.md#more), [all](decisions/index.md)'
    >>> linked("[so](docs/files.md)", "readme.md"), linked("[a](../examples/a.py)", "files.md")
    ('[so](files.md)', '[a](examples/a.py.md)')
    """
    here = ROOT if page in OUTSIDE.values() else (DOCS / page).parent
    up = "../" * page.count("/")

    def to(found: re.Match) -> str:
        return up + target((here / found[1]).resolve()) + (found[2] or "") if found[1] else found[0]
    return LINK.sub(to, text)


def target(path: Path) -> str:
    """Where something of the repository is in the site."""
    if path.is_relative_to(DOCS):
        inside = str(path.relative_to(DOCS))
        return f"{inside}/index.md" if path.is_dir() else inside
    name = str(path.relative_to(ROOT))
    return OUTSIDE.get(name, f"{name}.md" if is_program(path) else name)


def decisions(written: dict[str, str]) -> str:
    """The list of all decisions."""
    lines = [f"- [{title(text)}]({Path(page).name})" for page, text in written.items()
             if page.startswith("decisions/")]
    return "# Decisions\n\nWhy things are as they are, and what they were before.\n\n" + "\n".join(
        lines) + "\n"


def title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def about(text: str) -> str:
    """The first sentence of a page.

    >>> about("# Files\\n\\nWhat is read. And more.\\n")
    'What is read.'
    """
    for part in text.split("\n\n")[1:]:
        part = part.replace("**", "").replace("*", "")
        if part[:1].isalpha() and (found := SENTENCE.match(part)):
            return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(found[1].split()))
    return ""


def llms(texts: dict[str, str], order: Iterable[str]) -> str:
    """The list of the pages for programs that read."""
    lines = [f"- [{title(texts[page])}]({page}): {about(texts[page])}" for page in order]
    return "\n".join(["# Anabranch", "", f"> {about(texts['readme.md'])}", "",
                      "All pages in one file: [llms-full.txt](llms-full.txt)", "", "## Pages", "",
                      *lines, ""])


def one_file(texts: dict[str, str], order: Iterable[str]) -> str:
    """All pages one after the other, each headed by its path."""
    return "\n".join(f"<!-- {page} -->\n\n{texts[page]}" for page in order)


def in_nav(nav: object) -> Iterable[str]:
    """The pages of the navigation in its order."""
    if isinstance(nav, str):
        yield nav
    else:
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from in_nav(part)


def on_files(files, config):
    from mkdocs.structure.files import File

    for page, text in pages().items():
        if files.get_file_from_path(page) is None:
            files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    inside = (DOCS / page.file.src_uri).exists()
    return linked(markdown, page.file.src_uri) if inside else markdown


def on_post_build(config):
    texts, order = pages(), list(in_nav(config.nav))
    folder = Path(config.site_dir)
    for page, text in texts.items():
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(text)
    (folder / "llms.txt").write_text(llms(texts, order))
    (folder / "llms-full.txt").write_text(one_file(texts, order))
