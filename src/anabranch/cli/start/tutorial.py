"""`anabranch tutorial`: lessons in a folder, each a program with a task.

A lesson is done when its program gives what the solution gives, on the lesson's data and on other
data that the learner has not seen, and when no operator is sequential that need not be.
"""

from __future__ import annotations

import ast
import inspect
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from anabranch.cli.failures import say, show
from anabranch.cli.start.files import came_with_us, copied
from anabranch.core.errors import AnabranchError, UsageError

FOLDER = "anabranch-tutorial"


@click.command(short_help="Five lessons, each a program with a task.")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--check", is_flag=True, help="Say which lessons of FOLDER are done, and what the "
              "next one lacks.")
def tutorial(folder: Path | None, check: bool) -> None:
    """Writes five lessons into FOLDER, anabranch-tutorial if nothing is said; or checks them.

    \b
    Examples:
      anabranch tutorial
      cd anabranch-tutorial
      anabranch run 1_filter.py
      anabranch tutorial --check
    """
    if not check:
        folder = folder or Path(FOLDER)
        copied(came_with_us("tutorial"), folder)
        say(f"five lessons are in {folder}\n\ncd {folder}\n"
            f"anabranch run {_lessons()[0].file}        # the first; its task stands in it\n"
            "anabranch tutorial --check         # what is done, and what is next")
        return
    _check(_there(folder))


@dataclass(frozen=True)
class Lesson:
    """A program that the learner changes, and the one that it is to become."""

    file: str
    title: str
    task: str


def _lessons() -> list[Lesson]:
    found = []
    for path in sorted(came_with_us("tutorial").glob("[0-9]_*.py")):
        said = inspect.cleandoc(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))
        title, _, rest = said.partition("\n")
        found.append(Lesson(path.name, title, rest.rpartition("Task: ")[2]))
    return found


def _there(folder: Path | None) -> Path:
    """The folder with the lessons: the one that is named, this one, or the usual one."""
    for each in [folder] if folder else [Path(), Path(FOLDER)]:
        if (each / _lessons()[0].file).is_file():
            return each
    raise UsageError(f"there are no lessons in {folder or 'this folder'}",
                     help="anabranch tutorial writes them")


def _check(folder: Path) -> None:
    # What stands in the package is no user's text: the solutions are run elsewhere.
    with TemporaryDirectory() as elsewhere:
        solutions = Path(elsewhere, "solutions")
        copied(came_with_us("tutorial", "solutions"), solutions)
        _check_all(folder, solutions)


def _check_all(folder: Path, solutions: Path) -> None:
    for lesson in _lessons():
        try:
            lacking = _lacking(folder, solutions, lesson)
        except AnabranchError as error:
            lacking = str(error)
        if lacking:
            show(f"{lesson.title} Not yet.")
            show(f"\n{lacking}\n\nTask, in {folder / lesson.file}: {lesson.task}")
            raise click.exceptions.Exit(1)
        show(f"{lesson.title} Done.")
    show("\nThat was all. `anabranch examples` has larger programs, `anabranch init NAME` "
         "begins a project.")


def _lacking(folder: Path, solutions: Path, lesson: Lesson) -> str:
    """What a lesson lacks next to its solution: nothing if it is done."""
    from anabranch.compile import compile_graph, load

    mine, right = folder / lesson.file, solutions / lesson.file
    unseen = solutions / "data"
    for data in (came_with_us("tutorial", "data"), unseen):
        came, wanted = _output(mine, data), _output(right, data)
        if came != wanted:
            where = "other data than that of the lesson" if data is unseen else "its data"
            return f"On {where} the output is not yet the right one.\n{_difference(came, wanted)}"
    needless = compile_graph(load(mine)).sequential.keys() - compile_graph(
        load(right)).sequential.keys()
    if needless:
        return (f"The output is right, but {', '.join(sorted(needless))} cannot run in parallel: "
                f"`anabranch explain {mine}` says why.")
    return ""


def _output(program: Path, data: Path) -> list[str]:
    """The lines that a program writes for the files of a folder in place of its own."""
    from anabranch.compile import load, plan_for
    from anabranch.engine.run import execute
    from anabranch.runtime.options import RunOptions

    graph = load(program)
    with TemporaryDirectory() as folder:
        written = [str(Path(folder, f"{number}.csv")) for number, _ in enumerate(graph.sinks)]
        outputs = {op.name: path for op, path in zip(graph.sinks, written)}
        inputs = {op.name: str(data / Path(op.kind.spec.path).name) for op in graph.sources}
        with redirect_stdout(StringIO()):
            options = RunOptions("sequential", inputs=inputs, outputs=outputs)
            execute(plan_for(graph, options), options)
        return [line for path in written for line in Path(path).read_text().splitlines()]


def _difference(came: list[str], wanted: list[str]) -> str:
    """The first line that differs.

    >>> print(_difference(["a", "b"], ["a", "c"]))
    line 2 is:        b
    it should be:     c
    """
    at = next((n for n, (a, b) in enumerate(zip(came, wanted)) if a != b),
              min(len(came), len(wanted)))
    is_, should = (lines[at] if at < len(lines) else "(nothing more)" for lines in (came, wanted))
    return f"line {at + 1} is:        {is_}\nit should be:     {should}"
