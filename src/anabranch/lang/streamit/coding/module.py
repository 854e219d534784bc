"""A generated text as functions: in plain Python, with the user's line behind every line."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.errors import RunError
from anabranch.ir.function import GENERATED
from anabranch.lang.streamit.coding.constants import PLAIN, Constants
from anabranch.lang.streamit.running.plain import SCOPE
from anabranch.source import Span

_serial = itertools.count(1)


@dataclass(frozen=True)
class Module:
    """Generated functions. `spans` has the user's line for every line of the text."""

    text: str
    spans: tuple[Span | None, ...]
    constants: Constants
    scope: dict[str, object] = field(default_factory=dict)

    def plain(self) -> dict[str, Callable]:
        """The functions in plain Python; a failure names the user's line."""
        file = f"<streamit {next(_serial)}>"
        names = {"__name__": GENERATED, **SCOPE, **self.constants.bindings(PLAIN), **self.scope}
        exec(compile(self.text, file, "exec"), names)
        return {name: self._located(value, file) for name, value in names.items()
                if callable(value) and getattr(value, "__module__", None) == GENERATED}

    def _located(self, function: Callable, file: str) -> Callable:
        def located(*arguments: object) -> object:
            try:
                return function(*arguments)
            except RunError as error:
                error.where = error.where or self._span(error, file)
                raise
            except (OverflowError, RecursionError, MemoryError) as error:
                raise RunError(f"the program cannot go on: {error}",
                               self._span(error, file)) from None
        return located

    def _span(self, error: BaseException, file: str) -> Span | None:
        """The user's line of the innermost generated line that was running."""
        found, trace = None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == file:
                found = self.spans[trace.tb_lineno - 1]
            trace = trace.tb_next
        return found
