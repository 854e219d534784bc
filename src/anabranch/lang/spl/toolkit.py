"""The operators that programs know: standard ones, and those of folders.

A toolkit is a folder with the name of its namespace. In it `Words.toml` is the model of the
operator `Words`, and `Words.py` its implementation; without one it can be planned, and not be run.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from anabranch.core.errors import AnabranchError, ProgramError, did_you_mean
from anabranch.ir.graph import Annotation
from anabranch.ir.operators import Modelled, Source
from anabranch.ir.records import State
from anabranch.lang.spl import linking, syntax
from anabranch.lang.spl.building import (
    ITEM,
    Build,
    Model,
    fields_named,
    key_attributes,
    python_name,
    stateful,
)
from anabranch.lang.spl.composites import Instance
from anabranch.lang.spl.operators import (
    barriers,
    control,
    ends,
    joins,
    relational,
    split,
    windows,
)
from anabranch.lang.spl.types import field_name, record_of

TOOLKIT: dict[str, Model] = {model.name: model
                             for module in (relational, split, windows, joins, barriers,
                                            control, ends, linking)
                             for model in module.MODELS}
ENTRIES = {"state": str, "selectivity": list, "forwards": list, "key": str, "inputs": int,
           "outputs": int, "parameters": list}
STATES = ("stateless", "partitioned", "stateful")


def toolkit_of(program: syntax.Program, folders: Sequence[Path]) -> Mapping[str, Model]:
    """The operators of the standard toolkit, and of those that a program uses."""
    found = dict(TOOLKIT)
    for use in program.uses:
        namespace, _, name = use.text.partition("::")
        if _is_standard(namespace) or namespace == program.namespace:
            continue
        folder = _folder(namespace, folders)
        if folder is None:
            raise ProgramError(f"there is no toolkit {namespace}", use.span,
                               help="it is a folder of this name beside the program, or in "
                                    "--toolkit-path")
        models = {path.stem: path for path in sorted(folder.glob("*.toml"))}
        if name not in ("", "*", *models) and not any(folder.glob("*.spl")):
            raise ProgramError(f"{namespace} has no operator {name}", use.span,
                               help=did_you_mean(name, models))
        for each in models if name in ("", "*") else {name} & models.keys():
            found[each] = model_of(models[each])
    return found


def _is_standard(namespace: str) -> bool:
    return namespace == "spl" or namespace.startswith("spl.")


def _folder(namespace: str, folders: Sequence[Path]) -> Path | None:
    """The folder of a namespace: `a.b`, or `b` in `a`."""
    known = (f / name for f in folders for name in (namespace, namespace.replace(".", "/")))
    return next((each for each in known if each.is_dir()), None)


def with_files(program: syntax.Program, file: str, folders: Sequence[Path],
               parse: Callable[[Path], syntax.Program]) -> syntax.Program:
    """A program with what other files declare: those of its namespace beside it, and those of the
    namespaces that it uses. What it declares itself comes first, and alone has its main composite.
    """
    waiting, read = [(program, Path(file))], {Path(file).resolve()}
    others: list[syntax.Program] = []
    while waiting:
        current, path = waiting.pop(0)
        for other in _others(current, path, folders):
            if other.resolve() not in read:
                read.add(other.resolve())
                found = parse(other)
                others.append(found)
                waiting.append((found, other))
    known = {c.name.text for c in program.composites}
    types = {t.name.text for t in program.types}
    for other in others:
        program = replace(
            program, functions=(*program.functions, *other.functions),
            composites=(*program.composites, *(c for c in other.composites
                                               if c.name.text not in known)),
            types=(*program.types, *(t for t in other.types if t.name.text not in types)),
            uses=(*program.uses, *(u for u in other.uses if u not in program.uses)))
        known |= {c.name.text for c in other.composites}
        types |= {t.name.text for t in other.types}
    return program


def _others(program: syntax.Program, file: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """The files of the namespaces that a program is in and uses."""
    if program.namespace and file.is_file():
        pattern = re.compile(rf"^\s*namespace\s+{re.escape(program.namespace)}\s*;", re.MULTILINE)
        yield from (path for path in sorted(file.parent.glob("*.spl"))
                    if pattern.search(path.read_text(encoding="utf-8", errors="replace")))
    for use in program.uses:
        namespace = use.text.partition("::")[0]
        folder = None if _is_standard(namespace) else _folder(namespace, folders)
        if folder is not None:
            yield from sorted(folder.glob("*.spl"))


def model_of(path: Path) -> Model:
    """The model in a file."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProgramError(f"this operator model cannot be read: {error}", str(path)) from None
    for name, value in entries.items():
        if name not in ENTRIES or not isinstance(value, ENTRIES[name]):
            raise ProgramError(f"{name} is no entry of an operator model", str(path),
                               expected=", ".join(ENTRIES), got=repr(value))
    state = entries.get("state", "stateful")
    if state not in STATES:
        raise ProgramError(f"the state of {path.stem} is not known", str(path),
                           expected=" or ".join(STATES), got=state)
    ports = [(n, n) for n in (entries.get("inputs", 1), entries.get("outputs", 1))]
    return Model(path.stem, *ports, tuple(entries.get("parameters", ())), state,
                 str(entries.get("selectivity", "unknown")), _lowering(path, entries, state))


