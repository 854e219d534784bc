"""Forms of Python that a function of the user may have: all kinds of expressions and statements."""

from __future__ import annotations

LINES = """\
1 + t.n
t.s[1:]
t.s[:-1]
t.s[::2]
t.s[::-1]
t.s[t.n:]
t.s[:t.n]
t.s[1:3:1]
t.s[t.n]
t.s[0]
t.s[-1]
state.v[1:]
state.v[-1:]
state.v[::2]
len(state.v[1:])
sum(state.v[1:])
state.q[1:]
state.d[t.s:]
state.w[1:]
state.w[-t.n:]
(t.n, t.s)[1:]
[t.n, 2, 3][1:]
PAIR[1:]
PAIR[t.n]
NAMES[1:][0]
WORD[1:]
WORD[t.n:]
WORD[t.n]
TABLE[t.s]
TABLE.get(t.s, 0)
TABLE.get(t.s)
helper(t.n, **{"key": 2})
helper(t.n, *PAIR)
helper(t.n, key=3)
helper(t.n)
helper(*PAIR)
helper(b=1, a=t.n)
plain(t.n)
plain(a=t.n)
plain(**{"a": t.n})
round(t.x, **OPT)
round(t.x, ndigits=1)
max(t.n, 3, **KW)
max([t.n, 3], **KW)
min(t.n, 2, key=abs)
max(state.v, default=0)
sum(state.v, **{})
sum(state.v, start=2)
len(*[state.v])
int(t.s, **{"base": 36})
int("11", base=2)
str(t.n, **{})
t.s.split(**{})
t.s.replace("a", "b", **{})
state.d.get(t.s, **{})
state.d.get(t.s, *[0])
t.replace(**{"n": 1}).n
In(**{"k": "a", "n": 1, "x": 1.0, "p": True, "s": "a", "t": t.t, "o": 1}).n
dict(a=t.n)["a"]
dict(**{"a": t.n})["a"]
"{a}".format(**{"a": t.n})
"{}".format(*[t.n])
f"{t.n:05d}"
f"{t.x:.2f}"
f"{t.n!r:>5}"
f"{t.s:{t.n}}"
f"{t.s:>{LIMIT}}"
f"{t.n=}"
f"{t.s!s}{t.s!a}"
f"{t.t:%Y-%m}"
f"{{}}{t.s}"
f"{t.s[1:]}"
f"{(lambda q: q)(t.n)}"
f"{t.n if t.p else t.s}"
f"{t.o}"
f"{t.x:e}"
f"{t.p}"
"%d %s" % (t.n, t.s)
"%(a)s" % {"a": t.n}
"%s" % t.s
t.s * 2
t.s + t.s
2 * t.s
t.s % ()
t.s % t.n
1 < t.n < 5
1 < t.n == 3 != t.x
t.n in (1, 2)
t.n in [1, 2]
t.n in {1, 2}
t.n not in PAIR
t.s in TABLE
t.s in state.d
t.s in state.st
t.n in state.v
t.s in "abc"
"a" in t.s
t.o is None
t.o is not None
t.n is t.n
t.p is True
not t.s
t.n and t.s
t.s or "z"
t.o or 0
t.n if t.p else -t.n
t.n if t.p else t.s
None
...
b"ab"
1j
-t.n
+t.p
~t.n
~t.p
not t.n
t.n @ 2
[i for i in range(3)]
[i * t.n for i in range(3) if i]
{i for i in t.s}
{i: 1 for i in t.s}
sum(i for i in range(t.n))
sum([i for i in state.v])
[a + b for a in range(2) for b in range(2)]
[c for c in t.s][0]
any(c == "a" for c in t.s)
all(c.isalpha() for c in t.s)
"".join(c for c in t.s if c != "a")
max(len(w) for w in t.s.split())
sorted(t.s)[0]
len({*t.s})
[*t.s, 1][0]
(*PAIR, 1)[0]
{**TABLE}["a"]
[i for i in [1,2][:1]][0]
next(iter(state.v), 0)
list(map(abs, [t.n]))[0]
len(list(zip(t.s, t.s)))
[y := t.n, y * 2][1]
(y := t.n) + y
(lambda a: a + 1)(t.n)
(lambda **k: len(k))(a=1)
(lambda a, *b: a)(*PAIR)
t.s.upper()
t.s.upper().lower().title()
t.s.strip("a")
t.s.find("a")
t.s.count("a")
t.s.startswith(("a", "b"))
t.s.split(",")[0]
t.s.split(",")[t.n]
t.s.partition("a")[2]
t.s.zfill(5)
t.s.center(t.n)
t.s.encode()
t.s.encode()[0]
t.s.isdigit()
",".join([t.s, "a"])
",".join((t.s, t.k))
t.s.join(["a", "b"])
t.s.translate({97: "b"})
t.s.casefold()
t.s.splitlines()
ord(t.s[0])
chr(t.n)
len(t.s)
hash(t.n)
t.s.format(1)
t.s.removeprefix("a")
t.s.index("q")
int(t.s)
float(t.s)
t.s < t.k
t.s == t.k
min(t.s, t.k)
max(t.s)
t.t.year
t.t.date()
t.t.isoformat()
t.t + DAY
t.t - DAY
t.t - START
(t.t - START).days
(t.t - START).total_seconds()
(t.t - START) // DAY
t.t - dt.timedelta(hours=t.n)
t.t.replace(hour=0)
t.t.weekday()
t.t > START
t.t.strftime("%Y")
dt.datetime(2024, 1, 1)
dt.datetime(*PAIR, 1)
DAY * t.n
DAY / 2
-DAY
abs(-DAY)
t.t.timestamp()
max(t.t, START)
t.t.hour + t.t.minute
dt.timedelta(**{"days": 1})
t.n // 2
t.n % 3
divmod(t.n, 3)
divmod(t.n, 3)[0]
t.n ** 2
t.n ** -1
2 ** t.n
t.n << 2
t.n >> 1
t.n & 3 ^ t.n ^ 2
t.x // 0.5
t.x % 0.3
pow(t.n, 2, 5)
pow(2, t.n)
round(t.x)
round(t.x, 1)
round(t.n, -1)
abs(t.x)
math.floor(t.x)
math.sqrt(t.x)
math.isclose(t.x, 1.0)
math.gcd(t.n, 4)
math.hypot(t.x, 1)
math.inf
math.pi * t.x
int(t.x)
float(t.n)
bool(t.s)
complex(t.x)
str(t.n)
repr(t.s)
type(t.n)
isinstance(t.n, int)
getattr(t, "n")
hasattr(t, "n")
vars
t.__class__.__name__
t.n.real
t.n.bit_length()
t.x.is_integer()
t.x.hex()
t.n.__add__(1)
list(t)[1]
tuple(t)
t[1]
t == t
t.replace(n=1).n
bool(state.v)
len(state.d)
list(state.d)[:1]
state.d.keys()
sorted(state.d.items())[:1]
state.c["a"]
state.c.most_common(1)
state.v.index(1)
state.v.copy()
state.q.maxlen
state.st.union({"a"})
len(state.st - {"a"})
state.n.numerator
print
yield_ if False else t.n
__name__
undefined_name
t.missing_field
state.missing
"""
EXPRESSIONS = LINES.splitlines()

