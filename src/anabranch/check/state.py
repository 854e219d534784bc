"""State that is not there, or that one key does not share with another.

A tuple is fired again without the tuples that must not matter to it: the last one first, or the
last key first, so that state hidden outside the operator does not happen to be as it was. That is
done here, and in a process that has seen no tuple, as in workers of a parallel engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from anabranch.check.replay import Firing, Subject, same, shown
from anabranch.check.verdict import Counterexample, the_tuple
from anabranch.ir.operators import Output, key_function

Keys = tuple[tuple[str, ...], ...]


def stateless(subject: Subject) -> Counterexample | None:
    """Each tuple alone, on a fresh instance, gives what it gave among all others."""
    for firing in reversed(subject.log.firings):
        alone = subject.fresh().fired(firing)
        if not same(alone, firing.outputs):
            return Counterexample(the_tuple(firing.item), f"{shown(alone)}, as for it alone",
                                  f"{shown(firing.outputs)} after the tuples before it")
    return _elsewhere(subject, [[firing] for firing in reversed(subject.log.firings)]) or (
        _ending(subject, ()))


def partitioned(subject: Subject, keys: Keys) -> Counterexample | None:
    """The tuples of each key alone, on a fresh instance, give what they gave among all others."""
    groups: dict[object, list[Firing]] = {}
    for firing in subject.log.firings:
        try:
            groups.setdefault(_key(firing, keys), []).append(firing)
        except AttributeError as error:
            return Counterexample(the_tuple(firing.item), f"a key of {_names(firing, keys)}",
                                  str(error))
    alone = [_alone(subject, group) for group in reversed(groups.values())][::-1]
    for group, (fired, _) in zip(groups.values(), alone):
        for firing, outputs in zip(group, fired, strict=True):
            if not same(outputs, firing.outputs):
                return _leak(firing, outputs, keys)
    endings = [output for _, ending in alone for output in ending]
    # A NaN that has travelled is another one, and so another key.
    travelled = [] if any(_has_nan(key) for key in groups) else list(reversed(groups.values()))
    return _elsewhere(subject, travelled) or _ending(subject, endings)


def _alone(subject: Subject, group: list[Firing]) -> tuple[list, tuple[Output, ...]]:
    """What the tuples of a key give on a fresh instance, and at the end."""
    instance = subject.fresh()
    return instance.all_fired(group), instance.finished()


def _elsewhere(subject: Subject, groups: list[list[Firing]]) -> Counterexample | None:
    """The first tuple for which another process gives something else."""
    for group, fired in zip(groups, subject.apart(subject.op.name, groups) or ()):
        for firing, outputs in zip(group, fired, strict=True):
            if not same(outputs, firing.outputs):
                return Counterexample(
                    the_tuple(firing.item),
                    f"{shown(outputs)}, as in a process that has not seen the tuples before it",
                    f"{shown(firing.outputs)} after the tuples before it")
    return None


def _has_nan(key: object) -> bool:
    return any(part != part for part in (key if isinstance(key, tuple) else (key,)))


def _leak(firing: Firing, alone: tuple[Output, ...], keys: Keys) -> Counterexample:
    return Counterexample(the_tuple(firing.item),
                          f"{shown(alone)}, as from the tuples of its {_names(firing, keys)} alone",
                          f"{shown(firing.outputs)} among the tuples of all keys")


def _ending(subject: Subject, alone: Iterable[Output]) -> Counterexample | None:
    seen = subject.log.ending
    if Counter(map(repr, seen)) == Counter(map(repr, alone)):
        return None
    return Counterexample("the end of the input", f"{shown(alone)}, as without the other tuples",
                          shown(seen))


def _attributes(firing: Firing, keys: Keys) -> tuple[str, ...]:
    return keys[min(firing.port, len(keys) - 1)]


def _names(firing: Firing, keys: Keys) -> str:
    return ", ".join(_attributes(firing, keys))


def _key(firing: Firing, keys: Keys) -> object:
    key = key_function(_attributes(firing, keys))(firing.item)
    try:
        hash(key)
    except TypeError:
        return repr(key)
    return key
