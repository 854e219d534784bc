"""Elements of SVG and HTML. Plain text is always escaped, so nothing a user wrote becomes markup.

>>> print(tag("text", "a < b", x=1.50, class_="name"))
<text x="1.5" class="name">a &lt; b</text>
>>> print(tag("g", tag("path", d="M0 0")))
<g><path d="M0 0"/></g>
"""

from __future__ import annotations

import re
from html import escape

# What XML has no way to write, not even escaped.
IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
FILLED = ("p", "td", "th", "script", "style", "div", "span", "title", "desc", "section", "ul")
"""HTML knows no short form of these."""


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(element: str, *children: object, **attributes: object) -> Markup:
    """An element; attributes that are None are left out, `class_` is `class` and `a_b` is `a-b`."""
    given = "".join(f' {name.strip("_").replace("_", "-")}="{escaped(number(value))}"'
                    for name, value in attributes.items() if value is not None)
    inner = "".join(map(escaped, children))
    if not inner and element not in FILLED:
        return Markup(f"<{element}{given}/>")
    return Markup(f"<{element}{given}>{inner}</{element}>")


def lines(*parts: Markup) -> Markup:
    """Several elements, each on a line of its own."""
    return Markup("\n" + "\n".join(part for part in parts if part) + "\n")


def escaped(text: object) -> str:
    return text if isinstance(text, Markup) else escape(IMPOSSIBLE.sub("\ufffd", str(text)))


def number(value: object) -> object:
    """A number in as few digits as a drawing needs; anything else as it is."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value
