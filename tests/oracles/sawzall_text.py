"""Sawzall programs as text again: what is read from it is the same program.

>>> from anabranch.lang.sawzall.parser import read
>>> print(program_text(read("x:=1+2*3;if(x>5)emit stdout<-string(x);", "p.szl", "GMT")), end="")
x := (1 + (2 * 3));
if ((x > 5)) emit stdout <- string(x);
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from anabranch.ir.types import BYTES, STR
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.library.values import quoted
from anabranch.lang.sawzall.types import FINGERPRINT, TIME, UINT

SIGNS = {"=": "==", "<>": "!=", "and": "&&", "or": "||", "strict and": "and", "strict or": "or"}
SUFFIXES = {UINT: "U", TIME: "T", FINGERPRINT: "P"}


def program_text(statements: Iterable[Node]) -> str:
    """The text of a whole program, a statement on each line."""
    return "".join(f"{printed(statement)}\n" for statement in statements)


@singledispatch
def printed(node: Node) -> str:
    """The text of a piece of syntax; every operation in parentheses."""
    raise TypeError(f"no rule prints a {type(node).__name__}")


def listed(nodes: Iterable[Node]) -> str:
    return ", ".join(map(printed, nodes))


def _rule(*kinds: type[Node]):
    def register(rule):
        for kind in kinds:
            printed.register(kind)(rule)
        return rule
    return register


@_rule(Literal)
def _literal(node):
    if node.type == STR:
        return quoted(node.value)
    return f'X"{node.value.hex()}"' if node.type == BYTES else \
        f"{node.value!r}{SUFFIXES.get(node.type, '')}"


@_rule(Name)
def _name(node):
    return str(node)


@_rule(Operation)
def _operation(node):
    sign = SIGNS.get(node.operator, node.operator)
    if len(node.operands) == 1:
        return f"({sign} {printed(node.operands[0])})"
    left, right = map(printed, node.operands)
    return f"({left} {sign} {right})"


@_rule(syntax.Field)
def _field(node):
    return f"{printed(node.value)}.{node.name}"


@_rule(syntax.Item)
def _item(node):
    return f"{printed(node.value)}[{printed(node.index)}]"


@_rule(syntax.Slice)
def _slice(node):
    return f"{printed(node.value)}[{printed(node.start)} : {printed(node.end)}]"


@_rule(syntax.Length)
def _length(node):
    return "$"


@_rule(syntax.Invoke)
def _invoke(node):
    return f"{printed(node.function)}({listed(node.arguments)})"


@_rule(syntax.Pattern)
def _pattern(node):
    return " ".join([*sorted(node.modes), printed(node.value)])


@_rule(syntax.Rest)
def _rest(node):
    return f"rest {printed(node.target)}"


@_rule(syntax.Composite)
def _composite(node):
    return f"{{{listed(node.items)}}}"


@_rule(syntax.MapLiteral)
def _map_literal(node):
    pairs = ", ".join(f"{printed(k)}: {printed(v)}" for k, v in node.pairs)
    return f"{{{pairs or ':'}}}"


@_rule(syntax.Part)
def _part(node):
    return printed(node.kind) if node.name is None else f"{node.name}: {printed(node.kind)}"


@_rule(syntax.ArrayKind)
def _array(node):
    return f"array of {printed(node.item)}"


@_rule(syntax.MapKind)
def _map(node):
    return f"map [{printed(node.key)}] of {printed(node.value)}"


@_rule(syntax.TupleKind)
def _tuple(node):
    members = [printed(m).removesuffix(";") for m in node.members]
    return f"{{{', '.join([*map(printed, node.parts), *members])}}}"


@_rule(syntax.FunctionKind)
def _function(node):
    result = "" if node.result is None else f": {printed(node.result)}"
    return f"function({listed(node.parameters)}){result}"


@_rule(syntax.TableKind)
def _table(node):
    size = "" if node.size is None else f"({printed(node.size)})"
    indices = "".join(f"[{printed(index)}]" for index in node.indices)
    weight = "" if node.weight is None else f" weight {printed(node.weight)}"
    attributes = "".join(f" {name}({listed(given)})" for name, given in node.attributes)
    return f"table {node.kind}{size}{indices} of {printed(node.value)}{weight}{attributes}"


@_rule(syntax.Block)
def _block(node):
    return f"{{ {' '.join(map(printed, node.statements))} }}" if node.statements else ";"


@_rule(syntax.Closure)
def _closure(node):
    return f"{printed(node.kind)} {_body(node.body)}"


@_rule(syntax.StatementExpression)
def _statement_expression(node):
    return f"?{_body(node.body)}"


def _body(block: syntax.Block) -> str:
    return f"{{ {' '.join(map(printed, block.statements))} }}"


@_rule(syntax.Variable)
def _variable(node):
    static = "static " * node.static
    if isinstance(node.value, syntax.Closure) and node.value.kind == node.kind:
        return f"{static}{node.name}: {printed(node.value)};"
    if node.kind is None:
        return f"{static}{node.name} := {printed(node.value)};"
    value = "" if node.value is None else f" = {printed(node.value)}"
    return f"{static}{node.name}: {printed(node.kind)}{value};"


@_rule(syntax.TypeDeclaration)
def _type_declaration(node):
    return f"type {node.name} = {printed(node.kind)};"


@_rule(syntax.Emit)
def _emit(node):
    weight = "" if node.weight is None else f" weight {printed(node.weight)}"
    return f"emit {printed(node.target)} <- {printed(node.value)}{weight};"


@_rule(syntax.If)
def _branch(node):
    otherwise = "" if node.otherwise is None else f" else {printed(node.otherwise)}"
    return f"if ({printed(node.condition)}) {printed(node.then)}{otherwise}"


@_rule(syntax.Loop)
def _loop(node):
    if node.first is None and node.step is None and node.condition is not None:
        return f"while ({printed(node.condition)}) {printed(node.body)}"
    head = "; ".join("" if part is None else printed(part).removesuffix(";")
                     for part in (node.first, node.condition, node.step))
    return f"for ({head}) {printed(node.body)}"


@_rule(syntax.DoLoop)
def _do_loop(node):
    return f"do {printed(node.body)} while ({printed(node.condition)});"


@_rule(syntax.Switch)
def _switch(node):
    cases = " ".join(f"{f'case {listed(values)}' if values else 'default'}: "
                     f"{' '.join(map(printed, block.statements))}" for values, block in node.cases)
    return f"switch ({printed(node.value)}) {{ {cases} }}"


@_rule(syntax.When)
def _when(node):
    bound = "".join(f"{q.name}: {q.mode} {printed(q.kind)}; " for q in node.quantifiers)
    return f"when ({bound}{printed(node.condition)}) {printed(node.body)}"


@_rule(syntax.Leave)
def _leave(node):
    return "break;"


@_rule(syntax.Proceed)
def _proceed(node):
    return "continue;"


@_rule(syntax.Return)
def _give(node):
    return "return;" if node.value is None else f"return {printed(node.value)};"


@_rule(syntax.Result)
def _result(node):
    return f"result {printed(node.value)};"


@_rule(syntax.Assign)
def _assign(node):
    return f"{printed(node.target)} = {printed(node.value)};"


@_rule(syntax.Increment)
def _increment(node):
    return f"{printed(node.target)}{node.operator * 2};"


@_rule(syntax.Evaluate)
def _evaluate(node):
    return f"{printed(node.expression)};"


@_rule(syntax.Include)
def _include(node):
    return f"include {quoted(node.path)};"
