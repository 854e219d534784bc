"""A plan for people and programs: what runs in parallel, what keeps order, why not.

An explanation is also an object: text where there is text, a picture where there are pictures.

Depends on plan, ir and analysis.facts; nothing depends on it but the API and the command line.

    json.py      A plan as plain data, for other programs. Keys are stable; new ones may be added
    matrix.py    Which operator runs how on which engine, for docs/matrix.md
    pipeline.py  A region drawn as a small pipeline, every edge of it exactly once
    tables.py    What is to be said beyond operators and regions: tables, notes on streams
    text.py      A plan to be read: a summary, the ends, operators, regions, and why not elsewhere
    words.py     Facts in a few words, as in a column of the explanation; a plan in one line
    picture/     Pictures of plans: boxes and links, laid out from left to right, as SVG and HTML
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from json import dumps
from typing import TYPE_CHECKING

from anabranch.core.errors import UsageError, did_you_mean
from anabranch.explain.json import to_json
from anabranch.explain.words import summary
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution

if TYPE_CHECKING:
    from rich.console import Console


FORMATS = ("text", "json", "svg", "html")


def explain(plan: Plan, format: str = "text", console: Console | None = None,
            execution: Execution | None = None, stream: bool = False) -> str:
    """The plan as text fitted to the console (its width, its colours), as JSON, as a drawing, or as
    a page with drawings and reasons.

    With `execution` it also says how an engine runs it; with `stream`, as text or JSON, what is to
    be known of it as a stream.
    """
    if stream and format not in ("text", "json"):
        raise UsageError(f"what a stream does is not shown as {format}",
                         help="--format text or json")
    if format == "json":
        return dumps(to_json(plan, execution, stream), indent=2, ensure_ascii=False)
    if format == "text":
        # Rich takes a while to import, and JSON does not need it.
        from anabranch.explain.text import to_text

        return to_text(plan, console, execution, stream)
    if format == "svg":
        from anabranch.explain.picture.plans import planned
        from anabranch.explain.picture.svg import svg

        return str(svg(planned(plan, execution)))
    if format == "html":
        from anabranch.explain.picture.html import plan_page

        return plan_page(plan, execution)
    raise UsageError(f"no explain format is called '{format}'", help=did_you_mean(format, FORMATS))


_numbers = count()


@dataclass(frozen=True, repr=False)
class Explanation:
    """What `Stream.explain` gives: a notebook shows it as a picture."""

    plan: Plan

    def __repr__(self) -> str:
        return f"<Explanation: {summary(self.plan)}>"

    def _repr_html_(self) -> str:
        """Every picture of a notebook has identifiers of its own."""
        from anabranch.explain.picture.html import fragment

        return fragment(self.plan, f"anabranch-{next(_numbers)}")