BLOCKS = """\
state.n += t.n
---
state.n -= 1
---
state.n *= 2
---
state.n //= 2
---
state.n %= 7
---
state.n **= 2
---
state.n <<= 1
---
state.n |= 3
---
state.n ^= 1
---
state.n @= 1
---
state.w += t.s
---
state.w *= 2
---
state.d[t.s] = t.n
---
state.d[t.s] += 1
---
state.d[t.s] = state.d.get(t.s, 0) + 1
---
state.d[t.s:] = 1
---
state.d["a"], state.n = 1, 2
---
del state.d[t.s]
---
del state.v[0]
---
del state.v[:1]
---
del state.n
---
state.d.pop(t.s, None)
---
state.d.update({t.s: 1})
---
state.d.update(**{"a": 1})
---
state.d.update(a=t.n)
---
state.d.setdefault(t.s, 0)
---
state.d |= {t.s: 1}
---
state.d = {}
---
state.d.clear()
---
state.v.append(t.n)
---
state.v.append(*[t.n])
---
state.v.append(**{})
---
state.v.extend([t.n])
---
state.v.insert(0, t.n)
---
state.v.pop()
---
state.v.sort()
---
state.v.sort(key=lambda v: -v)
---
state.v.sort(**{"reverse": True})
---
state.v += [t.n]
---
state.v[0] = t.n
---
state.v[:] = [t.n]
---
state.v[1:] = []
---
state.v[::2] = [1]
---
state.v[-1] += 1
---
state.v = state.v[-2:]
---
state.v = [*state.v, t.n][-3:]
---
state.q.append(t.n)
---
state.q.appendleft(t.n)
---
state.q.popleft()
---
state.q.rotate(1)
---
state.c[t.s] += 1
---
state.c.update(t.s)
---
state.c.update(**{"a": 1})
---
state.st.add(t.s)
---
state.st.discard(t.s)
---
state.st |= {t.s}
---
state.st.update([t.s])
---
a, b = t.n, 2
state.n = a
---
a, *b = t.s or "z"
state.n = len(b)
---
[a, b] = [1, 2]
state.n = a
---
(a, (b, c)) = (1, (2, 3))
state.n = c
---
a = b = t.n
state.n = b
---
x: int = t.n
state.n = x
---
x: int
state.n = 1
---
a = t.n
a += 1
state.n = a
---
a = [1]
a[0] += t.n
state.n = a[0]
---
a = {}
a["x"] = t.n
state.n = a["x"]
---
a = t.n
del a
state.n = 1
---
a = [1, 2]
del a[0]
state.n = a[0]
---
global G
G = 1
---
pass
---
assert t.n < 99
---
assert t.n < 99, f"{t.n}"
---
raise ValueError(t.s) if False else 1
---
import math as m
state.n = m.floor(t.x)
---
from math import floor
state.n = floor(t.x)
---
if t.p:
    state.n += 1
elif t.n > 2:
    state.n = 0
else:
    state.n -= 1
---
for i in range(t.n % 4):
    state.n += i
else:
    state.n += 1
---
for i in range(0, 5, 2): state.n += i
---
for c in t.s: state.n += 1
---
for i, c in enumerate(t.s): state.n += i
---
for a, b in zip(t.s, t.s): state.n += 1
---
for v in state.v[1:]: state.n += v
---
for v in state.v: state.n += v
---
for k, v in state.d.items(): state.n += v
---
for v in (1, 2, t.n): state.n += v
---
for v in [1, 2][:1]: state.n += v
---
for v in reversed(range(3)): state.n += v
---
while state.n > 50: state.n -= 10
---
while True:
    state.n += 1
    if state.n % 3 == 0: break
    continue
---
try:
    state.n = int(t.s)
except ValueError:
    state.n = -1
---
try:
    state.n = 10 // t.n
except (ZeroDivisionError, KeyError) as e:
    state.n = -1
else:
    state.n += 1
finally:
    state.n += 2
---
try:
    state.n = TABLE[t.s]
except KeyError:
    pass
---
with open("/dev/null") as f: state.n += len(f.read())
---
match t.n:
    case 1: state.n = 1
    case 2 | 3: state.n = 2
    case int() as v if v > 4: state.n = v
    case _: state.n = 0
---
match t:
    case In(n=1): state.n = 5
    case In(s="a", n=v): state.n = v
---
match (t.n, t.s):
    case (1, x): state.n = 1
    case (a, *rest): state.n = len(rest)
---
match {"a": t.n}:
    case {"a": v, **rest}: state.n = v
---
match t.s:
    case "a" | "b": state.n = 1
    case x: state.n = len(x)
---
def inner(v): return v + t.n
state.n = inner(1)
---
def inner(v, **k): return v + len(k)
state.n = inner(1, **{"a": 1})
---
f = lambda v: v * 2
state.n = f(t.n)
---
def rec(v): return 1 if v <= 1 else v * rec(v - 1)
state.n = rec(t.n % 5)
---
class C:
    z = 2
state.n = C.z
---
if (m := t.n) > 1: state.n = m
---
if t.p: return
---
nonlocal_ = 1
state.n = nonlocal_
---
a = t.s[1:]
state.w = a
---
a = t.s[1:][::-1]
state.n = len(a)
---
a = state.w[t.n:]
state.n = len(a)
---
a = t.t - START
state.n = a.days
---
a = (t.n, t.s)
state.n = a[0]
---
a = t
state.n = a.n
---
a = None
state.n = 0 if a is None else 1
---
a = None
if t.p: a = t.n
state.n = a or 0
---
state.n = state.n if t.o is None else t.o
---
state.n = sum(state.v[-2:])
---
state.n = len(t.s.split(",")[1:])
---
a = [v for v in state.v if v > 1]
state.n = len(a)
---
state.n, state.w = len(state.w), t.s
---
state.n = min(state.n, t.n, 5)
---
a = f"{t.n:>{t.n}}"
state.w = a
---
yield t.n
---
yield from [t.n]
---
x = yield t.n
"""
STATEMENTS = BLOCKS.rstrip("\n").split("\n---\n")
