"""Elements of SVG and HTML, and self-contained pages of them.

Plain text is always escaped, so nothing a user wrote becomes markup. A page is one file, readable
in dark and in light, that asks for nothing.

>>> print(tag("text", "a < b", x=1.50, class_="name"))
<text x="1.5" class="name">a &lt; b</text>
>>> print(tag("g", tag("path", d="M0 0")))
<g><path d="M0 0"/></g>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from anabranch.explain.picture import style

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


LAYOUT = f"""
body {{ margin: 0; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 {style.FONT}; }}
main {{ max-width: 1400px; margin: 0 auto; }}
h1 {{ font-size: 1.5rem; margin: 0 0 .25rem; }} h2 {{ font-size: 1.15rem; margin: 2rem 0 .5rem; }}
h3 {{ font-size: 1rem; margin: 0 0 .25rem; }}
.scroll {{ overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }}
.drawing:has(.fit:checked) svg {{ width: 100%; height: auto; }}
.drawing label {{ font-size: .85rem; color: var(--quiet); }}
.quiet {{ color: var(--quiet); }}
table {{ border-collapse: collapse; font-size: .9rem; }}
th, td {{ text-align: left; padding: .2rem .9rem .2rem 0; vertical-align: top; }}
th {{ color: var(--quiet); font-weight: 600; }} td.number, th.number {{ text-align: right;
  font-variant-numeric: tabular-nums; }}
.notes {{ display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr));
  overflow-wrap: anywhere; }}
.note {{ border: 1px solid var(--line); border-radius: 8px; padding: .6rem .8rem; }}
.note:target {{ outline: 3px solid var(--joint); }}
.note ul {{ margin: 0; padding-left: 1.1rem; font-size: .9rem; }}
summary {{ cursor: pointer; }}
"""


def page(title: str, lead: str, *sections: Markup, more_style: str = "") -> str:
    """The whole file."""
    look = style.themed(":root") + LAYOUT + style.DRAWING + more_style
    head = tag("head", lines(
        Markup('<meta charset="utf-8"/>'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1"/>'),
        tag("title", title), tag("style", Markup(look))))
    body = tag("body", tag("main", lines(tag("h1", title), tag("p", lead, class_="quiet"),
                                         *sections)))
    return f"<!DOCTYPE html>\n{tag('html', lines(head, body), lang='en')}\n"


def section(heading: str, *parts: Markup) -> Markup:
    return tag("section", lines(tag("h2", heading), *parts))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]],
          numbers: frozenset[int] = frozenset(), caption: str | None = None) -> Markup:
    """A table; the columns whose indices are in `numbers` are aligned to the right."""
    heads = (tag("th", name, scope="col", class_=_class(index, numbers))
             for index, name in enumerate(columns))
    body = (tag("tr", *(tag("td", cell, class_=_class(index, numbers))
                        for index, cell in enumerate(row))) for row in rows)
    above = (tag("caption", caption),) if caption else ()
    return tag("table", *above, tag("thead", tag("tr", *heads)), tag("tbody", *body))


def _class(index: int, numbers: frozenset[int]) -> str | None:
    return "number" if index in numbers else None
