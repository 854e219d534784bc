"""The syntax of StreamIt: declarations, streams, statements, and its own expressions.

Literals, operations, calls, choices, branches and loops are those that languages share.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.lang.common.statements import Block, Evaluate, If, Return, While
from anabranch.lang.common.syntax import Call, Choice, Literal, Name, Node, Operation, walk

__all__ = ["Block", "Call", "Choice", "Evaluate", "If", "Literal", "Name", "Node", "Operation",
           "Return", "While", "walk"]


@dataclass(frozen=True)
class TypeText(Node):
    """A type as it is written: a name, and the lengths of an array."""

    name: str
    lengths: tuple[Node, ...] = ()
    portal: bool = False


@dataclass(frozen=True)
class Refused(Node):
    """Something of the language that is not supported; it may stand in a stream that is not used.
    """

    what: str


@dataclass(frozen=True)
class Ref(Node):
    name: str


@dataclass(frozen=True)
class Index(Node):
    base: Node
    index: Node


@dataclass(frozen=True)
class Member(Node):
    base: Node
    name: str


@dataclass(frozen=True)
class Pop(Node):
    pass


@dataclass(frozen=True)
class Peek(Node):
    index: Node


@dataclass(frozen=True)
class Iteration(Node):
    """`iter()`: how many times the filter has fired before."""


@dataclass(frozen=True)
class Step(Node):
    """`x++` or `--x`; `amount` is 1 or -1."""

    target: Node
    amount: int
    before: bool


@dataclass(frozen=True)
class Cast(Node):
    type: TypeText
    operand: Node


@dataclass(frozen=True)
class Initials(Node):
    """`{1, 2, 3}`."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Send(Node):
    """A message to the filters of a portal, which comes between two latencies; None for any."""

    portal: Node
    handler: str
    arguments: tuple[Node, ...]
    latency: tuple[Node, Node] | None


@dataclass(frozen=True)
class Declarator(Node):
    name: str
    initial: Node | None


@dataclass(frozen=True)
class Declare(Node):
    type: TypeText
    declarators: tuple[Declarator, ...]


@dataclass(frozen=True)
class Assign(Node):
    """`target = value`, or with the operator of `target += value`."""

    target: Node
    operator: str | None
    value: Node


@dataclass(frozen=True)
class For(Node):
    first: Node | None
    condition: Node | None
    step: Node | None
    body: Node


@dataclass(frozen=True)
class Jump(Node):
    """`break` or `continue`."""

    word: str


@dataclass(frozen=True)
class Push(Node):
    value: Node


@dataclass(frozen=True)
class Enqueue(Node):
    value: Node


@dataclass(frozen=True)
class Distribute(Node):
    """`split` or `join`, with the weights of a round-robin; a duplicating one has None."""

    role: str
    weights: tuple[Node, ...] | None


@dataclass(frozen=True)
class Created(Node):
    """A stream by its name: `Identity<int>()`."""

    name: str
    type: TypeText | None
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Add(Node):
    """`add`, `body` or `loop`, with a named or an anonymous stream, and the portals it is added
    to."""

    role: str
    stream: Node
    portals: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Parameter(Node):
    type: TypeText
    name: str


@dataclass(frozen=True)
class Range(Node):
    """A rate that is not the same at every firing: the fewest items and the most, None for `*`."""

    low: Node | None
    high: Node | None


@dataclass(frozen=True)
class Rates(Node):
    """The rates as they are written; what is not written is None."""

    peek: Node | None = None
    pop: Node | None = None
    push: Node | None = None


@dataclass(frozen=True)
class Function(Node):
    name: str
    result: TypeText
    parameters: tuple[Parameter, ...]
    rates: Rates
    body: Block


@dataclass(frozen=True)
class Work(Node):
    """`work` or `prework`."""

    rates: Rates
    body: Block


@dataclass(frozen=True, eq=False)
class Stream(Node):
    """A stream declaration; the types of an anonymous one may be missing."""

    name: str
    input: TypeText | None
    output: TypeText | None
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, eq=False)
class Filter(Stream):
    stateful: bool = False
    declared: tuple[Declare, ...] = ()
    functions: tuple[Function, ...] = ()
    handlers: tuple[Function, ...] = ()
    init: Block | None = None
    work: Work | None = None
    prework: Work | None = None


@dataclass(frozen=True, eq=False)
class Composite(Stream):
    kind: str = "pipeline"
    body: Block | None = None


@dataclass(frozen=True)
class Struct(Node):
    name: str
    declared: tuple[Declare, ...]


@dataclass(frozen=True)
class Globals(Node):
    declared: tuple[Declare, ...]
    init: Block | None


@dataclass(frozen=True)
class Helpers(Node):
    name: str
    functions: tuple[Function, ...]


@dataclass(frozen=True)
class Program:
    structs: tuple[Struct, ...] = ()
    globals: tuple[Globals, ...] = ()
    helpers: tuple[Helpers, ...] = ()
    streams: tuple[Stream, ...] = field(default=())
