"""docs/glossary.md: words have modules that are there, and class names have one meaning."""

import ast
import re
from collections import defaultdict

from house.modules import ROOT, modules

TEXT = (ROOT / "docs" / "glossary.md").read_text()
WORDS, NAMES = (part.split("\n## ")[0] for part in TEXT.split("\n## ")[1:3])
ROW = re.compile(r"^\| (?!-|word|class)(.+?) \| (.+) \| (.+) \|$", re.MULTILINE)


def tree(name: str) -> str:
    """The package tree in which a class name stands once. Each language is one: it has words of its
    own."""
    found = re.match(r"anabranch\.(lang\.\w+)", name)
    return found[1] if found else "anabranch"


def twice() -> dict[str, set[str]]:
    """The public classes whose name is used again in the same tree, with their modules."""
    found = defaultdict(set)
    for name, module in modules().items():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[tree(name), node.name].add(name.removeprefix("anabranch."))
    return {f"{where} {name}": places for (where, name), places in found.items()
            if len(places) > 1}


def test_words_stand_in_the_order_of_the_alphabet():
    words = [word for word, _, _ in ROW.findall(WORDS)]
    assert len(words) > 50
    assert words == sorted(words, key=str.lower)


def test_every_word_is_one_sentence():
    wrong = [word for word, meaning, _ in ROW.findall(WORDS)
             if not meaning.endswith(".") or ". " in meaning]
    assert not wrong


def test_the_modules_are_there():
    named = [name for _, _, place in ROW.findall(WORDS) for name in re.findall(r"`(.+?)`", place)]
    assert named
    assert not [name for name in named if f"anabranch.{name}" not in modules()]


def test_a_class_name_that_is_used_twice_has_a_reason():
    stated = {name.replace("`", ""): set(re.findall(r"`(.+?)`", places))
              for name, places, _ in ROW.findall(NAMES)}
    found = {f"{name.partition(' ')[2]} of {name.partition(' ')[0]}": places
             for name, places in twice().items()}
    assert stated == found