def _lowering(path: Path, entries: dict, state: str) -> Callable[[Instance, Build], None]:
    def lower(op: Instance, build: Build) -> None:
        key = _key(op, entries)
        if state == "partitioned" and not key:
            raise ProgramError(f"{op.operator} is partitioned, and nothing says by what", op.span,
                               help=f"give it the parameter {entries.get('key', 'key')}")
        notes = tuple(_declared(entries, state, key))
        program = path.with_suffix(".py")
        if not program.is_file():
            return _planned(op, build, notes)
        return _implemented(op, build, program, key, notes)
    return lower


def _key(op: Instance, entries: dict) -> tuple[str, ...]:
    setting = op.node.setting(entries.get("key", ""))
    if setting is None:
        return ()
    port = op.inputs[0] if op.inputs else op.outputs[0]
    found = key_attributes(setting.values, port)
    if found is None:
        raise ProgramError("a key is made of attributes", setting.values[0].span)
    return fields_named(found)


def _declared(entries: dict, state: str, key: tuple[str, ...]):
    """The properties of a model as the annotations by which check tries them."""
    if state == "stateless":
        yield Annotation("Stateless")
    if state == "partitioned":
        yield Annotation("Keys", key)
    if "selectivity" in entries:
        low, high = entries["selectivity"]
        yield Annotation("Selectivity", (low, None if high == "many" else high))
    if "forwards" in entries:
        yield Annotation("Forwards", tuple(map(field_name, entries["forwards"])))


def _planned(op: Instance, build: Build, notes: tuple[Annotation, ...]) -> None:
    """An operator of which the model alone is known."""
    queues = [build.queue(op, n) for n in range(len(op.inputs))]
    # What a source reads, --input can say.
    kind = Modelled() if op.inputs else Source(None, ends.event_time(op, build))
    build.builder.place(build.builder.unique(op.name), kind, queues,
                        [o.stream for o in op.outputs], [build.type_of(o) for o in op.outputs],
                        (*notes, *build.placements[op.name]), op.span)


def _implemented(op: Instance, build: Build, program: Path, key: tuple[str, ...],
                 notes: tuple[Annotation, ...]) -> None:
    if len(op.inputs) != 1 or len(op.outputs) != 1:
        raise ProgramError("an operator in Python has one input and one output", op.span)
    call, state = _functions(program, op)
    work, texts = build.work(op), []
    for setting in op.node.parameters:
        if key and key_attributes(setting.values, op.inputs[0]) is not None:
            continue
        values = [work.at(op.scope).constant(v) for v in setting.values]
        name = work.module.constant(values[0] if len(values) == 1 else tuple(values))
        texts.append(f"{setting.name.text}={name}")
    name = python_name(op.name)
    given = [f"s, {ITEM}" if state else ITEM, "Out", *texts]
    work.extra = {"call": call, "Out": record_of(op.outputs[0].type)}
    with work.lines.inside(f"def {name}({'s, ' if state else ''}{ITEM}):", op.span):
        work.lines.add(f"yield from call({', '.join(given)})", op.span)
    build.give(op, stateful(state, key)(work.function(name)), [build.queue(op)], 0, *notes)


def _functions(program: Path, op: Instance) -> tuple[Callable, type[State] | None]:
    """The function of a toolkit's file with the operator's name, and its state if it has one."""
    names: dict[str, object] = {"__name__": program.stem, "__file__": str(program)}
    try:
        exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), names)
    except AnabranchError:
        raise
    except Exception as error:
        raise ProgramError(f"loading {op.operator} raised {type(error).__name__}: {error}",
                           str(program)) from None
    call = names.get(op.operator)
    if not callable(call):
        raise ProgramError(f"there is no function {op.operator}", str(program))
    state = next((v for v in names.values() if isinstance(v, type) and issubclass(v, State)
                  and v is not State), None)
    return call, state


