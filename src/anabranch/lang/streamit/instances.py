"""Streams as instances: filters, the tree of composites, types left out.

The types of streams that declare none: what stands before and behind them tells.

    add Count(); add filter { work pop 1 push 1 {...} }; add FileWriter<float>("out");

Here the filter takes what `Count` gives, and gives what the writer takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.scope import Kinds
from anabranch.lang.streamit.sdf.flow import Rates
from anabranch.lang.streamit.types import VOID, Type


@dataclass(frozen=True)
class Work:
    """A filter with its parameters: the functions to call, and the values they are called with.

    `fresh` gives the fields as `init` left them, and `begins` is what that printed.
    """

    code: FilterCode
    functions: dict[str, Callable] = field(repr=False)
    environment: tuple = field(repr=False)
    fresh: Callable[[], tuple] = field(repr=False)
    begins: str = ""


@dataclass(frozen=True)
class Leaf:
    """An instance of a filter, of the identity, or of the end at a file."""

    name: str
    body: object
    input: Type | None
    output: Type | None
    span: Span
    rates: Rates
    first: Rates | None = None


@dataclass(frozen=True)
class File:
    """A file that is read or written, as the program names it."""

    path: str
    type: Type
    reads: bool


@dataclass
class Branch:
    """An instance of a composite stream, while its body runs and after."""

    kind: str
    span: Span
    children: list[tuple[str, Leaf | Branch]] = field(default_factory=list)
    splitting: object = ()
    joining: object = ()
    enqueued: list = field(default_factory=list)


def takes(instance: Leaf | Branch) -> bool:
    """Whether an instance reads anything from before it."""
    if isinstance(instance, Leaf):
        return instance.input not in (None, VOID)
    if instance.kind == "feedbackloop":
        return not (len(instance.joining) == 2 and instance.joining[0] == 0)
    if instance.kind == "splitjoin":
        return any(takes(child) for _, child in instance.children)
    return takes(instance.children[0][1]) if instance.children else True


def gives(instance: Leaf | Branch) -> Type | None:
    """The type of what an instance pushes; None when it is nothing, or not known from it alone."""
    if isinstance(instance, Leaf):
        return None if instance.output == VOID else instance.output
    if instance.kind == "feedbackloop":
        return next((gives(child) for role, child in instance.children if role == "body"), None)
    found = [gives(child) for _, child in instance.children]
    if instance.kind == "pipeline":
        return found[-1] if found else None
    return next((type for type in found if type is not None), None)


def accepts(instance: Leaf | Branch) -> Type | None:
    """The type of what an instance takes; None when it is nothing, or not known from it alone."""
    if isinstance(instance, Leaf):
        return None if instance.input == VOID else instance.input
    if instance.kind == "feedbackloop":
        return next((accepts(child) for role, child in instance.children if role == "body"), None)
    found = [accepts(child) for _, child in instance.children]
    if instance.kind == "pipeline":
        return found[0] if found else None
    return next((type for type in found if type is not None), None)


@dataclass(frozen=True)
class Tapes:
    """The types of what a stream takes and gives, where they are known."""

    input: Type | None = None
    output: Type | None = None

    def completed(self, other: Tapes) -> Tapes:
        """These, and where they are not known those."""
        return Tapes(self.input or other.input, self.output or other.output)


class Declared:
    """The types that streams declare."""

    def __init__(self, streams: dict[str, syntax.Stream], kinds: Kinds):
        self.streams, self.kinds = streams, kinds

    def tapes(self, stream: syntax.Node) -> Tapes:
        """The declared types of a stream that is added."""
        if not isinstance(stream, syntax.Created):
            return Tapes(self._type(stream.input), self._type(stream.output))
        if stream.name in self.streams:
            return self.tapes(self.streams[stream.name])
        type = self._type(stream.type)
        return Tapes(VOID if stream.name == "FileReader" else type,
                     VOID if stream.name == "FileWriter" else type)

    def _type(self, text: syntax.TypeText | None) -> Type | None:
        return None if text is None else self.kinds.of(text, may_be_void=True)


Made = dict[int, Leaf | Branch]


def pipeline(index: int, declared: list[Tapes], made: Made, around: Tapes) -> Tapes:
    """In a row: what the one before gives, and what the next one takes."""
    before = around.input if index == 0 else gives(made[index - 1])
    last = index + 1 == len(declared)
    return Tapes(before, around.output if last else declared[index + 1].input)


def splitjoin(index: int, declared: list[Tapes], made: Made, around: Tapes) -> Tapes:
    """Side by side: what the others take and give."""
    outputs = (*(gives(each) for each in made.values()), *(each.output for each in declared))
    return Tapes(around.input, around.output or next(filter(_is_some, outputs), None))


def feedbackloop(index: int, declared: list[Tapes], made: Made, around: Tapes) -> Tapes:
    """In a circle: the loop takes what the body gives, and gives what it takes."""
    if made:
        body = next(iter(made.values()))
        return Tapes(gives(body), accepts(body))
    loop = declared[1 - index] if len(declared) == 2 else Tapes()
    outside = around.input if _is_some(around.input) else None
    return Tapes(outside or loop.output, around.output or loop.input)


NEIGHBOURS = {"pipeline": pipeline, "splitjoin": splitjoin, "feedbackloop": feedbackloop}


def _is_some(type: Type | None) -> bool:
    return type not in (None, VOID)


def used_tapes(filter: syntax.Filter, types: Tapes) -> Tapes:
    """The types of a filter, void where its text uses no tape and it declares none; the output is
    not known where only what it pushes tells."""
    takes = filter.input is not None or _uses(filter, ("pop", "peek"), (syntax.Pop, syntax.Peek))
    pushes = filter.output is not None or _uses(filter, ("push",), (syntax.Push,))
    if takes and types.input in (None, VOID) and filter.input is None:
        raise ProgramError("nothing tells what this filter takes", filter.span,
                           help="write its types in front: int->int filter")
    return Tapes(types.input if takes else VOID,
                 (types.output if filter.output or types.output != VOID else None) if pushes
                 else VOID)


def _uses(filter: syntax.Filter, names: tuple[str, ...], nodes: tuple[type, ...]) -> bool:
    works = [work for work in (filter.work, filter.prework) if work is not None]
    rates = [getattr(work.rates, name) for work in works for name in names]
    bodies = (*(work.body for work in works), *(each.body for each in filter.functions))
    return (any(isinstance(n, nodes) for n in syntax.walk(bodies))
            or any(rate is not None and getattr(rate, "value", None) != 0 for rate in rates))
