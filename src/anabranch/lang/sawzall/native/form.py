"""The compiled form of a program: when it is taken, a physical plan says."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.ir.function import Function
from anabranch.lang.common.codegen import function
from anabranch.lang.sawzall.library.body import Compiled
from anabranch.lang.sawzall.native.lowering import LoopLowering
from anabranch.plan.logical.plan import Reason

if TYPE_CHECKING:
    from anabranch.lang.sawzall.native.loop import CountingLoop


def body_of(program: Compiled, span: Span | None) -> Function:
    """The function of the operator that runs a program over blocks of lines."""
    return function("lambda block: program.outputs(block)", span, {"program": program})


@dataclass(frozen=True)
class LoopForm:
    """The compiled loop of a program that reads some files: see `ir.operators.CompiledForm`."""

    lowering: LoopLowering | Reason
    compiled: Compiled
    files: tuple[str, ...]

    @property
    def why_not(self) -> str:
        return self.lowering.text if isinstance(self.lowering, Reason) else ""

    @property
    def span(self) -> Span | None:
        return self.lowering.span if isinstance(self.lowering, Reason) else None

    def size(self) -> int:
        return sum(os.path.getsize(file) for file in self.files if os.path.isfile(file))

    @once
    def function(self) -> Function:
        return body_of(replace(self.compiled, counting=self._loop.run), None)

    def is_saved(self) -> bool:
        return self._loop.is_saved()

    def warm(self) -> None:
        self._loop.warm()

    @once
    def _loop(self) -> CountingLoop:
        # The compiler is loaded only for those who need it.
        from anabranch.lang.sawzall.native.loop import counting

        return counting(self.lowering, self.compiled.main.__globals__)
