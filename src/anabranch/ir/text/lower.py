"""From clauses to a graph: names looked up, queues and variables gathered, order kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.ir.graph import Graph, Operator, Queue, Variable
from anabranch.ir.operators import Kind, Routine
from anabranch.ir.text.names import Environment, Wanted, default_names
from anabranch.ir.text.syntax import Clause, OrderClause, RiverName, read


def parse(text: str, functions: Mapping[str, Kind | Callable | type],
          variables: Mapping[str, object] | None = None, file: str = "<river>") -> Graph:
    """The graph of a `.river` text.

    `functions` gives a meaning to the names of functions and record types: a kind is used as it
    is, a plain function is a routine `(item, port, *variables) -> (lists, new values)`.
    `variables` has the first value, or a factory for it, of each `$variable`.
    """
    statements = read(text, file)
    clauses = _in_order([s for s in statements if isinstance(s, Clause)])
    listings = [s for s in statements if isinstance(s, OrderClause)]
    initial = {n: value for n, value in functions.items() if n.startswith("$")}
    environment = Environment(functions, {**initial, **(variables or {})})
    _check_queues(clauses)
    _check_variables(clauses)
    operators = _operators(clauses, environment)
    return Graph(tuple(operators), _queues(clauses, listings, environment),
                 _variables(clauses, listings, operators, environment))


def _in_order(clauses: list[Clause]) -> list[Clause]:
    """An output that is declared before its queue is written comes last: it reads what is there."""
    kept, late, written = [], [], set()
    for clause in clauses:
        early = clause.form == "output" and clause.inputs[0].text not in written
        (late if early else kept).append(clause)
        written |= {port.name.text for port in clause.outputs}
    return kept + late


def _check_queues(clauses: list[Clause]) -> None:
    """Every queue is written once, and every queue that is read is written."""
    writers: dict[str, RiverName] = {}
    for port in (p for c in clauses for p in c.outputs):
        first = writers.setdefault(port.name.text, port.name)
        if first is not port.name:
            raise ProgramError(f"the queue '{first.text}' is written twice", port.name.span,
                               help=f"it is written in line {first.span.line} already; "
                                    "give one of them another name")
    for name in (n for c in clauses for n in c.inputs):
        if name.text not in writers:
            raise ProgramError(f"nothing writes the queue '{name.text}'", name.span,
                               help=did_you_mean(name.text, writers))


def _check_variables(clauses: list[Clause]) -> None:
    for names in (names for c in clauses for names in (c.reads, c.writes)):
        texts = [n.text for n in names]
        for position, name in enumerate(names):
            if name.text in texts[:position]:
                raise ProgramError(f"the variable {name.text} stands here twice", name.span)


def _operators(clauses: list[Clause], environment: Environment) -> list[Operator]:
    kinds = [environment.kind(c) for c in clauses]
    defaults = default_names([_wanted(c, k) for c, k in zip(clauses, kinds, strict=True)])
    names = [c.label.text if c.label else d for c, d in zip(clauses, defaults, strict=True)]
    for clause, name in zip(clauses, names, strict=True):
        if clause.label and names.count(name) > 1:
            raise ProgramError(f"another operator is called '{name}' too", clause.label.span)
    return [_operator(*parts) for parts in zip(clauses, kinds, names, strict=True)]


def _wanted(clause: Clause, kind: Kind) -> Wanted:
    return Wanted(kind, clause.function.text if clause.function else None, _texts(clause.inputs),
                  _texts(p.name for p in clause.outputs), clause.label and clause.label.text)


def _operator(clause: Clause, kind: Kind, name: str) -> Operator:
    reads, writes = _texts(clause.reads), _texts(clause.writes)
    if not (reads or writes) and kind.stateful:
        reads = writes = (f"${name}",)
    return Operator(name, kind, _texts(clause.inputs), _texts(p.name for p in clause.outputs),
                    reads, writes, clause.annotations, clause.span)


def _texts(names) -> tuple[str, ...]:
    return tuple(n.text for n in names)


def _queues(clauses: list[Clause], listings: list[OrderClause],
            environment: Environment) -> tuple[Queue, ...]:
    listed = {p.name.text: p.type for each in listings for p in each.queues}
    written = {p.name.text: p.type for c in clauses for p in c.outputs}
    return tuple(Queue(n, environment.type(t)) for n, t in {**listed, **written}.items())


def _variables(clauses: list[Clause], listings: list[OrderClause], operators: list[Operator],
               environment: Environment) -> tuple[Variable, ...]:
    uses = {n.text: n for c in reversed(clauses) for n in (*c.writes, *c.reads)}
    uses |= {n.text: n for each in listings for n in each.variables}
    owners = {v: op for op in reversed(operators) for v in op.variables
              if not isinstance(op.kind, Routine)}
    listed = [n.text for each in listings for n in each.variables]
    touched = [v for op in operators for v in op.variables]
    return tuple(Variable(v, _initial(v, owners, uses, environment))
                 for v in dict.fromkeys(listed + touched))


def _initial(variable: str, owners: dict[str, Operator], uses: dict[str, RiverName],
             environment: Environment) -> Callable[[], object]:
    # A kind makes its own first value; a module's attribute of that name is something else.
    if variable in owners and variable not in environment.variables:
        return owners[variable].kind.start
    if environment.has_initial(variable):
        return environment.initial(variable)
    plain = variable.lstrip("$")
    raise ProgramError(f"the variable {variable} has no initial value", uses[variable].span,
                       help=f"give it one: `{plain} = ...` beside its functions"
                            + _similar(plain, environment))


def _similar(name: str, environment: Environment) -> str:
    known = [v.lstrip("$") for v in environment.variables]
    found = did_you_mean(name, known) or ""
    return f"; {found}" if found.startswith("did you mean") else ""
