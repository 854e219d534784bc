"""Programs in Python: a module that builds streams; running the file builds the graph."""

from __future__ import annotations

import linecache
import runpy
import sys
from collections.abc import Mapping
from pathlib import Path

from anabranch.api.node import graph_of, loading_program
from anabranch.api.parameters import parameters as given_parameters
from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.core.extras import advice
from anabranch.core.source import Span
from anabranch.ir.graph import Graph
from anabranch.ir.operators import Sink
from anabranch.lang.failure import not_loaded


def load(path: Path, parameters: Mapping[str, str]) -> Graph:
    """Runs the file as a script would be run, its own folder importable, and takes its sinks."""
    linecache.checkcache(str(path))
    with loading_program() as nodes, given_parameters(dict(parameters)):
        _run(path)
    sinks = [n for n in nodes if isinstance(n.kind, Sink)]
    if not sinks:
        raise ProgramError(f"{path} has no sink", str(path),
                           help="end a stream with write_csv(...), write_stdout(), ...")
    return graph_of(sinks)


def _run(path: Path) -> None:
    sys.path.insert(0, str(path.resolve().parent))
    try:
        runpy.run_path(str(path), run_name="__main__")
    except AnabranchError:
        raise
    except SyntaxError as error:
        where = Span(error.filename or str(path), error.lineno or 1, max(error.offset or 1, 1) - 1)
        raise ProgramError(f"the program cannot be read: {error.msg}", where) from None
    except SystemExit as error:
        if error.code not in (None, 0):
            raise ProgramError(f"the program ended itself with sys.exit({error.code!r})",
                               str(path)) from None
    except ModuleNotFoundError as error:
        raise not_loaded(str(path), error, advice(error.name)) from error
    except Exception as error:
        raise not_loaded(str(path), error) from error
    finally:
        sys.path.remove(str(path.resolve().parent))

