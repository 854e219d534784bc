"""The text of many firings in a row."""

from __future__ import annotations

from anabranch.lang.streamit.coding.calls import RANDOM
from anabranch.lang.streamit.coding.expressions import ITERATION
from anabranch.lang.streamit.coding.lines import Lines


class FiringLoop:
    """The loop over the firings, around the lines of one.

    `loaded` has the fields that are in variables meanwhile; `checked` is whether every firing keeps
    to the same rates.
    """

    def __init__(self, lines: Lines, name: str, arguments: tuple[str, ...],
                 loaded: dict[str, str], iteration: str | None, checked: bool):
        self.lines, self.name, self.arguments = lines, name, arguments
        self.loaded, self.iteration, self.checked = loaded, iteration, checked

    def __enter__(self) -> None:
        add = self.lines.add
        head = ", ".join(("n", "peek", "pop", "push", "I", "p", "O", "q", "W", *self.arguments))
        add(f"def {self.name}({head}):")
        self.lines.depth += 1
        for local, held in self.loaded.items():
            add(f"{local} = _e({held}[0])")
        add("for _n in range(n):")
        self.lines.depth += 1
        add("begin = p; end = p + peek; full = q + push")

    def __exit__(self, *failure: object) -> None:
        add = self.lines.add
        if self.checked:
            add("if p != begin + pop or q != full: _rates(p - begin, q - full + push)")
        if self.iteration:
            counter = f"s_{self.iteration}" if self.loaded else f"{self.iteration}[0]"
            add(f"{counter} = _i({counter} + 1)")
        self.lines.depth -= 1
        for local, held in self.loaded.items():
            add(f"{held}[0] = {local}")
        add("return p, q")
        self.lines.depth -= 1


def field_text(name: str) -> str:
    """The name of a field in the text."""
    return {ITERATION: "h_iter", RANDOM: "h_random"}.get(name, f"h_{name}")
