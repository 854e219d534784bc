"""The state of a bucket in Spark's state store: pages, and what they are pages of.

Each batch appends a page with the keys that it touched; when such pages have outgrown it, one page
with all keys takes their place. What the pages are of is noted beside them: the keys of operators,
the fields of their states. A program that has changed goes on from them, or is refused by name.
A page is JSON with tags, so reading it runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from anabranch.batch.value_codec import encode, standing_for
from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.engine.spark.fields import classes_in, in_fields, named_as_saved, noted
from anabranch.engine.spark.frames.held import ANEW
from anabranch.engine.spark.stream.pages import ROWS, remembering
from anabranch.ir.graph import Operator
from anabranch.ir.types import AnyOf, RecordOf
from anabranch.ir.windows import AggregateWindow, WatermarkWindow, Window
from anabranch.runtime.stage.rounds import Rounds
from anabranch.runtime.stage.rows import Line

if TYPE_CHECKING:
    from anabranch.engine.spark.frames.tasks import PartWorker, Serving
    from anabranch.runtime.stage.kernel import KernelLine

SMALL = 1 << 16
LONGEST = 64
"""So many pages with touched keys a bucket may have."""


class BucketPages:
    """The state of the bucket that is at work, as the store has it."""

    def __init__(self, handle):
        self.pages = handle.getListState("pages", "stage string, page binary")
        self.head = handle.getValueState(
            "head", "version string, about string, whole bigint, changes bigint, count int")
        self.is_old = False

    def version(self) -> str | None:
        head = self.head.get() if self.head.exists() else None
        return None if head is None else head[0]

    def size(self) -> int:
        """The bytes of the pages that the bucket has."""
        if not self.head.exists():
            return 0
        _, _, whole, changes, _ = self.head.get()
        return whole + changes

    def load(self, worker: PartWorker) -> None:
        """Gives the stages the state that is kept. Pages of other fields are written anew by the
        next `save`: what is noted beside the pages holds for all of them."""
        self.is_old = False
        stages = {name_of(serving): serving for serving in worker.serving if remembers(serving)}
        for serving in stages.values():
            in_rows(serving.line).track()
        if not self.head.exists():
            return
        saved = json.loads(self.head.get()[1])
        now = about(worker)
        check_same(saved, now, worker)
        self.is_old = saved["states"] != now["states"]
        pages: dict[str, list[bytes]] = {}
        for stage, page in self.pages.get():
            pages.setdefault(stage, []).append(bytes(page))
        for stage, own in pages.items():
            for serving in stages.values():
                take_in(serving, named_in(stage, saved["kinds"]), own, saved)

    def save(self, worker: PartWorker, bucket: int) -> str:
        """Keeps what has changed; the name of the version that is there now."""
        _, _, whole, changes, count = self.head.get() if self.head.exists() else (
            None, None, 0, 0, 0)
        made = list(_pages(worker, every=False))
        size = sum(len(page) for _, page in made)
        patience = 1 + bucket % 16 / 16
        if self.is_old or changes + size > patience * whole + SMALL or (
                count >= patience * LONGEST):
            made = list(_pages(worker, every=True))
            self.pages.put(made)
            whole, changes, count = sum(len(page) for _, page in made), 0, 0
            self.is_old = False
        elif made:
            self.pages.appendList(made)
            changes, count = changes + size, count + 1
        version = uuid4().hex
        self.head.update((version, json.dumps(about(worker)), whole, changes, count))
        return version


def named_in(stage: str, names: Iterable[str]) -> list[str]:
    """The operators of a stage that is called by them.

    >>> named_in("b c d", ["a", "b c", "d", "e"])
    ['b c', 'd']
    """
    names = list(names)
    spans = ((n, m) for n in range(len(names)) for m in range(n + 1, len(names) + 1))
    return next((names[n:m] for n, m in spans if " ".join(names[n:m]) == stage), [stage])


def take_in(serving: Serving, names: list[str], pages: list[bytes], saved: dict) -> None:
    """Gives a stage what the pages have of its operators, wherever these stood before."""
    own = [op.name for op in serving.stage.operators if op.variables]
    places = [n for n, name in enumerate(names) if name in own]
    if not places:
        return
    classes = named_as_saved(saved, classes_of(serving))
    moved = [in_fields(page[1:], saved["states"], classes) for page in pages]
    with standing_for(classes):
        if names == own:
            in_rows(serving.line).adopt([ROWS + page for page in moved])
        else:
            in_rows(serving.line).variables.put([names[n] for n in places],
                                                [only(page, places) for page in moved])


def only(page: bytes, places: Iterable[int]) -> bytes:
    """The page without the other operators' part.

    >>> only(encode([1, 2, 3]), [0, 2])
    b'["list",[1,3]]'
    """
    _, parts = json.loads(page)
    return json.dumps(["list", [parts[n] for n in places]], separators=(",", ":")).encode()


def in_rows(runner: object) -> RowPages | KernelPages:
    """The state of a stage in pages of plain rows, whoever has it."""
    return RowPages(runner) if isinstance(runner, (Line, Rounds)) else KernelPages(runner)


class RowPages:
    """The state of a stage in plain rows."""

    def __init__(self, runner: Line | Rounds):
        self.variables = own = remembering(runner)
        self.track, self.adopt, self.page = own.track, own.adopt, own.page


class KernelPages:
    """The state of a stage that has a kernel. Its pages are those of plain rows: whatever the
    program becomes can read them, and a kernel's own are for this kernel."""

    def __init__(self, runner: KernelLine):
        self.runner, self.variables = runner, remembering(runner.line)
        self.track, self.adopt = self.variables.track, self.variables.adopt

    def page(self, every: bool) -> bytes | None:
        if not self.runner.native:
            return self.variables.page(every)
        kernel = self.runner.kernel
        changed = kernel.to_rows(kernel.restored([kernel.changed(self.runner.memory, every)]))
        saved = [[[key, own, None] for key, own in changed.cells[name].value.items()]
                 for op in self.runner.operators for name in op.variables]
        return ROWS + encode(saved) if any(saved) else None


