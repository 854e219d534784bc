"""The functions of a stage's module: one for each operator, which calls the next, and the loops."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.kernels.native.body import Body, Registry
from anabranch.kernels.native.layout import ROW, Inner, Table
from anabranch.kernels.native.operators import Site, Written
from anabranch.kernels.native.values import CONTEXT, Shape, leaves, parameters

# Without its reference counts (_nrt) Numba passes arrays for nothing; nothing here allocates one.
INNER = "@njit(nogil=True, _nrt=False)"
# A call hands over hundreds of words; where there is one call of a function, it is no call at all.
WITHIN = "@njit(nogil=True, _nrt=False, forceinline=True)"
ENTRY = "@njit(nogil=True, _nrt=False, cache=True)"
ITEM = "a"


@dataclass(frozen=True)
class Following:
    """What a site hands its items to, in which shape; with `inner` it is an operator, counted there
    at its `place`."""

    name: str
    shape: Shape
    inner: Inner | None = None
    place: int = 0

    def called(self, arguments: str) -> list[str]:
        """The call, counted, and in some slices measured."""
        call = f"{self.name}({arguments})"
        if self.inner is None:
            return [call]
        rows, timed = self.inner.rows(self.place), "if timed:"
        counting = [f"c[{rows}] += 1"] if self.inner.is_counted(self.place) else []
        return [*counting, timed, f"    c[{rows + 2}] -= ticks()", call,
                timed, f"    c[{rows + 2}] += ticks()"]


def functions(parts: list[tuple[Shape, Written]], shapes: list[Shape], last: Body,
              tables: list[Table], inner: Inner) -> list[str]:
    """The functions, the last operator's first: each is defined before it is called. `parts` has
    what each operator is given, `shapes` what it hands on."""
    lines = _function("emit", shapes[-1], last.lines, None, _is_within(parts[-1][1]))
    for n, (shape, written) in reversed(list(enumerate(parts))):
        following = Following("emit", shapes[n]) if n + 1 == len(parts) else (
            Following(f"op{n + 1}", shapes[n], inner, n + 1))
        lines += _function(f"op{n}", shape, written.lines, following,
                           n == 0 or _is_within(parts[n - 1][1]))
        if written.end:
            number = written.table.number
            lines += _function(f"at_end{number}", None, written.end, following, True)
            lines += loop(f"end{number}", f"c[{written.table.count}]", f"at_end{number}", tables,
                          inner=inner)
    return lines + loop("run", "size", "op0", tables, inner=inner)


def _is_within(caller: Written) -> bool:
    """Whether an item, and the end of the input, each have one place that hands on."""
    return all(sum(isinstance(line, Site) for _, line in lines) <= 1
               for lines in (caller.lines, caller.end or []))


def _function(name: str, shape: Shape | None, body: list, following: Following | None,
              within: bool) -> list[str]:
    given = [] if shape is None else parameters(shape, ITEM)
    lines = ["", "", WITHIN if within else INNER, f"def {name}({', '.join([CONTEXT, *given])}):"]
    for depth, line in body:
        texts = _call(line, following) if isinstance(line, Site) else [line]
        lines += ["    " * depth + text for text in texts]
    return lines


def helpers(registry: Registry) -> list[str]:
    """The user's functions that operators call."""
    lines = []
    for helper in registry.helpers.values():
        head = f"def {helper.name}({', '.join([CONTEXT, *helper.parameters])}):"
        lines += ["", "", INNER, head, *("    " * depth + line for depth, line in helper.lines)]
    return lines


def _call(site: Site, following: Following) -> list[str]:
    places, values = leaves(following.shape, ITEM), leaves(site.given, ITEM)
    codes = [code for (_, place), (_, value) in zip(places, values)
             for code in site.body.passed(place, value)]
    # Numba takes no call with many arguments some of which have branches of their own.
    passed = [f"p{n}" for n in range(len(codes))]
    given = [f"{name} = {code}" for name, code in zip(passed, codes)]
    return [*given, *following.called(", ".join([CONTEXT, *passed]))]


def loop(name: str, size: str, called: str, tables: list[Table], order: str = "",
         inner: Inner | None = None) -> list[str]:
    """A function that does one row after another; `order` names an array that has the rows."""
    lines = ["", "", ENTRY, f"def {name}({CONTEXT}, size):",
             f"    for at in range(c[{ROW}], {size}):", f"        c[{ROW}] = at",
             f"        i = uint64({order}[at])" if order else "        i = uint64(at)"]
    for t in tables:
        lines += [] if t.is_noted else [f"        c[{t.count + 1}] = c[{t.count}]"]
        lines += [f"        c[{t.count + 2}] = 0"] if t.logs else []
    lines += [f"        c[{place + 1}] = c[{place}]" for place in (inner.places if inner else ())]
    return [*lines, f"        {called}({CONTEXT})", f"    c[{ROW}] = {size}"]
