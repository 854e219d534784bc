"""Pages: one self-contained HTML file, readable in dark and in light, that asks for nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anabranch.explain.picture import style
from anabranch.explain.picture.markup import Markup, lines, tag

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
