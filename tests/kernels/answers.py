"""What a kernel gives for an expression, beside what Python gives.

The kernels are run by Python itself, and one row at a time is left to the rows tier where native
code gives up: so it is seen for each row whether the kernel did it.
"""

from __future__ import annotations

import linecache

import anabranch as ab
from anabranch.analysis.typing.diagnostics import collecting
from anabranch.batch.record_batch import batch_of, items_of
from kernels.tiers import Program, bits

LEFT = "left to Python"


def known(text: str, scope: dict) -> dict:
    """The names that a text defines, its lines known as if they stood in a file."""
    file = f"<answers {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = dict(scope, __name__="__main__")
    exec(compile(text, file, "exec"), scope)
    return scope


def expression(text: str, item: type, to: type, scope: dict) -> tuple[Program, object]:
    """The program that computes an expression of `t`, and the function itself. What inference would
    refuse before anything runs comes to the kernel all the same."""
    function = known(f"f = lambda t: {text}\n", scope)["f"]
    with collecting():
        return Program(ab.from_iterable([], item).map(function, to=to)), function


def by_kernel(program: Program, items: list) -> list:
    """What the kernel gives for each item by itself; `LEFT` where it gives up."""
    kernel, answers = program.kernel, []
    assert kernel.tier == "native", kernel.reason
    whole = batch_of(items, program.input_type)
    while len(answers) < len(items):
        found, *_ = kernel.advance(kernel.start(), whole.slice(len(answers)))
        answers += [bits(answer) for answer in items_of(found, program.output_type)]
        answers += [LEFT] if len(answers) < len(items) else []
    assert kernel.failure is None, kernel.failure
    return answers


def by_python(function: object, items: list, to: type) -> list:
    """What the function gives for each item, as a column holds it; `LEFT` where that cannot be."""
    return [_held(function, item, to) for item in items]


def _held(function: object, item: object, to: type) -> object:
    try:
        answer = function(item)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return LEFT
    if isinstance(answer, complex) or (isinstance(answer, int) and not -2**63 <= answer < 2**63):
        return LEFT
    if answer is None and to in (float, int, bool):
        return LEFT
    return bits(to(answer) if to in (float, int, bool) else answer)
