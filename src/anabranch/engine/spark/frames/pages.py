"""The state of a bucket in Spark's state store: pages, and what they are pages of.

Each batch appends a page with the keys that it touched; when such pages have outgrown it, one page
with all keys takes their place. What the pages are of is noted beside them: the keys of operators,
the fields of their states. A program that has changed goes on from them, or is refused by name.
A page is JSON with tags, so reading it runs no code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING
from uuid import uuid4

from anabranch.batch.value_codec import encode, standing_for
from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.engine.spark.stream.pages import ROWS, Remembering, remembering
from anabranch.ir.graph import Operator
from anabranch.ir.types import AnyOf, RecordOf, annotations_of, type_of
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
            if stage in stages:
                classes = named_as_saved(saved, states_of(stages[stage]))
                moved = [ROWS + in_fields(page[1:], saved["states"], classes) for page in own]
                with standing_for(classes):
                    in_rows(stages[stage].line).adopt(moved)

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


def in_rows(runner: object) -> Remembering:
    """The state of a stage in pages of plain rows, whoever has it."""
    return remembering(runner) if isinstance(runner, (Line, Rounds)) else KernelPages(runner)


class KernelPages:
    """The state of a stage that has a kernel. Its pages are those of plain rows: whatever the
    program becomes can read them, and a kernel's own are for this kernel."""

    form = ROWS

    def __init__(self, runner: KernelLine):
        self.runner, self.rows = runner, remembering(runner.line)
        self.track, self.adopt = self.rows.track, self.rows.adopt

    def page(self, every: bool) -> bytes | None:
        if not self.runner.native:
            return self.rows.page(every)
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
              for serving in worker.serving for full, cls in states_of(serving).items()}
    return {"keys": keys, "states": states, "kinds": {op.name: op.kind.label for op in operators}}


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
        if name in now["kinds"] and now["kinds"][name] != saved["kinds"][name]:
            raise RunError(f"the stream's checkpoint is of another program: '{name}' has become "
                           "another operator", spans[name], expected=saved["kinds"][name],
                           got=now["kinds"][name], help=ANEW)
    states = {cls.partition(":")[2]: fields for cls, fields in now["states"].items()}
    for cls, fields in saved["states"].items():
        for name, kind in states.get(cls.partition(":")[2], {}).items():
            if fields.get(name, kind) != kind:
                raise RunError(f"the stream's checkpoint has '{name}' of {cls.partition(':')[2]} "
                               "with another type", None, expected=fields[name], got=kind,
                               help="give the new field a new name, or " + ANEW)


ANEW = "give the query another checkpointLocation, which begins anew"


def changed(what: str, where: Span | None, before: list, after: list) -> RunError:
    shown = [", ".join(": ".join(part) for part in key) or "none" for key in (before, after)]
    return RunError(f"the stream's checkpoint is of another program: {what}", where,
                    expected=shown[0], got=shown[1], help=ANEW)


def states_of(serving: Serving) -> dict[str, type]:
    """The classes of states of a stage, by the names under which they are saved."""
    found = [getattr(op.kind, "state", None) for op in serving.stage.operators]
    return {f"{cls.__module__}:{cls.__qualname__}": cls for cls in found if isinstance(cls, type)}


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
    if value[:1] == ["state"] and value[1] in others:
        names, cls = others[value[1]]
        fields = dict(zip(names, (_moved(each, others) for each in value[2])))
        defaults = cls().__getstate__()
        values = [fields[name] if name in fields else json.loads(encode(defaults[name]))
                  for name in cls.__record_fields__]
        return ["state", value[1], values]
    return [_moved(each, others) for each in value]
