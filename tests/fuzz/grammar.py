"""Expressions and statements as users write them, as a grammar that a random number drives.

A rule is text in which `<int>`, `<str>`, ... stand for an expression of that type. A statement
names its variables `@a`, `@b`; those before the arrow can be used behind it.
"""

from __future__ import annotations

import random
import re

EXPRESSIONS = {
    "int": """
<int> + <int>
<int> - <int>
<int> * <small>
<int> // <small>
<int> % <small>
-<int>
abs(<int>)
max(<int>, <int>)
min(<int>, <int>, <small>)
<int> if <bool> else <int>
len(<str>)
<str>.count(<char>)
<str>.find(<char>)
int(<bool>)
int(<float> * 10) if math.isfinite(<float>) else <small>
round(<tame>)
math.floor(<tame>)
math.ceil(<tame>)
int(<tame>)
<int> & 255
<int> ^ <small>
(<int> & 15) << 2
math.gcd(<int>, <small>)
math.isqrt(abs(<int>))
sum(range(<int> % 5))
sum(@i * @i for @i in range(<int> % 4))
len([@c for @c in <str> if @c.isalpha()])
len(set(<str>))
len({@c: 1 for @c in <str>})
max([<int>, <int>, <small>])
sorted([<int>, <small>, <int>])[1]
[<int>, <int>, 3][<int> % 3]
(<int>, <int>)[-1]
{"a": <int>, "b": <small>}.get(<char>, <small>)
ord(<str>[0]) if <str> else 0
zlib.crc32(<str>.encode())
int(hashlib.md5(<str>.encode()).hexdigest()[:4], 16)
bisect.bisect_left([1, 3, 5, 7], <int>)
divmod(<int>, <small>)[1]
next((@i for @i in range(5) if @i > <int>), -1)
Counter(<str>).most_common(1)[0][1] if <str> else 0
functools.reduce(lambda a, b: a * 3 + b, [<int> % 7, <small>, <int> % 5])
heapq.nsmallest(2, [<int>, <int>, <small>])[-1]
list(itertools.accumulate([<small>, <int> % 9]))[-1]
statistics.median_low([<int>, <small>, <int>])
int(Fraction(<int>, <small>) * 6)
int(Decimal(<int>) + Decimal("1.5"))
<datetime>.day
<datetime>.toordinal() % 1000
int((<datetime> - datetime(2026, 1, 1)).total_seconds())
60 // <int>
""",
    "tame": """
<int> / <small>
<tame> + <tame>
<tame> * 0.5
math.sqrt(abs(<int>))
float(<int>)
min(max(<tame>, -1e6), 1e6)
round(<tame>, 2)
abs(<tame>)
""",
    "float": """
<tame>
<float> + <float>
<float> - <tame>
<float> * 2
<float> * <float>
<float> / <small>
<int> / <small>
<float> // <small>
<float> % <small>
-<float>
abs(<float>)
max(<float>, <float>)
min(<float>, 0.0)
round(<float>, 2)
float(<int>)
math.sqrt(abs(<tame>))
math.hypot(<tame>, 3.0)
math.atan2(<float>, <tame>)
math.copysign(1.5, <float>)
math.fsum([<tame>, <tame>])
statistics.mean([<tame>, <tame>, 1.0])
sum([<float>, <float>])
<float> if <bool> else <tame>
(<tame> - 1) ** 2
math.exp(-abs(<tame>))
math.log1p(abs(<tame>))
math.inf if <bool> else <float>
""",
    "str": """
<str> + <str>
<str>.upper()
<str>.lower()
<str>.strip()
<str>.title()
<str>.swapcase()
<str>[:<small>]
<str>[<small>:]
<str>[::-1]
<str>[-2:]
<str>[1:-1]
<str>.replace(<char>, "_")
<str>.split(<char>)[0]
<str>.partition(<char>)[2]
<str>.rjust(6, "*")
<str>.zfill(5)
<str> or <word>
<str> * (<int> % 3)
str(<int>)
str(<tame>)
repr(<float>)
f"{<int>}"
f"{<str>}-{<int>:04d}"
f"{<str>!r:>8}"
f"{<tame>:.2f}|{<int>:x}"
f"{<float>:.3e}"
"%s/%d" % (<str>, <int>)
"{:>5}{}".format(<int>, <word>)
",".join([<str>, <word>])
"".join(sorted(<str>))
"-".join(str(@i) for @i in range(<int> % 4))
"".join(@c for @c in <str> if @c not in "aeiou")
<str> if <bool> else <word>
["low", "mid", "high"][<int> % 3]
re.sub(r"[0-9]+", "#", <str>)
(re.findall(r"[a-z]+", <str>) or ["none"])[0]
json.dumps({"n": <int>, "s": <str>})
textwrap.shorten(<str> + " and more words", 12)
hashlib.sha1(<str>.encode()).hexdigest()[:6]
<datetime>.isoformat()
<datetime>.strftime("%Y/%m")
str(Fraction(<int>, <small>))
str(Decimal(<int>) / Decimal("4"))
type(<int>).__name__
chr(97 + <int> % 26)
<str>.encode("utf-8").decode("latin-1")
<str>[<small>]
""",
    "bool": """
<int> > <int>
<int> % 2 == 0
<int> != <small>
0 < <int> < 50
<float> > <tame>
<float> == <float>
<str> == <word>
<str> < <str>
<char> in <str>
<str>.startswith(<char>)
<str>.isdigit()
<int> in (1, 2, 3)
<str> in {"a", "b"}
not <bool>
<bool> and <bool>
<bool> or <bool>
bool(<str>)
any(@c == "a" for @c in <str>)
all(@i < <int> for @i in (1, 2))
isinstance(<int>, int)
math.isnan(<float>)
math.isfinite(<float>)
<datetime> > datetime(2026, 3, 1)
re.search(r"[aeiou]{2}", <str>) is not None
""",
    "datetime": """
<datetime> + timedelta(minutes=<int> % 600)
<datetime> - timedelta(days=<small>)
<datetime>.replace(day=1)
<datetime>.replace(microsecond=0)
max(<datetime>, datetime(2026, 1, 2))
datetime(2026, 1, 1) + timedelta(seconds=<int> % 100000)
""",
    "int?": "<int>\nNone\n<int> if <bool> else None",
    "float?": "<float>\nNone\n<float> if <bool> else None",
    "str?": "<str>\nNone\n<str> or None",
    "ints": "[<int>, <int>]\n[]\nsorted([<int>, <small>])\n[@i for @i in range(<int> % 4)]",
}

