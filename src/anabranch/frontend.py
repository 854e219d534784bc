"""What a language of another package is made of: one import for a front-end.

A front-end reads a text, checks it, and builds a graph whose operators are functions in Python,
as text that tells for each line which line of the user's it comes from. Facts, regions, kernels and
engines follow from that. See "A language of your own" in the documentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from anabranch.core.errors import ProgramError, RunError, did_you_mean
from anabranch.core.source import Span, origin_comment
from anabranch.io.csv.files import CsvSink, CsvSource
from anabranch.ir.ends import ItemWriter, SinkSpec, SourceSpec
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Graph
from anabranch.ir.operators import Apply, Filter, FlatMap, Map, Sink, Source, Union
from anabranch.ir.records import Record, State, record_class, state_class
from anabranch.ir.types import BOOL, FLOAT, INT, STR, ListOf, OptionalOf, RecordOf, Type
from anabranch.lang.common.parser import Reader, parser, read
from anabranch.lang.text import program_text

__all__ = [
    "BOOL", "FLOAT", "INT", "STR", "Annotation", "Apply", "Builder", "CsvSink", "CsvSource",
    "Filter", "FlatMap", "Function", "Graph", "ItemWriter", "ListOf", "Map", "OptionalOf",
    "ProgramError", "Reader", "Record", "RecordOf", "RunError", "Sink", "SinkSpec", "Source",
    "SourceSpec", "Span", "State", "Type", "Union",
    "did_you_mean", "function", "origin_comment", "parser", "program_text", "read", "record_class",
    "state_class"]


def function(name: str, lines: Iterable[tuple[str, Span]], names: Mapping[str, object],
             span: Span) -> Function:
    """The function of this name: Python lines, each with the place of the user's text from which
    it comes, where errors of a run are shown.

    >>> where = Span("a.rill", 3, 0, 3, 9)
    >>> twice = function("twice", [("def twice(x):", where), ("    return x * two", where)],
    ...                  {"two": 2}, where)
    >>> twice.call(4)
    8
    """
    text = "\n".join([f"# {span.file}", *(f"{line}  {origin_comment(at)}" for line, at in lines)])
    return Function.defined(text, name, dict(names), span)
