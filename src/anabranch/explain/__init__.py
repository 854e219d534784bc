"""A plan for people and for programs: what runs in parallel, how order is kept, and why not.

Depends on plan, ir and analysis.facts; nothing depends on it but the API and the command line.
"""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

from anabranch.errors import UsageError, did_you_mean
from anabranch.explain.json import to_json
from anabranch.plan import Execution, Plan

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
