"""The words of our languages: of their grammars, and of their libraries."""

from __future__ import annotations

import importlib
import re
from functools import cache

from lark import Lark

PARSERS = {".cql": "lang.cql.parser", ".szl": "lang.sawzall.parser", ".str": "lang.streamit.parser",
           ".spl": "lang.spl.parser", ".river": "ir.text.syntax"}
"""The modules that read our languages: each has `read(text, file)`, and keeps its parser."""

LIBRARIES = {
    ".cql": ("lang.cql.check:FUNCTIONS", "lang.cql.check:AGGREGATES", "lang.cql.check:TYPES"),
    ".szl": ("lang.sawzall.functions:FUNCTIONS", "lang.sawzall.functions:POLYMORPHIC",
             "lang.sawzall.functions:SAWS", "lang.sawzall.functions:CONSTANTS",
             "lang.sawzall.tables:KINDS", "lang.sawzall.types:BASIC"),
    ".str": ("lang.streamit.coding.operations:NAMES", "lang.streamit.coding.composites:LIBRARY"),
    ".spl": ("lang.spl.coding.library:FUNCTIONS", "lang.spl.toolkit:TOOLKIT",
             "lang.spl.operators.windows:SIMPLE"),
}
"""Where the names stand that programs may use without declaring them."""

SPELLED = re.compile(r"((?:[A-Za-z_]\w+\|)*[A-Za-z_]\w+)\)?s?\\b")
"""Words in a terminal's pattern: they end where a word ends."""


@cache
def keywords(extension: str) -> tuple[str, ...]:
    """The words that the grammar has.

    >>> {"select", "istream", "unbounded"} <= set(keywords(".cql"))
    True
    """
    if extension not in PARSERS:
        return ()
    module = importlib.import_module(f"anabranch.{PARSERS[extension]}")
    parser: Lark = module._parser()
    found = set()
    for terminal in parser.terminals:
        pattern = terminal.pattern.value
        each = SPELLED.findall(pattern) or re.findall(r"^[A-Za-z_]\w+$", pattern)
        found |= {word for words in each for word in words.split("|")}
    return tuple(sorted(found))


@cache
def library(extension: str) -> tuple[str, ...]:
    """The functions, operators and types that come with a language."""
    found = set()
    for place in LIBRARIES.get(extension, ()):
        module, _, name = place.partition(":")
        table = getattr(importlib.import_module(f"anabranch.{module}"), name)
        found |= {each if isinstance(each, str) else each[0] for each in table}
    return tuple(sorted(name for name in found if re.fullmatch(r"[^\W\d]\w*", name)))
