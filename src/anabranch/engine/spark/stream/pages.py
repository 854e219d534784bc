"""The state of a stage in pages: the touched keys of each batch, or every key.

A page is the text of `codec`, or, where a kernel holds the state, what the kernel makes of it; no
page holds code. The first byte says which of them it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from struct import Struct
from typing import Protocol

from anabranch.batch.value_codec import decode, encode
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Cell, Keyed
from anabranch.kernels.checkpoint import Tracked
from anabranch.runtime.stage.kernel import Places
from anabranch.runtime.stage.rounds import Rounds
from anabranch.runtime.stage.rows import Line

ROWS, KERNEL = b"R", b"K"


class Remembering(Protocol):
    """What has a state that outlives a batch."""

    form: bytes

    def track(self) -> None:
        """From now on, touched keys are noted."""

    def page(self, every: bool) -> bytes | None:
        """The keys touched since the last page, or every key; None when there is nothing."""

    def adopt(self, pages: list[bytes]) -> None:
        """Takes in pages, oldest first, on top of what is remembered."""


@singledispatch
def remembering(runner: object) -> Remembering:
    # Numba takes half a second to import; it is there already if there is a kernel.
    from anabranch.runtime.stage.kernel import KernelLine

    if isinstance(runner, KernelLine):
        return InKernel(runner) if runner.native else BeforeKernel(runner)
    raise TypeError(f"the state of a {type(runner).__name__} cannot be saved")


@remembering.register
def _of_line(line: Line) -> Remembering:
    variables = [SavedVariable(step.op, cell, step.first)
                 for step in line.steps for cell in step.cells]

    def reopen() -> None:
        line.adopt(line.state())
    return Variables(variables, reopen)


@remembering.register
def _of_rounds(rounds: Rounds) -> Remembering:
    users = {v: op for op in rounds.graph for v in op.variables}
    variables = [SavedVariable(users[name], cell, None) for name, cell in rounds.cells.items()]
    return Variables(variables, rounds.reopen)


class SavedVariable:
    """A variable of an operator; `first` has the place at which each of its keys came first."""

    def __init__(self, op: Operator, cell: Cell, first: dict | None):
        self.cell, self.first, self.operator = cell, first, op.name
        self.keyed = isinstance(op.kind, Keyed) and op.kind.stateful and isinstance(cell.value,
                                                                                    dict)

    @property
    def is_tracked(self) -> bool:
        return not self.keyed or isinstance(self.cell.value, Tracked)

    def track(self) -> None:
        if not self.is_tracked:
            self.cell.value = Tracked(self.cell.value)

    def entries(self, every: bool) -> list:
        """Keys with their states and first places, in the order of first appearance."""
        touched = self.cell.value.taken()
        chosen = self.cell.value.items() if every else ((key, own) for _, key, own in touched)
        return [[key, own, self.first.get(key) if self.first is not None else None]
                for key, own in chosen]

    def put(self, entries: list) -> None:
        for key, own, first in entries:
            self.cell.value[key] = own
            if self.first is not None:
                self.first[key] = first


class Variables:
    """Variables of the rows tier. Maps of keys are saved by key, all else as it is."""

    form = ROWS

    def __init__(self, variables: list[SavedVariable], reopen: Callable[[], None]):
        self.variables, self.reopen = variables, reopen

    def track(self) -> None:
        for variable in self.variables:
            variable.track()
        self.reopen()

    def page(self, every: bool) -> bytes | None:
        if not all(v.is_tracked for v in self.variables):
            # They were put here from elsewhere, so any key may have been touched.
            self.track()
            every = True
        saved = [v.entries(every) if v.keyed else v.cell.value for v in self.variables]
        if not any(saved) and all(v.keyed for v in self.variables):
            return None
        return ROWS + encode(saved)

    def adopt(self, pages: list[bytes]) -> list[object]:
        """Also gives the places at which the keys of the pages came first."""
        came = []
        for page in pages:
            for variable, saved in zip(self.variables, decode(page[1:])):
                if variable.keyed:
                    variable.put(saved)
                    came += [first for _, _, first in saved if first is not None]
                else:
                    variable.cell.value = saved
        self.reopen()
        return came

    def put(self, names: list[str], pages: list[bytes]) -> None:
        """Takes in what pages have of the operators of these names alone."""
        for page in pages:
            for name, saved in zip(names, decode(page)):
                for variable in (v for v in self.variables if v.operator == name):
                    if variable.keyed:
                        variable.put(saved)
                    else:
                        variable.cell.value = saved
        self.reopen()


class BeforeKernel:
    """A stage that has a kernel, as long as plain rows hold its state."""

    form = ROWS

    def __init__(self, runner):
        self.runner, self.rows = runner, remembering(runner.line)
        self.track, self.page = self.rows.track, self.rows.page

    def adopt(self, pages: list[bytes]) -> None:
        if pages[-1][:1] == KERNEL:
            InKernel(self.runner).adopt(pages)
            return
        came = self.rows.adopt(pages)
        if self.runner.places:
            self.runner.places.learn(came)


class InKernel:
    """A stage whose state is in its kernel. A page begins with the slices in which keys came first,
    where that is asked for: the kernel knows them by numbers."""

    form = KERNEL

    def __init__(self, runner):
        self.runner = runner

    def track(self) -> None:
        """The kernel does."""

    def page(self, every: bool) -> bytes | None:
        kernel, memory = self.runner.kernel, self.runner.memory
        slices = b""
        if self.runner.places:
            slices = encode(self._slices(every))
        return KERNEL + _LENGTH.pack(len(slices)) + slices + kernel.changed(memory, every)

    def adopt(self, pages: list[bytes]) -> None:
        runner = self.runner
        parts = [_parts(page) for page in pages]
        for slices in filter(None, (slices for slices, _ in parts)):
            self._restore(decode(slices))
        saved = [state for _, state in parts]
        runner.memory = runner.kernel.updated(runner.memory, saved) if runner.native else \
            runner.kernel.restored(saved)
        runner.native = True

    def _slices(self, every: bool) -> list:
        places = self.runner.places
        if every:
            places.keep(self.runner.kernel.firsts(self.runner.memory))
        first = 0 if every else places.noted
        places.noted = len(places.starts)
        return [every, *places.saved(first)]

    def _restore(self, slices: list) -> None:
        every, *saved = slices
        if every:
            self.runner.places = Places()
        self.runner.places.restore(saved)
        self.runner.places.noted = len(self.runner.places.starts)


_LENGTH = Struct("<I")


def _parts(page: bytes) -> tuple[bytes, bytes]:
    """The slices and the state that a kernel's page has."""
    (length,) = _LENGTH.unpack_from(page, len(KERNEL))
    start = len(KERNEL) + _LENGTH.size
    return page[start:start + length], page[start + length:]
