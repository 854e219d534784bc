"""The page docs/api.md, made of what the library says of itself.

    python -m anabranch.cli.api_pages > docs/api.md
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import anabranch

SECTIONS = {
    "api.sources": "Sources", "api.frames": "Spark DataFrames", "api.stream": "Streams",
    "api.operator": "Operators of your own",
    "api.windows": "Windows", "api.aggregates": "Aggregates",
    "ir.aggregates": "Aggregates of your own",
    "api.composition": "Several streams", "api.synchronization": "Synchronization",
    "ir.times": "Silent sources", "ir.records": "Records and state",
    "api.parameters": "Parameters",
    "core.errors": "Errors"}
"""The headings of what comes from each module, in the order of the page."""

INTERNAL = ("then",)
"""Methods of a stream that other methods are made of."""

LEAD = """# The Python API

What `import anabranch as ab` gives, in the words of the code itself; [operators](operators.md)
shows most of it at work, with the output of every example."""


def page() -> str:
    """The whole page: a section for each module that names come from."""
    parts = [LEAD]
    for module, heading in SECTIONS.items():
        parts += [f"## {heading}", *(part for name in anabranch.__all__
                                     if _module(name) == module for part in _named(name))]
    return "\n\n".join(parts) + "\n"


def _module(name: str) -> str:
    return getattr(anabranch, name).__module__.removeprefix("anabranch.")


def _named(name: str) -> Iterator[str]:
    thing = getattr(anabranch, name)
    yield from _entry("###", f"ab.{name}", thing)
    if thing is anabranch.Stream:
        for method, function in inspect.getmembers(thing, inspect.isfunction):
            if not method.startswith("_") and method not in INTERNAL:
                yield from _entry("####", f"stream.{method}", function)


def _entry(level: str, name: str, thing: object) -> list[str]:
    made = "" if inspect.isclass(thing) else _signature(thing)
    return [f"{level} {name}", *([f"```text\n{name}{made}\n```"] if made else []),
            *_said(inspect.getdoc(thing) or "")]


def _signature(function) -> str:
    """As it is written, without `self`.

    >>> def f(self, a: int, *, b: str | None = None) -> list: ...
    >>> _signature(f)
    '(a: int, *, b: str | None = None) -> list'
    """
    signature = inspect.signature(function)
    given = [p.replace(annotation=_Written(p.annotation)) if p.annotation is not p.empty else p
             for name, p in signature.parameters.items() if name != "self"]
    result = signature.return_annotation
    shown = signature.empty if result is signature.empty else _Written(result)
    return str(signature.replace(parameters=given, return_annotation=shown))


class _Written:
    """An annotation that is shown without quotes around it."""

    def __init__(self, annotation: object):
        # `Stream.type` hides the built-in of that name in its class.
        self.text = str(annotation).replace("builtins.type", "type")

    def __repr__(self) -> str:
        return self.text


def _said(text: str) -> list[str]:
    """The paragraphs of a docstring; examples and what is indented as they stand."""
    return [f"```text\n{part}\n```" if part.startswith((">>>", "    ")) else part
            for part in text.split("\n\n") if part]


if __name__ == "__main__":
    print(page(), end="")
