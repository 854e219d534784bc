"""Programs in River: a `.river` file for the topology, `.py` beside it for functions.

The Python module has the functions, the record types, and the first value of each `$variable`
under the variable's name. Inputs and outputs are bound on the command line.
"""

from __future__ import annotations

import itertools
import linecache
import sys
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from anabranch.api.operator import OperatorDefinition
from anabranch.api.parameters import parameters as given_parameters
from anabranch.core.errors import AnabranchError, ProgramError, user_traceback
from anabranch.core.source import Span
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.text import parse
from anabranch.ir.verify import verify
from anabranch.lang.text import program_text

_serial = itertools.count(1)


def load(path: Path, parameters: Mapping[str, str]) -> Graph:
    """The graph of a `.river` file, with the functions of the module beside it."""
    path = Path(path)
    with given_parameters(dict(parameters)):
        names = _names(path.with_suffix(".py"), path)
    definitions = {n: v for n, v in names.items() if isinstance(v, OperatorDefinition)}
    kinds = {name: definition.kind() for name, definition in definitions.items()}
    graph = parse(program_text(path), {**names, **kinds}, names, str(path))
    declared = {id(kinds[n]): definitions[n].annotations for n in kinds}
    return verify(graph.with_operators(_declared(op, declared) for op in graph))


def _declared(op: Operator, declared: dict[int, tuple]) -> Operator:
    """Adds the properties that were declared where the function is defined."""
    return replace(op, annotations=op.annotations + declared.get(id(op.kind), ()))


def _names(module: Path, program: Path) -> dict[str, object]:
    """What the module beside the program defines."""
    if not module.is_file():
        raise ProgramError(f"there is no {module.name} beside {program.name}", str(program),
                           help=f"write the functions of the program in {module}")
    try:
        names = vars(_imported(module))
    except AnabranchError:
        raise
    except (Exception, SystemExit) as error:
        raise _failure(module, error) from error
    return {n: value for n, value in names.items() if not n.startswith("__")}


def _imported(path: Path) -> ModuleType:
    """The module, under a name that no import statement can mean.

    It stays registered, because annotations and pickles are resolved through `sys.modules`; the
    folder is importable only meanwhile. No bytecode is kept: it would outlive a quick edit.
    """
    module = ModuleType(f"river program {next(_serial)}: {path.stem}")
    module.__file__ = str(path)
    linecache.checkcache(str(path))
    folder = str(path.resolve().parent)
    sys.modules[module.__name__] = module
    sys.path.insert(0, folder)
    try:
        exec(compile(program_text(path), str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    finally:
        sys.path.remove(folder)
    return module


def _failure(path: Path, error: BaseException) -> ProgramError:
    """Our error for what the user's module raised while it was imported."""
    if isinstance(error, SyntaxError):
        where = Span(error.filename or str(path), error.lineno or 1, max(error.offset or 1, 1) - 1)
        return ProgramError(f"{path.name} cannot be read: {error.msg}", where)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return ProgramError(f"importing {path.name} raised {type(error).__name__}: {error}",
                        Span(str(path), lines[-1]) if lines else str(path),
                        below="\n" + user_traceback(error))