PLAIN = {
    "int": """
<int> + <int>
<int> - <int>
<int> * <small>
<int> // <small>
<int> % <small>
-<int>
abs(<int>)
max(<int>, <int>)
<int> if <bool> else <int>
len(<str>)
int(<bool>)
int(<tame>)
math.floor(<tame>)
<int> & 255
""",
    "tame": EXPRESSIONS["tame"],
    "float": """
<tame>
<float> + <float>
<float> - <tame>
<float> * <float>
<float> / <small>
<float> // <small>
<float> % <small>
-<float>
abs(<float>)
max(<float>, <float>)
min(<float>, 0.0)
round(<float>, 2)
float(<int>)
math.sqrt(abs(<tame>))
<float> if <bool> else <tame>
<float> / <int>
""",
    "str": """
<str> + <str>
<str>.upper()
<str>.strip()
<str>[:<small>]
<str>[1:-1]
<str>[::-1]
<str> if <bool> else <word>
<str>.replace(<char>, "_")
f"{<str>}-{<int>}"
str(<int>)
""",
    "bool": """
<int> > <int>
<int> % 2 == 0
0 < <int> < 50
<float> > <tame>
<float> == <float>
<str> == <word>
<str> < <str>
<char> in <str>
<str>.startswith(<char>)
not <bool>
<bool> and <bool>
<bool> or <bool>
<int> in (1, 2, 3)
""",
    "datetime": "<datetime> + timedelta(minutes=<small>)",
}
"""The expressions of which kernels are made."""

