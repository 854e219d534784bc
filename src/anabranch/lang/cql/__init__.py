"""CQL, the continuous query language, as a language of programs.

    text --parser--> syntax --translate--> algebra (SRA) --lower--> graph

`check` and `clauses` are the parts of `translate`: expressions, and what a query is made of. The
syntax and the types of expressions are those of `lang.common`; `execution` has what the operators
do with the rows, one by one or in columns.

    algebra.py    The stream relational algebra: what a CQL query computes, its types, its text
    check.py      The expressions of CQL: names, built-ins, aggregates, conditions with queries
    clauses.py    The clauses of a query: tables and joins, the select list, conditions with queries
    codegen.py    The bodies of operators as Python source: terms over rows, folds, and windows
    functions.py  Functions and aggregates that a program defines: their bodies replace calls
    items.py      Queries whose rows are items: filters, maps, windows and groups of typed rows
    joins.py      Joins that are written as such: outer and natural ones, and those with `using`
    lower.py      From the algebra to the graph: operators with bodies in Python, on batches
    parser.py     From CQL text to its syntax. What CQL does not have is refused here by name
    scalars.py    Queries as values: `x > (select avg(y) from S)`, and quotients of queries
    syntax.py     CQL programs as written: declarations, queries, windows; and as text again
    translate.py  From a CQL program to the stream relational algebra, checking types on the way
    execution/    What runs a CQL program: operators on rows, or on columns for inputs from files
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anabranch.core.errors import ProgramError, UsageError
from anabranch.ir.graph import Graph
from anabranch.lang.cql.algebra import verify
from anabranch.lang.cql.lower import graph_of
from anabranch.lang.cql.parser import read
from anabranch.lang.cql.syntax import Declaration
from anabranch.lang.cql.translate import program_of
from anabranch.lang.text import program_text

DECLARED = "<inputs>"


def load(path: Path, parameters: Mapping[str, str], time: Mapping[str, str] = {}) -> Graph:
    """The graph of a `.cql` file; `time` names the time attribute of an input."""
    if parameters:
        raise UsageError("a CQL program has no parameters", help="leave --set out")
    return compiled(program_text(path), str(path), time)


def compiled(text: str, file: str, times: Mapping[str, str] = {}, declared: str = "") -> Graph:
    """The graph of a program's text; of inputs that it does not declare itself, those `declared`
    elsewhere."""
    try:
        return _compiled(text, file, times, declared)
    except RecursionError:
        raise ProgramError("the program is nested too deeply", file,
                           help="take it apart, into several queries") from None


def inputs_of(text: str, file: str) -> list[str]:
    """The names of the inputs that a program declares."""
    return [str(node.name) for node in read(text, file) if isinstance(node, Declaration)]


def _compiled(text: str, file: str, times: Mapping[str, str], declared: str) -> Graph:
    others = read(declared, DECLARED) if declared else ()
    program = program_of((*others, *read(text, file)))
    for result in program.results:
        verify(result.node)
    if not any(result.written for result in program.results):
        raise ProgramError("the program writes nothing", file, help="end it with a query")
    return graph_of(program, times)
