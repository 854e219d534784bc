"""The text of a program beside its drawing.

What points at an operator marks its lines, and the other way round. It takes no script.
"""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.core.source import Span, file_text, shown_path
from anabranch.explain.picture.markup import Markup, lines, tag
from anabranch.explain.picture.scene import Box, Scene

WIDTH = "27rem"

LOOK = f"""
.beside {{ display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, {WIDTH}); gap: 1rem;
  align-items: start; }}
.listing {{ position: sticky; top: .5rem; max-height: 95vh; overflow: auto; font-size: .8rem;
  border: 1px solid var(--line); border-radius: 8px; padding: .5rem .75rem; margin-top: 1.35rem; }}
.listing pre {{ margin: 0; line-height: 1.45; }}
.listing .line {{ display: block; }} .listing .line:target {{ background: var(--pill); }}
.listing .number {{ display: inline-block; width: 2.4rem; color: var(--quiet); user-select: none; }}
@media (max-width: 1100px) {{ .beside {{ display: block; }} }}
"""


def beside(scene: Scene, drawing: Markup, prefix: str) -> Markup:
    """The drawing with the text of the program, as far as it is at hand."""
    files = [file for file in dict.fromkeys(span.file for box in scene.boxes for span in box.spans)
             if _text(file)]
    if not files:
        return drawing
    shown = [tag("div", tag("h3", shown_path(file)), _listing(file, prefix, number))
             for number, file in enumerate(files)]
    marks = [rule for index, box in enumerate(scene.boxes)
             for rule in _marks(box, index, files, prefix)]
    return tag("div", tag("style", Markup("\n".join(marks))), drawing,
               tag("aside", lines(*shown), class_="listing", tabindex=0,
                   aria_label="the program"), class_="beside")


def _listing(file: str, prefix: str, number: int) -> Markup:
    """The lines of a file, each with its number and a name of its own."""
    return tag("pre", *(
        tag("span", tag("span", str(line), class_="number"), text or " ", class_="line",
            id=_line(prefix, number, line))
        for line, text in enumerate(_text(file).splitlines(), 1)))


def _marks(box: Box, index: int, files: list[str], prefix: str) -> Iterator[str]:
    """What the page looks like while something points at a box, or at one of its lines."""
    own = [_line(prefix, files.index(span.file), line) for span in box.spans
           if span.file in files for line in _lines(span)]
    box_of = f"#{prefix}-box-{index}"
    if own:
        yield (f".beside:has({box_of}:hover, {box_of}:focus-within) "
               f":is({', '.join(f'#{line}' for line in own)}) {{ background: var(--pill); }}")
        yield (f".beside:has({', '.join(f'#{line}:hover' for line in own)}) {box_of} .box "
               "{ stroke-width: 3; }")


def _lines(span: Span) -> range:
    return range(span.line, (span.end_line or span.line) + 1)


def _line(prefix: str, file: int, line: int) -> str:
    return f"{prefix}-line-{file}-{line}"


def _text(file: str) -> str:
    try:
        return file_text(file)
    except (OSError, UnicodeError, SyntaxError):
        return ""
