"""The state of a bucket in Spark's state store: pages, and what they are pages of.

Each batch appends a page with the keys that it touched; when such pages have outgrown it, one page
with all keys takes their place. What the pages are of is noted beside them: the keys of operators,
the fields of their states. A program that has changed goes on from them, or is refused by name.
A page is JSON with tags, so reading it runs no code.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from anabranch.batch.value_codec import encode, standing_for
from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.engine.spark.frames.held import ANEW
from anabranch.engine.spark.stream.pages import ROWS, remembering
from anabranch.ir.graph import Operator
from anabranch.ir.records import Record, State
from anabranch.ir.types import AnyOf, RecordOf, annotations_of, type_of
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
    """What the pages are pages of: the keys of each operator, and the fields of its state."""
    operators = [op for serving in worker.serving for op in serving.stage.operators
                 if op.variables]
    keys = {op.name: [[name, *_types(worker, queue, name)] for queue, key in _keys(op)
                      for name in key] for op in operators}
    states = {full: {name: str(kind) for name, kind in _fields(cls).items()}
              for serving in worker.serving for full, cls in classes_of(serving).items()}
    return {"keys": keys, "states": states, "kinds": {op.name: op.kind.label for op in operators},
            "windows": {op.name: window_of(op) for op in operators if window_of(op)}}


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


def _fields(cls: type) -> dict[str, object]:
    """The fields of a state; a type that is none of ours is known by its text."""
    found = {}
    for name, hint in annotations_of(cls).items():
        try:
            found[name] = type_of(hint)
        except Exception:
            found[name] = hint
    return found


def check_same(saved: dict, now: dict, worker: PartWorker) -> None:
    """Refuses a program whose keys or fields of states have become others."""
    spans = {op.name: op.span for serving in worker.serving for op in serving.stage.operators}
    for name, keys in saved["keys"].items():
        if name in now["keys"] and now["keys"][name] != keys:
            raise changed(f"the key of '{name}' is another one", spans[name], keys,
                          now["keys"][name])
        if name not in now["kinds"] and name not in worker.task.dropped:
            raise gone(name, now, worker)
        if saved.get("windows", {}).get(name) != now["windows"].get(name) and (
                "windows" in saved and name in now["kinds"]):
            raise RunError(f"the stream's checkpoint is of another program: '{name}' has another "
                           "window, or computes something else", spans[name],
                           expected=saved["windows"].get(name, "no window"),
                           got=now["windows"].get(name, "no window"), help=ANEW)
        if name in now["kinds"] and now["kinds"][name] != saved["kinds"][name]:
            raise RunError(f"the stream's checkpoint is of another program: '{name}' has become "
                           "another operator", spans[name], expected=saved["kinds"][name],
                           got=now["kinds"][name], help=ANEW)
    states = {cls.partition(":")[2]: own for cls, own in now["states"].items()}
    for cls, before in saved["states"].items():
        for name, kind in states.get(cls.partition(":")[2], {}).items():
            if before.get(name, kind) != kind:
                raise RunError(f"the stream's checkpoint has '{name}' of {cls.partition(':')[2]} "
                               "with another type", None, expected=before[name], got=kind,
                               help="give the new field a new name, or " + ANEW)


def changed(what: str, where: Span | None, before: list, after: list) -> RunError:
    shown = [", ".join(": ".join(part) for part in key) or "none" for key in (before, after)]
    return RunError(f"the stream's checkpoint is of another program: {what}", where,
                    expected=shown[0], got=shown[1], help=ANEW)


def gone(name: str, now: dict, worker: PartWorker) -> RunError:
    """The error about an operator whose state nobody would take."""
    where = worker.serving[0].stage.operators[0].span if worker.serving else None
    return RunError(f"the stream's checkpoint has the state of '{name}', which is not here any "
                    "more", where, expected=name, got=", ".join(now["kinds"]) or "no state",
                    help=f"if it has another name now, give it the old one: apply(..., "
                         f"name='{name}'); if nobody needs its state, to_spark(dropped=['{name}']);"
                         f" or {ANEW}")


def classes_of(serving: Serving) -> dict[str, type]:
    """The classes of states and records that the state of a stage may have, by the names under
    which they are saved."""
    graph, found = serving.task.graph, {}
    operators = [op for op in serving.stage.operators if op.variables]
    hints = [each for op in operators for each in (
        getattr(op.kind, "state", None), *(graph.queue(queue).type for queue in op.inputs))]
    while hints:
        hint = hints.pop()
        cls = hint.cls if isinstance(hint, RecordOf) else hint
        hints += typing.get_args(hint)
        if isinstance(cls, type) and issubclass(cls, (Record, State)) and _full(cls) not in found:
            found[_full(cls)] = cls
            hints += _hints(cls)
    return found


def _full(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _hints(cls: type) -> list:
    try:
        return list(annotations_of(cls).values())
    except Exception:
        # What cannot be resolved here names no class that the state could be made of.
        return []


def named_as_saved(saved: dict, now: dict[str, type]) -> dict[str, type]:
    """The classes by the names of the saved ones. A program that was run is a module when it is
    imported: then its classes stand in another one."""
    inner = {name.partition(":")[2]: cls for name, cls in now.items()}
    return {name: now.get(name, inner.get(name.partition(":")[2])) for name in saved["states"]
            if name in now or name.partition(":")[2] in inner}


def in_fields(page: bytes, saved: dict[str, dict[str, str]], now: dict[str, type]) -> bytes:
    """The page with states as the program has them now: new fields have their defaults, others that
    are no more are left out."""
    others = {name: (list(fields), now[name]) for name, fields in saved.items()
              if name in now and list(fields) != list(now[name].__record_fields__)}
    if not others:
        return page
    return json.dumps(_moved(json.loads(page), others), separators=(",", ":")).encode()


def _moved(value: object, others: dict) -> object:
    if not isinstance(value, list):
        return value
    if value[:1] in (["state"], ["record"]) and value[1] in others:
        names, cls = others[value[1]]
        kept = dict(zip(names, (_moved(each, others) for each in value[2])))
        return [value[0], value[1], [kept[name] if name in kept else _default(cls, name)
                                     for name in cls.__record_fields__]]
    return [_moved(each, others) for each in value]


def _default(cls: type, name: str) -> object:
    """What a field that is new begins with, as a page has it."""
    value = cls.__record_fields__[name] if issubclass(cls, Record) else cls().__getstate__()[name]
    if value is ...:
        raise RunError(f"the stream's checkpoint has items of {cls.__name__} without '{name}', "
                       "which is new", expected=f"a default for {cls.__name__}.{name}",
                       got="no default", help=f"give the field a default, or {ANEW}")
    return json.loads(encode(value))
