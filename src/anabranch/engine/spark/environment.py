"""Variables of an environment, this process's or that of the Python workers, for a while."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager


@contextmanager
def with_variables(environment: MutableMapping[str, str], wanted: Mapping[str, str]
                   ) -> Iterator[None]:
    """The environment has the wanted variables, and is as it was behind the block.

    >>> known = {"A": "1"}
    >>> with with_variables(known, {"A": "2", "B": "3"}):
    ...     print(known)
    {'A': '2', 'B': '3'}
    >>> known
    {'A': '1'}
    """
    before = {name: environment.get(name) for name in wanted}
    environment.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del environment[name]
            else:
                environment[name] = value
