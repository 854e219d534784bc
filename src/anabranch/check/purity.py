"""Nothing but outputs leaves a firing; only its tuple and its state go in.

All firings are repeated on a fresh instance: the outputs, the tuples, the names outside the
functions and standard output must be as they were. Shared variables have the values of then.
"""

from __future__ import annotations

import dis
import inspect
import io
from contextlib import redirect_stdout
from types import CodeType, ModuleType

from anabranch.batch.failure import shortened
from anabranch.check.replay import Firing, Instance, Subject, copied, same, shown
from anabranch.check.verdict import Counterexample, the_tuple
from anabranch.ir.function import Function


def pure(subject: Subject) -> Counterexample | None:
    instance, before = subject.fresh(), copied(_outside(subject))
    again = (_fired_again(instance, firing) for firing in subject.log.firings)
    found = next((f for f in again if f), None)
    return found or (_writer(subject) if not same(before, _outside(subject)) else None)


def _fired_again(instance: Instance, firing: Firing) -> Counterexample | None:
    item, printed = copied(firing.item), io.StringIO()
    with redirect_stdout(printed):
        again = instance.fired(firing, restored=True)
    tuple_text = the_tuple(item)
    if not same(again, firing.outputs):
        return Counterexample(tuple_text, f"{shown(firing.outputs)}, as when it was fired first",
                              f"{shown(again)} when it was fired again")
    if not same(item, firing.item):
        return Counterexample(tuple_text, "the tuple unchanged", the_tuple(firing.item))
    if printed.getvalue():
        return Counterexample(tuple_text, "nothing printed", repr(shortened(printed.getvalue())))
    return None


def _writer(subject: Subject) -> Counterexample | None:
    """The first tuple that changes something outside, looked for only when something did."""
    instance = subject.fresh()
    for firing in subject.log.firings:
        before = copied(_outside(subject))
        instance.fired(firing, restored=True)
        after = _outside(subject)
        for name, value in before.items():
            if not same(value, after.get(name)):
                return Counterexample(the_tuple(firing.item), f"{name} unchanged, {_short(value)}",
                                      f"{name} = {_short(after.get(name))}")
    return None


def _outside(subject: Subject) -> dict[str, object]:
    """The data outside its functions that they name: globals, closures, their own attributes."""
    return {name: value for function in subject.op.kind.functions
            for name, value in _named(function).items() if _is_data(value)}


def _named(function: Function) -> dict[str, object]:
    call = getattr(function.call, "__func__", function.call)
    if not inspect.isfunction(call):
        return _attributes(call)
    names = _global_names(call.__code__)
    found = {n: v for n, v in call.__globals__.items() if n in names}
    bound = _attributes(getattr(function.call, "__self__", None))
    return found | inspect.getclosurevars(call).nonlocals | bound


def _attributes(owner: object) -> dict[str, object]:
    return {f"{type(owner).__name__}.{n}": v for n, v in getattr(owner, "__dict__", {}).items()}


def _global_names(code: CodeType) -> set[str]:
    """The names that the code looks up or binds outside of it; attributes are none of them.

    >>> sorted(_global_names((lambda t: t.total + limit).__code__))
    ['limit']
    """
    nested = [c for c in code.co_consts if isinstance(c, CodeType)]
    own = {i.argval for i in dis.get_instructions(code) if i.opname.endswith("_GLOBAL")}
    return own.union(*map(_global_names, nested))


def _is_data(value: object) -> bool:
    return not (callable(value) or isinstance(value, ModuleType))


def _short(value: object) -> str:
    return shortened(repr(value), 80)
