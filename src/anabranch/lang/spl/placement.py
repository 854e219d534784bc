"""Annotations and configurations: obeyed through the plan, or refused by name.

`partitionColocation` fuses operators, `hostColocation` puts them on one machine, and `parallel`
says that an operator must be parallel: the plan does so, or refuses the program with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.ir.graph import Annotation, Graph
from anabranch.lang.spl import syntax
from anabranch.lang.spl.composites import Instance

REFUSED = {"catch": "--on-error says what becomes of malformed rows"}
WITHOUT_EFFECT = ("eventTime", "spldoc", "splTest", "view", "viewProducer", "consistent",
                  "autonomous", "threading")
"""What an annotation says that is so in any case: every run gives each tuple once, a stream goes on
where its checkpoint was, and the plan says who serves an operator."""
PLACES = {"partitionColocation": "Fuse", "hostColocation": "Group"}
APART = ("partitionExlocation", "partitionIsolation")
"""Not fused with others. Nothing is fused that does not say so, so it is checked only."""
HOSTS = ("host", "hostExlocation", "hostIsolation")
SETTINGS = ("restartable", "relocatable", "threadedPort", "logLevel", "tracing", "wrapper",
            "wrapperName", "defaultPoolSize", "checkpoint", "hostPool", "applicationScope",
            "inputTransport", "outputTransport", "profilingSampleRate", "tupleTrace", "fusionType",
            "profiling", "profile", "streamViewability", "dynamicThreading", "threadCount")
"""Configurations that say nothing of what a program gives, and how it runs the plan says; hosts are
those of `--master`."""


def annotations_of(op: Instance) -> tuple[Annotation, ...]:
    """What the plan is told of an operator."""
    found = []
    for note in op.notes:
        if note.name == "parallel":
            found.append(_parallel(note))
        elif note.name not in WITHOUT_EFFECT:
            raise ProgramError(f"the annotation @{note.name} is not supported", note.span,
                               help=REFUSED.get(note.name, "leave it out"))
    for setting in op.config:
        if setting.name.text in SETTINGS:
            continue
        if setting.name.text != "placement":
            raise ProgramError(f"the configuration {setting.name.text} is not supported",
                               setting.name.span,
                               help=did_you_mean(setting.name.text, ("placement", *SETTINGS)))
        for value in setting.values:
            found += _placed(value)
    # A composite and an operator in it may say the same.
    return tuple(dict.fromkeys(found))


def _parallel(note: syntax.Note) -> Annotation:
    """How many channels there are, `--workers` says; that there are several, the plan has to."""
    width = note.value("width")
    if width is None:
        raise ProgramError("parallel wants a width", note.span, expected="@parallel(width=4)")
    shown = width.value if isinstance(width, syntax.Number) else "..."
    for field in note.fields:
        if field.name.text not in ("width", "partitionBy", "broadcast", "replicateHostTags"):
            raise ProgramError(f"parallel takes no {field.name.text}", field.span,
                               expected="width or partitionBy")
    return Annotation("Parallel", written=f"@parallel(width={shown})")


def _placed(value: syntax.Node) -> list[Annotation]:
    name = _name(value)
    if name in (*APART, *HOSTS):
        return []
    if name in PLACES and isinstance(value, syntax.Invoke) and len(value.arguments) == 1 and (
            isinstance(value.arguments[0], syntax.Text)):
        group = value.arguments[0].value
        return [Annotation(PLACES[name], (group,), f'{name}("{group}")')]
    raise ProgramError("this is no placement", value.span,
                       expected=" or ".join(f'{place}("name")' for place in (*PLACES, APART[0])))


def _name(value: syntax.Node) -> str:
    if isinstance(value, syntax.Invoke):
        return value.function.text
    return value.text if isinstance(value, syntax.Name) else "this"


def with_channels(graph: Graph) -> Graph:
    """The graph where the parallel operators of a partition are fused with each other alone: there
    are several of each."""
    return graph.with_operators(
        replace(op, annotations=tuple(map(_in_channels, op.annotations)))
        if op.annotation("Parallel") else op for op in graph)


def _in_channels(mark: Annotation) -> Annotation:
    if mark.name != "Fuse":
        return mark
    return replace(mark, arguments=(f"{mark.arguments[0]} in parallel",))


def check_apart(found: Iterable[Instance]) -> None:
    """Operators that are to be apart are not in one partition."""
    seen: dict[tuple[str, str], str] = {}
    for op in found:
        places = [v for s in op.config if s.name.text == "placement" for v in s.values]
        together = {a.arguments[0] for v in places for a in _placed(v) if a.name == "Fuse"}
        for value in places:
            apart = _apart(value)
            for name in together if apart is not None else ():
                if seen.setdefault((apart, name), op.name) != op.name:
                    raise ProgramError(f"{op.name} and {seen[apart, name]} are to be apart and in "
                                       f'the partition "{name}"', value.span)


def _apart(value: syntax.Node) -> str | None:
    """Which operators one is to be apart from: those of a group, or any."""
    if _name(value) not in APART:
        return None
    given = value.arguments if isinstance(value, syntax.Invoke) else ()
    return str(given[0].value) if given and isinstance(given[0], syntax.Text) else ""
