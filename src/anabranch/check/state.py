"""State that is not there, or that one key does not share with another.

A tuple is fired again without the tuples that must not matter to it. The repetition runs backwards
or key by key, so that state hidden outside the operator does not happen to be as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter

from anabranch.check.observe import Firing
from anabranch.check.replay import Subject, same, shown
from anabranch.check.verdict import Counterexample, the_tuple
from anabranch.ir.operators import Output

Keys = tuple[tuple[str, ...], ...]


def stateless(subject: Subject) -> Counterexample | None:
    """Each tuple alone, on a fresh instance, gives what it gave among all others."""
    for firing in reversed(subject.log.firings):
        alone = subject.fresh().fired(firing)
        if not same(alone, firing.outputs):
            return Counterexample(the_tuple(firing.item), f"{shown(alone)}, as for it alone",
                                  f"{shown(firing.outputs)} after the tuples before it")
    return _ending(subject, ())


def partitioned(subject: Subject, keys: Keys) -> Counterexample | None:
    """The tuples of each key alone, on a fresh instance, give what they gave among all others."""
    groups: dict[object, list[Firing]] = {}
    for firing in subject.log.firings:
        try:
            groups.setdefault(_key(firing, keys), []).append(firing)
        except AttributeError as error:
            return Counterexample(the_tuple(firing.item), f"a key of {_names(firing, keys)}",
                                  str(error))
    endings: list[Output] = []
    for group in groups.values():
        instance = subject.fresh()
        for firing, alone in zip(group, instance.all_fired(group), strict=True):
            if not same(alone, firing.outputs):
                return _leak(firing, alone, keys)
        endings.extend(instance.finished())
    return _ending(subject, endings)


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
    key = attrgetter(*_attributes(firing, keys))(firing.item)
    try:
        hash(key)
    except TypeError:
        return repr(key)
    return key
