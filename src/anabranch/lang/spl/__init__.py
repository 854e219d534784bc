"""SPL: the stream processing language of System S and its successors, as a front-end.

    text --parser--> syntax --composites--> operators --operators/--> the graph

The types of all expressions are checked, and bodies written as Python functions, which analyses and
kernels read like the user's own; each line of them tells the line of the program it comes from.

    binary.py      Tuples as bytes: the format bin, in SPL's binary encoding
    building.py    What lowers an operator to ours: queues, ports, the functions of bodies
    composites.py  Composites: each invocation is replaced by the graph inside
    formats.py     Tuples as text, in files and in Parse and Format: csv, txt, line
    linking.py     Import and Export, and the logic of operators that have none of their own
    lower.py       From the operators of a program to the graph, each in its turn
    parser.py      From SPL text to its syntax, or to an error in plain words
    placement.py   Annotations and configurations: obeyed through the plan, or refused by name
    sockets.py     Tuples over TCP and UDP, as TCPSource and its like read and write them
    syntax.py      SPL as it is written; nothing is looked up yet
    toolkit.py     The operators that programs know: standard ones, and those of folders
    types.py       The types of SPL, and what their values are in Python
    coding/        What is written in operators, as functions in Python that analyses read
    operators/     The operators of SPL's toolkits, each lowered to operators of ours
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from anabranch.core.errors import ProgramError
from anabranch.ir.graph import Graph
from anabranch.lang.spl.lower import graph_of
from anabranch.lang.spl.parser import read
from anabranch.lang.spl.toolkit import with_files
from anabranch.lang.text import program_text


def load(path: Path, parameters: Mapping[str, str], toolkit_path: str = "") -> Graph:
    """The graph of a `.spl` file; the toolkits that it uses are beside it, or in other folders."""
    folders = [path.parent, *(Path(each) for each in toolkit_path.split(",") if each)]
    return compiled(program_text(path), str(path), parameters, folders)


def compiled(text: str, file: str, parameters: Mapping[str, str] = {},
             folders: Sequence[Path] = ()) -> Graph:
    """The graph of a program's text."""
    try:
        program = read(text, file)
        if program.namespace:
            # Its file stands in the folder of its namespace, and others beside that one.
            folders = [*folders, Path(file).resolve().parent.parent]
        whole = with_files(program, file, folders, lambda path: read(program_text(path),
                                                                     str(path)))
        return graph_of(whole, parameters, folders, program)
    except RecursionError:
        raise ProgramError("the program is nested too deeply", file,
                           help="take it apart, into several operators or functions") from None
