"""Annotations and configurations: obeyed through the plan, or refused by name.

`partitionColocation` fuses operators, `hostColocation` puts them on one machine, and `parallel`
says that an operator must be parallel: the plan does so, or refuses the program with its reason.
"""

from __future__ import annotations

from anabranch.core.errors import ProgramError
from anabranch.ir.graph import Annotation
from anabranch.lang.spl import syntax
from anabranch.lang.spl.composites import Instance

REFUSED = {
    "threading": "leave it out: the plan says who serves an operator",
    "catch": "--on-error says what becomes of malformed rows"}
WITHOUT_EFFECT = ("eventTime", "spldoc", "splTest", "view", "viewProducer", "consistent",
                  "autonomous")
"""What an annotation says that is so in any case: every run gives each tuple once, and a stream
goes on where its checkpoint was."""
PLACES = {"partitionColocation": "Fuse", "hostColocation": "Group"}
NO_PLACES = ("partitionExlocation", "partitionIsolation", "hostExlocation", "hostIsolation", "host")
SETTINGS = ("restartable", "relocatable", "threadedPort", "logLevel", "tracing", "wrapperName",
            "defaultPoolSize", "checkpoint")
"""Configurations that say nothing of what a program gives, and how it runs the plan says."""
NO_SETTINGS = {"hostPool": "leave it out: --master names a cluster"}


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
                               setting.name.span, help=NO_SETTINGS.get(setting.name.text,
                                                                       "leave it out"))
        found += [_placed(value) for value in setting.values]
    # A composite and an operator in it may say the same.
    return tuple(dict.fromkeys(found))


def _parallel(note: syntax.Note) -> Annotation:
    """How many channels there are, `--workers` says; that there are several, the plan has to."""
    width = note.value("width")
    if width is None:
        raise ProgramError("parallel wants a width", note.span, expected="@parallel(width=4)")
    for field in note.fields:
        if field.name.text not in ("width", "partitionBy", "broadcast", "replicateHostTags"):
            raise ProgramError(f"parallel takes no {field.name.text}", field.span,
                               expected="width or partitionBy")
    return Annotation("Parallel")


def _placed(value: syntax.Node) -> Annotation:
    name = value.function.text if isinstance(value, syntax.Invoke) else "this"
    if name in PLACES and len(value.arguments) == 1 and isinstance(value.arguments[0], syntax.Text):
        return Annotation(PLACES[name], (value.arguments[0].value,))
    raise ProgramError(f"{name} is not supported as a placement" if name in NO_PLACES else
                       "this is no placement", value.span,
                       expected=" or ".join(f'{place}("name")' for place in PLACES),
                       help="leave it out: who serves an operator, the plan says")
