"""Annotations and configurations: obeyed through the plan, or refused by name.

`partitionColocation` fuses operators, as the plan's own annotation does; where two operators run on
one machine anyway, what is said of hosts holds or cannot hold.
"""

from __future__ import annotations

from anabranch.core.errors import ProgramError
from anabranch.ir.graph import Annotation
from anabranch.lang.spl import syntax
from anabranch.lang.spl.composites import Instance

REFUSED = {
    "parallel": "leave it out: what may run in parallel is found, and explain shows it; --workers "
                "says how many workers there are",
    "threading": "leave it out: the plan says who serves an operator",
    "consistent": "leave it out: a run gives each tuple once; a stream takes --checkpoint",
    "autonomous": "leave it out, with @consistent",
    "catch": "--on-error says what becomes of malformed rows",
    "view": "leave it out", "viewProducer": "leave it out"}
WITHOUT_EFFECT = ("eventTime", "spldoc", "splTest")
PLACES = ("partitionExlocation", "partitionIsolation", "hostColocation", "hostExlocation",
          "hostIsolation", "host")
SETTINGS = {"restartable": "a run that fails is started again by who started it",
            "relocatable": "leave it out", "threadedPort": "leave it out: the plan says who serves "
            "an operator", "hostPool": "leave it out: --master names a cluster",
            "wrapperNumber": "leave it out"}


def annotations_of(op: Instance) -> tuple[Annotation, ...]:
    """What the plan is told of an operator."""
    for note in op.notes:
        if note.name not in WITHOUT_EFFECT:
            raise ProgramError(f"the annotation @{note.name} is not supported", note.span,
                               help=REFUSED.get(note.name, "leave it out"))
    found = []
    for setting in op.config:
        if setting.name.text != "placement":
            raise ProgramError(f"the configuration {setting.name.text} is not supported",
                               setting.name.span, help=SETTINGS.get(setting.name.text,
                                                                    "leave it out"))
        found += [_placed(value) for value in setting.values]
    return tuple(found)


def _placed(value: syntax.Node) -> Annotation:
    if isinstance(value, syntax.Invoke) and value.function.text == "partitionColocation" and (
            len(value.arguments) == 1 and isinstance(value.arguments[0], syntax.Text)):
        return Annotation("Fuse", (value.arguments[0].value,))
    name = value.function.text if isinstance(value, syntax.Invoke) else "this"
    raise ProgramError(f"{name} is not supported as a placement" if name in PLACES else
                       "this is no placement", value.span,
                       expected='partitionColocation("name")',
                       help="leave it out: who serves an operator, the plan says")
