"""The grammars by which editors highlight our languages, over the examples."""

import importlib.util
import json
from pathlib import Path

import pytest
import regex

from anabranch.lsp.keywords import keywords, library

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "editors" / "vscode"
spec = importlib.util.spec_from_file_location("grammars", ROOT / "editors" / "grammars.py")
grammars = importlib.util.module_from_spec(spec)
spec.loader.exec_module(grammars)


def tokens(grammar: dict, text: str) -> list[tuple[str, str]]:
    """What an editor would highlight, as (scope, text): on each line the rule that matches first,
    of several the one that stands first; a rule with an end goes on over lines."""
    found, open_rule, begun = [], None, ""
    for line in text.split("\n"):
        at = 0
        while at <= len(line):
            if open_rule is not None:
                rules = [*open_rule.get("patterns", ()), {"match": open_rule["end"], "ends": True}]
            else:
                rules = grammar["patterns"]
            matches = [(match.start(), n, rule, match) for n, rule in enumerate(rules)
                       if (match := regex.search(rule.get("match") or rule["begin"], line, pos=at))]
            if not matches:
                begun += line[at:]
                break
            start, _, rule, match = min(matches, key=lambda each: each[:2])
            begun += line[at:match.end()]
            if rule.get("ends"):
                found.append((open_rule["name"], begun))
                open_rule = None
            elif "begin" in rule:
                open_rule, begun = rule, match[0]
            elif open_rule is None:
                found.append((rule["name"], match[0]))
            at = match.end() if match.end() > at else at + 1
            if match.end() == len(line) == start and open_rule is None:
                break
    return found


@pytest.mark.parametrize("extension", grammars.LANGUAGES)
def test_the_grammar_is_that_of_the_compiler(extension):
    name = grammars.LANGUAGES[extension]
    path = FOLDER / "syntaxes" / f"{name}.tmLanguage.json"
    assert path.read_text() == grammars.written(extension), "python editors/grammars.py"
    declared = json.loads((FOLDER / "package.json").read_text())["contributes"]
    assert {"language": name, "scopeName": f"source.{name}",
            "path": f"./syntaxes/{path.name}"} in declared["grammars"]
    assert any(extension in each["extensions"] for each in declared["languages"])


@pytest.mark.parametrize("extension", grammars.LANGUAGES)
def test_examples_are_highlighted(extension):
    grammar = grammars.grammar(extension)
    words = {word.lower() for word in keywords(extension)}
    special = {word.lower() for word in (*library(extension), *keywords(extension))}
    for path in sorted((ROOT / "examples").rglob(f"*{extension}")):
        text = path.read_text()
        found = tokens(grammar, text)
        comments = [said for scope, said in found if scope.startswith("comment")]
        lines = [line.strip() for line in text.split("\n") if line.startswith(("//", "#"))]
        assert [said for said in comments if said in lines] == lines, path
        marked = [said.lower() for scope, said in found
                  if scope.startswith(("keyword.control", "storage.type", "constant.language"))]
        assert len(marked) > 3 and words & set(marked), path
        assert not {said for scope, said in found if scope == "support.function"} - {
            *library(extension)} and set(marked) - special <= set(grammars.TYPES[grammar[
                "scopeName"].removeprefix("source.")]), path


def test_a_comment_over_lines_and_a_text_with_a_comment_in_it():
    grammar = grammars.grammar(".spl")
    assert tokens(grammar, 'x = "// no";\n/* one\nif */ if') == [
        ("keyword.operator", "="), ("string.quoted", '"// no"'),
        ("comment.block", "/* oneif */"), ("keyword.control", "if")]
