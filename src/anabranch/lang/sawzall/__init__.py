"""Sawzall as a language of programs: what to do with a record, tables adding it up.

    text --parser--> syntax --check, statements--> Python source --lower--> graph

`check` has expressions, with `functions` and `conversion`; `statements` has all that is no
expression, with `variables`, `loops` and `emission`. The expressions are those of `lang.common`;
`library` has what the generated code calls, and `native` a compiled form of simple programs.

    check.py       The expressions of Sawzall: names, chains, composites, indices, operators
    closures.py    Functions that would be kept longer than the variables of others that they use
    conversion.py  Conversions `T(x, parameters)`, and how values of a type are shown as text
    emission.py    Tables: their declarations, and what is emitted to them
    functions.py   The operators and functions of Sawzall: of fixed types, of many types, and saws
    loops.py       Statements that decide what is done, and how often: branches, loops, and `when`
    lower.py       From a program to the graph: one map over lines, reducers by table and key
    names.py       What names mean, block by block: variables, tables, and types with their syntax
    parser.py      From Sawzall text to its syntax; what is not supported is refused by name
    program.py     A whole Sawzall program: its text and what it includes as one function
    statements.py  From statements to Python: a program is a function of a record
    syntax.py      The syntax that Sawzall adds to expressions: chains, types, and statements
    tables.py      The kinds of tables: what they take, and how they are folded
    types.py       The types of Sawzall values
    variables.py   Variables, static values, functions: what declares and what assigns them
    library/       What generated code calls: values, text, times, patterns, folds, output
    native/        Counting in machine code: some programs become one compiled loop over the bytes
    protocol/      Protocol buffers: tuples whose fields have tags, and the files that declare them
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anabranch.core.errors import ProgramError, UsageError
from anabranch.ir.graph import Graph
from anabranch.lang.sawzall.lower import graph_of
from anabranch.lang.sawzall.program import program_of
from anabranch.lang.text import program_text


def load(path: Path, parameters: Mapping[str, str], table_output: bool = False,
         ignore_undefs: bool = False, files: tuple[str, ...] = (), include_path: str = "") -> Graph:
    """The graph of a `.szl` file, which runs once for each line of the files. What it includes may
    lie in one of the folders of the path."""
    if parameters:
        raise UsageError("a Sawzall program has no parameters", help="leave --set out")
    folders = tuple(filter(None, include_path.split(",")))
    return compiled(program_text(path), str(path), files, table_output, ignore_undefs, folders)


def compiled(text: str, file: str, files: tuple[str, ...] = (), table_output: bool = False,
             ignore_undefs: bool = False, folders: tuple[str, ...] = ()) -> Graph:
    """The graph of a program's text."""
    try:
        program = program_of(text, file, files, folds=table_output, ignores=ignore_undefs,
                             folders=folders)
    except RecursionError:
        raise ProgramError("the program is nested too deeply", file,
                           help="take it apart, into several functions") from None
    return graph_of(program, files, reduces=table_output or ignore_undefs)
