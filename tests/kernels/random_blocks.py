"""Random functions whose variables change: in branches and loops, from None, to another kind."""

from __future__ import annotations

from kernels.random_functions import PRELUDE, Writer, defined

NAMES = ("u", "v", "w", "k")
KINDS = ("int", "int", "float", "float", "truth", "text", "maybe", "none")
LONGEST, DEEPEST = 4, 3


class Blocks:
    """Writes statements; `kinds` has what each variable is as far as that is sure here."""

    def __init__(self, seed: int, state: bool):
        self.writer, self.state, self.lines = Writer(seed, state), state, []
        self.kinds: dict[str, str] = {}
        self.pick, self.loops = self.writer.pick, 0
        self.changing = self.pick(1, 1, 20)

    def write(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def value(self, kind: str) -> str:
        """An expression of a kind, which may use variables."""
        w = self.writer
        w.locals = {kind: [n for n, known in self.kinds.items() if known == kind]
                    for kind in ("int", "float")}
        same = [n for n, known in self.kinds.items() if known == kind]
        own = ["state.best"] if self.state else []
        return {"int": lambda: w.int(self.pick(0, 1)), "float": lambda: w.float(self.pick(0, 1)),
                "truth": lambda: self.pick(w.truth(1), *same),
                "text": lambda: self.pick("t.s", w.text(1), "'b'", *same),
                "maybe": lambda: self.pick("t.o", f"({w.int(0)} if {w.truth(1)} else None)",
                                           *own, *same),
                "none": lambda: "None"}[kind]()

    def block(self, depth: int) -> None:
        for _ in range(self.pick(*range(1, LONGEST))):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        forms = [self.assign, self.assign, self.give, self.add, self.exchange, self.refine]
        forms += [self.keep] if self.state else []
        forms += [self.branch, self.branch, self.loop] if depth < DEEPEST else []
        forms += [self.leave] if self.loops else []
        self.pick(*forms)(depth)

    def assign(self, depth: int) -> None:
        name = self.pick(*NAMES)
        kind = self.kinds.get(name, "int")
        # Most often a variable stays what it is; what may be None is one or the other.
        kind = self.pick(*KINDS) if kind == "mixed" or self.pick(*range(self.changing)) == 1 else (
            self.pick("maybe", "none", "int") if kind in ("maybe", "none") else kind)
        given = self.value(kind)
        self.write(depth, self.pick(f"{name} = {given}", f"{name} = {given}",
                                    f"{name}: object = {given}"))
        self.kinds[name] = kind

    def add(self, depth: int) -> None:
        for name, kind in self.kinds.items():
            if kind in ("int", "float"):
                self.write(depth, f"{name} {self.pick('+', '-', '*')}= {self.value(kind)}")
                return
        self.assign(depth)

    def exchange(self, depth: int) -> None:
        first = self.pick(*NAMES)
        known = [n for n, kind in self.kinds.items() if kind == self.kinds.get(first)]
        if len(known) < 2:
            self.assign(depth)
            return
        one, other = self.writer.random.sample(known, 2)
        self.write(depth, f"{one}, {other} = {other}, {one}")
        self.kinds[one], self.kinds[other] = self.kinds[other], self.kinds[one]

    def refine(self, depth: int) -> None:
        """What may be None is something behind this."""
        names = [n for n, kind in self.kinds.items() if kind in ("maybe", "none")]
        if not names:
            self.assign(depth)
            return
        name = self.pick(*names)
        self.write(depth, f"if {name} is None{self.pick('', ' or ' + self.writer.truth(1))}:")
        self.write(depth + 1, f"{name} = {self.value('int')}")
        self.kinds[name] = "int"

    def keep(self, depth: int) -> None:
        field, kind = self.pick(("n", "int"), ("z", "float"), ("seen", "truth"), ("word", "text"),
                                ("best", "maybe"), ("best", "int"), ("best", "none"))
        self.write(depth, f"state.{field} = {self.value(kind)}")

    def give(self, depth: int) -> None:
        values = [self.value(kind) for kind in ("int", "float", "truth", "text", "maybe")]
        self.write(depth, f"yield Out({', '.join(values)})")

    def branch(self, depth: int) -> None:
        before = dict(self.kinds)
        ends = [before]
        for head in [f"if {self.value('truth')}:", *[f"elif {self.value('truth')}:"] * self.pick(
                0, 0, 1), *["else:"] * self.pick(0, 1)]:
            self.kinds = dict(before)
            self.write(depth, head)
            self.block(depth + 1)
            ends.append(self.kinds)
            if head == "else:":
                ends.remove(before) if before in ends else None
        self.kinds = _merged(ends)

    def loop(self, depth: int) -> None:
        head = self.pick("for i in range(3):", "for i in range(t.b % 4):", "for i in (t.a, t.b):",
                         "while k0 < 3:")
        if head.startswith("while"):
            self.write(depth, "k0 = 0")
        self.write(depth, head)
        if head.startswith("while"):
            self.write(depth + 1, "k0 += 1")
        before, self.loops = dict(self.kinds), self.loops + 1
        # What is changed in the loop may be so from its beginning on.
        self.block(depth + 1)
        self.kinds, self.loops = _merged([before, self.kinds]), self.loops - 1

    def leave(self, depth: int) -> None:
        self.write(depth, f"if {self.value('truth')}:")
        self.write(depth + 1, self.pick("break", "continue", "return"))


def _merged(ends: list[dict[str, str]]) -> dict[str, str]:
    """What variables are for sure when any of these may have been."""
    names = {name for end in ends for name in end}
    found = {}
    for name in sorted(names):
        kinds = {end.get(name, "none at all") for end in ends}
        found[name] = kinds.pop() if len(kinds) == 1 else (
            "maybe" if kinds <= {"maybe", "none", "int"} else "mixed")
    return found


def block_function(seed: int, state: bool):
    """A generator whose variables are assigned again and again."""
    made = Blocks(seed, state)
    for name in NAMES[:made.pick(2, 4, 4)]:
        kind = made.pick(*KINDS)
        made.write(0, f"{name} = {made.value(kind)}")
        made.kinds[name] = kind
    for _ in range(5):
        made.statement(0)
    made.give(0)
    head = "def f(state: Memory, t):" if state else "def f(t):"
    return defined(PRELUDE + head + "\n" + "".join(f"    {line}\n" for line in made.lines), seed)
