"""StreamIt: synchronous dataflow programs.

    text --parser--> syntax --coding--> Python source --elaborate--> instances --flatten--> flow
         --sdf--> schedule --lower--> graph

`coding` checks functions and writes them as Python; `sdf` knows rates and schedules and no
language; `execution` runs a program in blocks, on demand, or item by item.

    elaborate.py  From declarations to instances: the bodies of streams run, and add what is in them
    files.py      The ends of a program: ticks that count periods, raw files, and printed text
    flatten.py    From the tree of instances to a flat flow of filters, splitters and joiners
    instances.py  Streams as instances: filters, the tree of composites, types left out
    lower.py      From a scheduled flow to the graph: an operator for every actor, or one on demand
    messages.py   The messages of a program: who sends to whom, and rules for the schedule
    parser.py     From StreamIt text to its syntax: streams, statements, and expressions
    program.py    A whole program, checked and coded: structures, globals, functions, streams
    syntax.py     The syntax of StreamIt: declarations, streams, statements, and its own expressions
    types.py      The types of StreamIt, and which of them turns into which
    coding/       From the syntax of functions to typed Python source
    execution/    What runs a StreamIt program: in blocks by workers, on demand, or by item
    sdf/          Synchronous dataflow: actors that take and give so many items at every firing
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from anabranch.core.errors import ProgramError, UsageError
from anabranch.ir.graph import Graph
from anabranch.lang.common.depth import TEXT, deep_calls
from anabranch.lang.streamit.elaborate import Elaborator
from anabranch.lang.streamit.flatten import flatten
from anabranch.lang.streamit.lower import DemandLowering, Lowering, needs_demand, planned
from anabranch.lang.streamit.parser import read
from anabranch.lang.streamit.program import Code
from anabranch.lang.streamit.sdf.flow import Flow
from anabranch.lang.streamit.sdf.schedule import Schedule, scheduled
from anabranch.lang.streamit.syntax import Created, Program, walk
from anabranch.lang.text import program_text


def load(path: Path, parameters: Mapping[str, str], iterations: int | None = None,
         top: str | None = None, files: tuple[Path, ...] = (), include_path: str = "") -> Graph:
    """The graph of a program; with several files, the last one has the program itself. A stream
    that none of them declares is looked for in the folders of the include path, by its name."""
    if parameters:
        raise UsageError("a StreamIt program has no parameters", help="leave --set out")
    texts = [(str(each), _text(Path(each))) for each in (path, *files)]
    folders = [Path(folder) for folder in include_path.split(",") if folder]
    return compiled([*_included(texts, folders), *texts], Path((path, *files)[-1]).parent,
                    iterations, top)


def _included(texts: list[tuple[str, str]], folders: list[Path]) -> list[tuple[str, str]]:
    """The files that have the streams which these texts add and do not declare."""
    found: dict[str, str] = {}
    waiting = list(texts) if folders else []
    while waiting:
        for name in _added(*waiting.pop()):
            file = next((f / f"{name}.str" for f in folders if (f / f"{name}.str").is_file()), None)
            if file is not None and str(file) not in (*found, *dict(texts)):
                found[str(file)] = _text(file)
                waiting.append((str(file), found[str(file)]))
    return list(found.items())[::-1]


def _added(file: str, text: str) -> list[str]:
    """The streams that a text adds and does not declare."""
    with deep_calls(TEXT):
        program = read(text, file)
        used = (n.name for n in walk(program.streams) if isinstance(n, Created))
    return [name for name in dict.fromkeys(used) if name not in {s.name for s in program.streams}]


def compiled(texts: list[tuple[str, str]], folder: Path = Path(), iterations: int | None = None,
             top: str | None = None) -> Graph:
    """The graph of a program's texts, each with the name of its file."""
    flow = flow_of(texts, top)
    periods, about = _periods(flow, iterations), (folder, tuple(texts), top)
    if needs_demand(flow):
        return DemandLowering(planned(flow), periods, *about).graph()
    return Lowering(scheduled(flow), periods, *about).graph()


def schedule_of(texts: list[tuple[str, str]], top: str | None = None) -> Schedule:
    """The flow of a program with its schedule."""
    return scheduled(flow_of(texts, top))


def flow_of(texts: list[tuple[str, str]], top: str | None = None) -> Flow:
    """The actors and channels of a program."""
    try:
        with deep_calls(TEXT):
            return _flow_of(texts, top)
    except RecursionError:
        raise ProgramError("the program is nested too deeply", texts[-1][0]) from None


def _flow_of(texts: list[tuple[str, str]], top: str | None) -> Flow:
    folder = Path(texts[-1][0]).parent
    code = Code(_joined([read(text, file) for file, text in texts]), folder)
    return flatten(Elaborator(code).top(code.top(top, texts[-1][0])))


def _joined(programs: list[Program]) -> Program:
    """Several programs as one."""
    return Program(*(sum((getattr(p, each.name) for p in programs), ())
                     for each in fields(Program)))


def _periods(flow: Flow, iterations: int | None) -> int | None:
    """How many periods to run: as many as asked for, or to the end of the files, or one."""
    if iterations is not None:
        return iterations
    starts = [a.body for i, a in enumerate(flow.actors) if flow.is_start(i)]
    reads = [getattr(body, "reads", False) for body in starts]
    return None if all(reads) and reads else 1


def _text(path: Path) -> str:
    try:
        return program_text(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
