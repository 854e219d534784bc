"""A plan as an HTML page: drawn before and after the rewrites, with all reasons."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.explain.picture import style
from anabranch.explain.picture.listing import LOOK, beside
from anabranch.explain.picture.markup import Markup, lines, page, section, table, tag
from anabranch.explain.picture.plans import as_written, planned, trees
from anabranch.explain.picture.scene import Scene
from anabranch.explain.picture.svg import drawn, placed, svg
from anabranch.explain.tables import tables
from anabranch.explain.words import summary
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution

LEGEND = ("A frame is a parallel region; a blue label is a joint, with its routing and how it "
          "keeps the order. A dashed box is sequential. A drum marks state. Dashed links go back.")


HIGH = 800.0

BESIDE = 800.0
"""So wide a row is where the text of the program stands beside it."""


def plan_page(plan: Plan, execution: Execution | None = None) -> str:
    """The whole page."""
    return page("Plan", summary(plan), *_sections(plan, execution), more_style=LOOK)


def _sections(plan: Plan, execution: Execution | None) -> Iterator[Markup]:
    scene = planned(plan, execution)
    engine = f", on the {execution.engine} engine" if execution else ""
    drawing = beside(scene, scrolled(scene, "plan", BESIDE), "plan")
    yield section(f"How it runs{engine}", drawing, _quiet(LEGEND))
    for number, tree in enumerate(trees(plan)):
        yield section(tree.title, scrolled(tree, f"tree-{number}"), _quiet(tree.description),
                      note_cards(tree, f"tree-{number}"))
    if plan.program is not None:
        yield _before(plan)
    yield section("Why", note_cards(scene, "plan"), *_regions(scene))
    for title, columns, rows in tables(plan):
        yield section(title.capitalize(), table(columns, rows))


def _before(plan: Plan) -> Markup:
    if plan.program.operators == plan.graph.operators:
        return section("Before the rewrites", _quiet("The rewrites changed nothing."))
    before = as_written(plan.program)
    return section("Before the rewrites: the program as written", scrolled(before, "written"),
                   note_cards(before, "written"))


def scrolled(scene: Scene, prefix: str, room: float = style.ROOM) -> Markup:
    """The drawing in its full size, or as a whole where that is wished: at first, if it is so high
    that its left end may be out of sight."""
    arrangement = placed(scene, room)
    fit = tag("input", type="checkbox", class_="fit",
              checked="" if arrangement.height > HIGH else None)
    return tag("div", tag("label", fit, " fit to the width of the page"),
               tag("div", drawn(scene, arrangement, prefix, alone=False), class_="scroll",
                   tabindex=0, role="region", aria_label=scene.title), class_="drawing")


def note_cards(scene: Scene, prefix: str) -> Markup:
    """What there is to say about each box, where a tap on the box leads."""
    return tag("div", lines(*(
        tag("article", tag("h3", box.notes[0]), tag("ul", *(tag("li", n) for n in box.notes[1:])),
            id=f"{prefix}-why-{index}", class_="note")
        for index, box in enumerate(scene.boxes) if box.notes)), class_="notes")


def _regions(scene: Scene) -> Iterator[Markup]:
    if scene.regions:
        yield tag("h2", "Regions")
        yield tag("div", *(tag("article", tag("h3", region.notes[0]),
                               tag("ul", *(tag("li", n) for n in region.notes[1:])), class_="note")
                           for region in scene.regions), class_="notes")


def _quiet(text: str) -> Markup:
    return tag("p", text, class_="quiet")


def fragment(plan: Plan, prefix: str) -> str:
    """The plan for a notebook's cell: the drawing, and the notes of the box that was tapped."""
    scene = planned(plan)
    look = (style.themed(".anabranch") + style.DRAWING + """
.anabranch { background: var(--paper); color: var(--ink); }
.anabranch .note { display: none; } .anabranch .note:target { display: block; }
""")
    return str(tag("div", lines(
        tag("style", Markup(look)), tag("p", summary(plan)),
        tag("div", svg(scene, prefix, alone=False), style="overflow-x: auto"),
        note_cards(scene, prefix)), class_="anabranch"))
