"""What `make demo` shows: a program, what was proved about it, and its result."""

from pathlib import Path

from rich.console import Console
from rich.syntax import Syntax

from anabranch.compile import compile_graph, load
from anabranch.engine.run import execute
from anabranch.explain import explain
from anabranch.runtime.options import RunOptions

PROGRAM = Path(__file__).parent / "balances.py"
console = Console()

console.rule("The program, as if it handled one payment at a time")
console.print(Syntax.from_path(str(PROGRAM), background_color="default"))
plan = compile_graph(load(PROGRAM))
console.rule("What Anabranch proved (anabranch explain examples/balances.py)")
print(explain(plan, console=console))
console.rule("Its output (anabranch run examples/balances.py --engine sequential)")
execute(plan, RunOptions("sequential"))