def _pages(worker: PartWorker, every: bool) -> Iterator[tuple[str, bytes]]:
    for serving in filter(remembers, worker.serving):
        page = in_rows(serving.line).page(every)
        if page is not None:
            yield name_of(serving), page


def remembers(serving: Serving) -> bool:
    return any(op.variables for op in serving.stage.operators)


def name_of(serving: Serving) -> str:
    """The operators whose state the pages of a stage have, in their order."""
    return " ".join(op.name for op in serving.stage.operators if op.variables)


def about(worker: PartWorker) -> dict:
    """What the pages are pages of: the keys of each operator, the fields of its state, and what its
    functions were."""
    every = [op for serving in worker.serving for op in serving.stage.operators]
    operators = [op for op in every if op.variables]
    functions = {op.name: worker.task.functions.get(op.name) for op in every}
    keys = {op.name: [[name, *_types(worker, queue, name)] for queue, key in _keys(op)
                      for name in key] for op in operators}
    states = noted(each for serving in worker.serving for each in classes_of(serving).items())
    return {"keys": keys, "states": states, "kinds": {op.name: op.kind.label for op in operators},
            "windows": {op.name: window_of(op) for op in operators if window_of(op)},
            "functions": functions}


def window_of(op: Operator) -> str | None:
    """What an aggregate computes over which window: its state is that of these folds."""
    kind = op.kind.of if isinstance(op.kind, WatermarkWindow) else op.kind
    if not isinstance(kind, AggregateWindow):
        return None
    size = replace(kind.window, late="error")
    calls = (f"{name} = {call.aggregate.__name__}" for name, call in kind.calls)
    return f"{', '.join(calls)} over {_plainly(size)}"


def _plainly(window: Window) -> str:
    """
    >>> _plainly(Window(10, 5, "at"))
    'Window(size=10, step=5, on=at, partial=True)'
    """
    parts = ((own.name, getattr(window, own.name)) for own in fields(window))
    shown = (f"{name}={value}" for name, value in parts
             if isinstance(value, (int, float, str, timedelta)) and name != "late")
    return f"{type(window).__name__}({', '.join(shown)})"


def _keys(op: Operator) -> Iterator[tuple[str, tuple[str, ...]]]:
    for port, queue in enumerate(op.inputs):
        keys_of = getattr(op.kind, "keys_of", None)
        yield queue, tuple(keys_of(port) or ()) if keys_of is not None else ()


def _types(worker: PartWorker, queue: str, name: str) -> list[str]:
    kind = worker.task.graph.queue(queue).type
    if isinstance(kind, AnyOf):
        return ["?"]
    return [str(kind.fields.get(name, AnyOf()))] if isinstance(kind, RecordOf) else [str(kind)]


def check_same(saved: dict, now: dict, worker: PartWorker) -> None:
    """Refuses a program whose keys or fields of states have become others."""
    spans = {op.name: op.span for serving in worker.serving for op in serving.stage.operators}
    for _, error in refusals(saved, now, spans, worker.task.dropped):
        raise error


def refusals(saved: dict, now: dict, spans: Mapping[str, Span | None], dropped: Container[str]
             ) -> Iterator[tuple[str, RunError]]:
    """What of a program cannot go on from what is saved, by operator or class of a state."""
    for name, keys in saved["keys"].items():
        if name not in now["kinds"]:
            if name not in dropped:
                yield name, gone(name, now, next(iter(spans.values()), None))
            continue
        if now["keys"][name] != keys:
            yield name, other(f"the key of '{name}' is another one", spans[name],
                              *map(_shown, (keys, now["keys"][name])))
        if now["kinds"][name] != saved["kinds"][name]:
            yield name, other(f"'{name}' has become another operator", spans[name],
                              saved["kinds"][name], now["kinds"][name])
        windows = [each.get("windows", {}).get(name, "no window") for each in (saved, now)]
        if "windows" in saved and windows[0] != windows[1]:
            yield name, other(f"'{name}' has another window, or computes something else",
                              spans[name], *windows)
    states = {cls.partition(":")[2]: own for cls, own in now["states"].items()}
    for cls, before in saved["states"].items():
        known = cls.partition(":")[2]
        for name, kind in states.get(known, {}).items():
            if before.get(name, kind) != kind:
                yield known, RunError(
                    f"the stream's checkpoint has '{name}' of {known} with another type", None,
                    expected=before[name], got=kind,
                    help="give the new field a new name, or " + ANEW)


def _shown(keys: list) -> str:
    return ", ".join(": ".join(part) for part in keys) or "none"


def other(what: str, where: Span | None, before: str, after: str) -> RunError:
    return RunError(f"the stream's checkpoint is of another program: {what}", where,
                    expected=before, got=after, help=ANEW)


def gone(name: str, now: dict, where: Span | None) -> RunError:
    """The error about an operator whose state nobody would take."""
    return RunError(f"the stream's checkpoint has the state of '{name}', which is not here any "
                    "more", where, expected=name, got=", ".join(now["kinds"]) or "no state",
                    help=f"if it has another name now, give it the old one: apply(..., "
                         f"name='{name}'); if nobody needs its state, to_spark(dropped=['{name}']);"
                         f" or {ANEW}")


def classes_of(serving: Serving) -> dict[str, type]:
    return classes_in(serving.task.graph, serving.stage.operators)
