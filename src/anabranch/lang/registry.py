"""The languages by the extension of the file, and the options that each takes.

A language is a module with `load(path, parameters, **options) -> Graph`, where the options are
those that it declares here. The module is imported when it is needed; what it declares is known
before, so that the command line has the options of every language. A language gets the value of an
option as a keyword argument of its `load`, and only when it was given.

A package brings a language with it by an entry point in the group `anabranch.languages`: its name
is the extension without the dot, its value the module. Such a language takes `--set`, and no
options of its own, so that nothing has to be looked for when a program of ours is run.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from anabranch.core.errors import UsageError

if TYPE_CHECKING:
    from anabranch.ir.graph import Graph


@dataclass(frozen=True)
class Option:
    """`--name` on the command line, with `_` for `-` as an argument of `load`.

    Its kind says what it gives: a flag True, `int` a number that is not negative, `text` a string,
    `pairs` a dict of repeated NAME=VALUE, and `files` the paths after the program. `instead` is the
    advice to someone who gave it to a program of another language.

    >>> Option("table_output", "flag", "Print the tables at the end.").spelling
    '--table-output'
    """

    name: str
    kind: Literal["flag", "int", "text", "pairs", "files"]
    help: str
    metavar: str | None = None
    instead: str = "leave it out"

    @property
    def spelling(self) -> str:
        return "FILE..." if self.kind == "files" else "--" + self.name.replace("_", "-")


FILES = Option("files", "files", "The files to read.", "[FILE]...",
               instead="bind its inputs with --input NAME=PATH")


@dataclass(frozen=True)
class Language:
    """The module of a language, and the options that its programs take; the package that brings
    it, if that is not ours."""

    module: str
    options: tuple[Option, ...] = ()
    package: str = ""

    def load(self, path: Path, parameters: Mapping[str, str], given: Mapping[str, object]) -> Graph:
        """The graph of a program; an option of another language is refused."""
        declared = {option.name for option in self.options}
        for option in every_option():
            if option.name in given and option.name not in declared:
                raise UsageError(f"{option.spelling} is not for a '{path.suffix}' program",
                                 help=option.instead)
        return self.imported().load(path, parameters, **given)

    def imported(self) -> ModuleType:
        """The module; what a package has wrong with its own is told as its failure."""
        try:
            module = importlib.import_module(self.module)
        except Exception as error:
            if not self.package:
                raise
            raise UsageError(f"the language of the package {self.package} cannot be imported: "
                             f"{type(error).__name__}: {error}") from error
        if self.package and not callable(vars(module).get("load")):
            raise UsageError(f"the language of the package {self.package} has no load",
                             expected=f"{self.module}.load(path, parameters), which gives a graph")
        return module


TIME = Option("time", "pairs", "The attribute with the timestamps of the input NAME.",
              "NAME=ATTRIBUTE", instead="it names the time attributes of its sources itself")

ITERATIONS = Option("iterations", "int", "How many steady states to run; without it, to the end of "
                    "the files that are read, or one.", "N", instead="--limit N stops early")
TOP = Option("top", "text", "The stream that is the program.", "NAME")
TABLE_OUTPUT = Option("table_output", "flag", "Aggregate the tables, and print them at the end.")
IGNORE_UNDEFS = Option("ignore_undefs", "flag",
                       "Pass over statements that need an undefined value.")
INCLUDE_PATH = Option("include_path", "text", "Folders, with commas between them, in which to look "
                      "for included files that are not beside the one that includes them; "
                      "of StreamIt, for NAME.str where no file declares the stream NAME.",
                      "FOLDER,...")

TOOLKIT_PATH = Option("toolkit_path", "text", "Folders, with commas between them, in which to look "
                      "for toolkits that are not beside the program.", "FOLDER,...")

LANGUAGES = {
    ".py": Language("anabranch.lang.python"),
    ".river": Language("anabranch.lang.river"),
    ".cql": Language("anabranch.lang.cql", (TIME,)),
    ".szl": Language("anabranch.lang.sawzall", (TABLE_OUTPUT, IGNORE_UNDEFS, INCLUDE_PATH,
                                                  FILES)),
    ".str": Language("anabranch.lang.streamit", (ITERATIONS, TOP, INCLUDE_PATH, FILES)),
    ".spl": Language("anabranch.lang.spl", (TOOLKIT_PATH,)),
}


GROUP = "anabranch.languages"


def installed() -> Mapping[str, Language]:
    """The languages of other packages; none of them takes an extension of ours."""
    return _installed(tuple(sys.path))


@cache
def _installed(path: tuple[str, ...]) -> Mapping[str, Language]:
    # It takes a fifth of a second to import, which programs of ours need not wait for.
    from importlib.metadata import entry_points

    found = {f".{each.name.removeprefix('.')}": Language(each.value, package=each.dist.name)
             for each in entry_points(group=GROUP)}
    return {extension: each for extension, each in found.items() if extension not in LANGUAGES}


def known_language(extension: str) -> Language | None:
    """The language that has an extension, if there is one."""
    return LANGUAGES.get(extension) or installed().get(extension)


def language_of(path: Path) -> Language:
    """The language of a program file; a `UsageError` when there is none of its extension."""
    if not path.is_file():
        raise UsageError(f"there is no program {path}", help="give the path of a program file")
    found = known_language(path.suffix)
    if found is None:
        raise UsageError(f"no language has the extension '{path.suffix}'", str(path),
                         expected=" or ".join([*LANGUAGES, *installed()]))
    return found


def every_option() -> tuple[Option, ...]:
    """The options of all languages, each once, and the files that some of them take."""
    return tuple(dict.fromkeys((*(o for each in LANGUAGES.values() for o in each.options), FILES)))


def takers(option: Option) -> str:
    """The extensions of the languages with an option: '.cql, .szl'."""
    return ", ".join(name for name, each in LANGUAGES.items() if option in each.options)
