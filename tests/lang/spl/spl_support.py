"""SPL programs in tests: compiled, run, and damaged."""

from __future__ import annotations

import io
import random
import re
from contextlib import redirect_stdout
from pathlib import Path

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.engine.run import execute
from anabranch.lang.spl import compiled
from anabranch.runtime.options import RunOptions

HERE = Path(__file__).parent
EXAMPLES = Path(__file__).parents[3] / "examples" / "spl"
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[\w$]+|//[^\n]*|\s+|.', re.DOTALL)

AROUND = """\
{types}
composite Main {{
  graph
    stream<uint64 i> In = Beacon() {{
      param iterations: {count};
      output In: i = IterationCount();
    }}
    () as Out = Custom(In) {{
      logic {state} onTuple In: {{ {logic} }}
    }}
}}
"""


def logic(text: str, count: int = 1, state: str = "", types: str = "") -> str:
    """A program with this logic."""
    return AROUND.format(types=types, count=count, state=state and f"state: {{ {state} }}",
                         logic=text)


def printed(text: str, file: str = "test.spl", **options) -> str:
    """What a program prints."""
    out = io.StringIO()
    with redirect_stdout(out):
        execute(compile_graph(compiled(text, file, {}, [HERE])),
                RunOptions(**{"engine": "sequential", **options}))
    return out.getvalue()


def lines_of(statements: str, **more) -> list[str]:
    """The lines that a logic prints."""
    return printed(logic(statements, **more)).splitlines()


def told(text: str) -> str:
    """The error that a program ends in, if it does."""
    try:
        printed(text, "wrong.spl")
    except AnabranchError as error:
        return str(error)
    return "no error"


KINDS = [re.compile(kind, re.DOTALL) for kind in (
    r"[A-Za-z_$]\w*", r"[\d\"].*", r"[-+*/%<>=!&|^.]")]
"""Words that can stand for each other: names, literals, operators."""


def damaged(text: str, draw: random.Random) -> str:
    """The program with one or two of its words left out, written twice, or another one of their
    kind."""
    tokens = TOKEN.findall(text)
    words = [n for n, token in enumerate(tokens) if token.strip() and not token.startswith("//")]
    for _ in range(draw.choice((1, 1, 1, 2))):
        at, how = draw.choice(words), draw.randrange(10)
        kind = next((k for k in KINDS if k.fullmatch(tokens[at])), None)
        others = [tokens[n] for n in words if kind and kind.fullmatch(tokens[n])]
        if how < 2 or not others:
            tokens[at] = "" if how == 0 else f"{tokens[at]} {tokens[at]}"
        else:
            tokens[at] = draw.choice(others)
    return "".join(tokens)