LEAVES = {"int": ["0", "1", "7", "-3", "100"], "tame": ["0.5", "2.0", "-1.25"],
          "float": ["0.0", "-0.0", "1.5", "1e-3"], "str": ['"a"', '""', '"b-c"', "'é'"],
          "bool": ["True", "False"], "datetime": ["datetime(2026, 2, 28, 23, 59)"],
          "int?": ["None"], "float?": ["None"], "str?": ["None"], "ints": ["[]", "[1, 2]"],
          "small": ["2", "3", "5", "10"], "char": ['"a"', '"-"', '"1"', '" "'],
          "word": ['"x"', '"word"', '"ß"']}

STATEMENTS = """
a:int -> @a = <int>

a:float -> @a = <float>

a:str -> @a = <str>

a:int, b:str -> @a, @b = <int>, <str>

a:int ->
@a = 0
for @c in <str>:
    if @c == <char>:
        continue
    @a += 1

a:int ->
@a = <int>
for @i in range(<int> % 6):
    @a += @i
    if @a > 40:
        break
else:
    @a -= 1

a:int ->
@a = abs(<int>) % 1000
while @a > 9:
    @a //= 2

a:int ->
try:
    @a = int(<str>)
except ValueError:
    @a = <small>

a:float ->
try:
    @a = <float> / <int>
except ZeroDivisionError as problem:
    @a = float(len(str(problem)))
finally:
    @b = 1

a:str ->
try:
    @a = {"a": "one", "1": "two"}[<str>]
except (KeyError, IndexError):
    @a = <str>

a:int ->
if (@m := re.match(r"([a-z]+)-?(\\d*)", <str>)) is not None:
    @a = len(@m.group(1))
else:
    @a = <int>

a:int ->
if (@a := <int>) > 10:
    @a -= 10

a:str ->
match <int> % 4:
    case 0:
        @a = "zero"
    case 1 | 2:
        @a = <str>
    case @n if @n > 2:
        @a = f"{@n}"
    case _:
        @a = "never"

a:str ->
match [<int>, <str>]:
    case [0, @w]:
        @a = @w
    case [@n, str(@w)] if @n > 0:
        @a = @w * (@n % 3)
    case _:
        @a = <word>

a:int ->
def @f(x, y=<small>):
    return x * y + <int>
@a = @f(<int>) + @f(1, y=2)

a:int ->
def @f(n):
    return n if n < 2 else @f(n - 1) + @f(n - 2)
@a = @f(<int> % 9)

a:str ->
@f = lambda x: x[:2] + <word>
@a = @f(<str>)

a:int ->
@d = {}
for @c in <str>:
    @d[@c] = @d.get(@c, 0) + 1
@a = max(@d.values(), default=0)

a:str ->
@d = Counter(<str>)
@d.update(<word>)
@a = "".join(sorted(@d))

a:int ->
@d = defaultdict(list)
for @i, @c in enumerate(<str>):
    @d[@c].append(@i)
@a = sum(len(@v) for @v in @d.values() if len(@v) > 1)

a:int ->
@q = deque([<int>, <int>], maxlen=3)
@q.append(<int>)
@q.appendleft(<small>)
@a = sum(@q)

a:int ->
@h = [<int>, <int>, <small>]
heapq.heapify(@h)
@a = heapq.heappop(@h)

a:int ->
@l = [<int>, <int>]
@l.append(<small>)
@l.sort(reverse=True)
@a, *@r = @l

a:str ->
@p = []
for @w in <str>.split():
    if not @w:
        continue
    @p.append(@w.capitalize())
@a = " ".join(@p)

a:int ->
@s = {<int> % 5, <int> % 5}
@s.add(<small>)
@a = len(@s) + max(@s)

a:int ->
@a = 0
for @x, @y in zip(<str>, [<int>, <int>, <small>]):
    @a += ord(@x) * @y

a:float ->
@a = <float>
if <bool>:
    @a = <float>
elif <bool>:
    @a = <tame>

a:int ->
@g = (@i * <small> for @i in range(4) if @i != <int>)
@a = sum(@g)

a:str ->
@b = io.StringIO()
@b.write(<str>)
print(<int>, end="!", file=@b)
@a = @b.getvalue()

a:int ->
@a = <int>
with contextlib.suppress(ZeroDivisionError):
    @a = 100 // <int>

a:int ->
@a = 0
for @k, @g in itertools.groupby(<str>):
    @a = max(@a, len(list(@g)))

a:float ->
@a = statistics.fmean([<tame>, <tame>])

a:int ->
@t = {"k": [<int>, {"z": <small>}]}
@a = @t["k"][1]["z"] + @t["k"][0]

a:int ->
@m = [[<int>, 1], [0, <small>]]
@a = sum(@r[@i] for @i, @r in enumerate(@m))
""".strip().split("\n\n")

