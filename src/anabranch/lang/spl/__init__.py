"""SPL: the stream processing language of System S and its successors, as a front-end.

    text --parser--> syntax --composites--> operators --operators/--> the graph

The types of all expressions are checked, and bodies written as Python functions, which analyses and
kernels read like the user's own; each line of them tells the line of the program it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from anabranch.core.errors import ProgramError
from anabranch.ir.graph import Graph
from anabranch.lang.spl.lower import graph_of
from anabranch.lang.spl.parser import read


def load(path: Path, parameters: Mapping[str, str], toolkit_path: str = "") -> Graph:
    """The graph of a `.spl` file; the toolkits that it uses are beside it, or in other folders."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProgramError(f"the program is not UTF-8 text: {error.reason}", str(path)) from None
    folders = [path.parent, *(Path(each) for each in toolkit_path.split(",") if each)]
    return compiled(text, str(path), parameters, folders)


def compiled(text: str, file: str, parameters: Mapping[str, str] = {},
             folders: Sequence[Path] = ()) -> Graph:
    """The graph of a program's text."""
    try:
        return graph_of(read(text, file), parameters, folders)
    except RecursionError:
        raise ProgramError("the program is nested too deeply", file,
                           help="take it apart, into several operators or functions") from None
