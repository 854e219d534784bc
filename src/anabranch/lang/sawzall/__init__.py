"""Sawzall as a language of programs: what to do with a record, and tables that add it up.

    text --parser--> syntax --check, statements--> Python source --lower--> graph

`check` has expressions, with `functions` and `conversion`; `statements` has all that is no
expression, with `variables`, `loops` and `emission`. The expressions are those of `lang.common`;
`execution` has what the generated code calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anabranch.core.errors import ProgramError, UsageError
from anabranch.ir.graph import Graph
from anabranch.lang.sawzall.lower import graph_of
from anabranch.lang.sawzall.program import program_of


def load(path: Path, parameters: Mapping[str, str], table_output: bool = False,
         ignore_undefs: bool = False, files: tuple[str, ...] = (), include_path: str = "") -> Graph:
    """The graph of a `.szl` file, which runs once for each line of the files. What it includes may
    lie in one of the folders of the path."""
    if parameters:
        raise UsageError("a Sawzall program has no parameters", help="leave --set out")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProgramError(f"the program is not UTF-8 text: {error.reason}", str(path)) from None
    folders = tuple(filter(None, include_path.split(",")))
    return compiled(text, str(path), files, table_output, ignore_undefs, folders)


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