SIMPLE = [text for text in STATEMENTS if re.fullmatch(
    r"a:(int|float) ->\s@a = .*(\n(if|while|elif).*\n    @a .*)*|a:\w+(, b:str)? -> @a.*", text)]
"""Those of which kernels can be made."""

NAME = re.compile(r"<([a-z]+\??)>")
FRESH = re.compile(r"@([a-z])\b")

Scope = list[tuple[str, str]]
"""Expressions that are there, with their types: `("t.price", "float")`."""


class Grammar:
    """Draws expressions and statements; `rules` are the expressions, to which a program may add."""

    def __init__(self, draw: random.Random, plain: bool = False):
        self.draw, self.count, self.plain = draw, 0, plain
        rules = EXPRESSIONS | PLAIN if plain else EXPRESSIONS
        self.rules = {kind: text.strip().split("\n") for kind, text in rules.items()}

    def add(self, kind: str, *rules: str) -> None:
        """Rules of the program's own helpers, which are used often."""
        self.rules[kind] = self.rules[kind] + [rule for rule in rules for _ in range(8)]

    def fresh(self, letter: str = "x") -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def expression(self, kind: str, scope: Scope, depth: int = 2) -> str:
        if depth <= 0 or kind in ("small", "char", "word") or self.draw.random() < 0.25:
            return self._leaf(kind, scope)
        return f"({self._filled(self.draw.choice(self.rules[kind]), scope, depth - 1)})"

    def _leaf(self, kind: str, scope: Scope) -> str:
        known = [text for text, type_ in scope if type_ == kind]
        if known and self.draw.random() < 0.9:
            return self.draw.choice(known)
        return self.draw.choice(self._guarded(kind, scope) or LEAVES[kind])

    def _guarded(self, kind: str, scope: Scope) -> list[str]:
        """What is known not to be None only behind a test."""
        if self.draw.random() < 0.5:
            return []
        if kind == "int":
            return [f"len({text})" for text, type_ in scope if type_ == "ints"]
        return [f"({text} if {text} is not None else {LEAVES[kind][0]})"
                for text, type_ in scope if type_ == f"{kind}?"]

    def _filled(self, rule: str, scope: Scope, depth: int) -> str:
        one = self._unquoted if rule.startswith('f"') else self.expression
        return NAME.sub(lambda found: one(found[1], scope, depth), self._named(rule))

    def _unquoted(self, kind: str, scope: Scope, depth: int) -> str:
        """An expression that may stand inside an f-string: no quotes as those around it."""
        text = self.expression(kind, scope, depth)
        if "'" in text or "\\" in text or 'f"' in text:
            text = self._leaf(kind, [known for known in scope if "'" not in known[0]])
        return text.replace("'", "").replace('"', "'") if "\\" not in text else "1"

    def _named(self, text: str) -> str:
        names = {letter: self.fresh(letter) for letter in dict.fromkeys(FRESH.findall(text))}
        return FRESH.sub(lambda found: names[found[1]], text)

    def statement(self, scope: Scope) -> list[str]:
        """The lines of a statement, or of a few; the scope gets their variables."""
        head, body = self.draw.choice(SIMPLE if self.plain else STATEMENTS).split("->", 1)
        given = [part.strip().split(":") for part in head.split(",")]
        names = {letter: self.fresh(letter)
                 for letter in dict.fromkeys(FRESH.findall(body))}
        text = FRESH.sub(lambda found: names[found[1]], body.strip("\n "))
        text = NAME.sub(lambda found: self.expression(found[1], scope, 1), text)
        scope.extend((names[letter], kind) for letter, kind in given)
        return text.split("\n")

    def statements(self, scope: Scope, most: int) -> list[str]:
        return [line for _ in range(self.draw.randint(0, most)) for line in self.statement(scope)]


def indented(lines: list[str], by: int = 4) -> list[str]:
    return [" " * by + line for line in lines]
