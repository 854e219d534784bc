# ruff: noqa: E731, RET505
"""Branches, loops, early returns, errors, patterns, inner functions and recursion."""

import contextlib
import functools

from soundness.helpers import pure
from soundness.helpers.pure import described, norm, scaled

LIMIT = 25
NAMES = ("none", "few", "many")


def double(x):
    return x * 2


def classify(n):
    if n < 10:
        return "small"
    elif n < LIMIT:
        return "middle"
    return "large"


def compose(f, g):
    return lambda x: f(g(x))


def map_early_return(t):
    if t.note is None:
        return 0
    if t.n > LIMIT:
        return len(t.note)
    return t.n


def map_branches(t):
    return classify(t.n)


def map_conditional(t):
    return "even" if t.n % 2 == 0 else "odd" if t.n % 3 else "third"


def filter_chained_comparison(t):
    return 5 <= t.n < LIMIT and not t.n % 2


def filter_none(t):
    return t.note is not None and len(t.note) > 2


def map_optional(t):
    return (t.note or "none").upper()


def map_optional_length(t):
    return len(t.note) if t.note else -1


def map_try(t):
    try:
        return 10 // t.key
    except ZeroDivisionError:
        return -1


def map_try_value_error(t):
    try:
        return int(t.word)
    except ValueError:
        return len(t.word)


def map_try_else_finally(t):
    found = 0
    try:
        found = t.xs[t.n]
    except (IndexError, KeyError):
        found = -1
    else:
        found += 1
    finally:
        found *= 2
    return found


def map_raise_inside(t):
    try:
        if t.n % 2:
            raise ValueError(f"odd: {t.n}")
        return "fine"
    except ValueError as error:
        return str(error)


def map_suppress(t):
    found = -1
    with contextlib.suppress(ZeroDivisionError):
        found = t.n // t.key
    return found


def map_match_value(t):
    match t.key:
        case 0:
            return "zero"
        case 1 | 2:
            return "few"
        case _:
            return "many"


def map_match_sequence(t):
    match t.xs:
        case [first, _, last] if first < last:
            return last - first
        case [first, *_]:
            return first
    return 0


def map_match_mapping(t):
    match {"kind": t.word, "n": t.n}:
        case {"kind": "alpha", "n": n}:
            return n
        case {"kind": str() as kind}:
            return len(kind)
    return -1


def map_walrus(t):
    if (size := len(t.word)) > 3:
        return size * 2
    return size


def map_walrus_in_comprehension(t):
    return [y for x in t.xs if (y := x * x) > 1]


def map_while_break(t):
    n = t.n
    while True:
        n -= 7
        if n < 0:
            break
    return n


def map_for_else(t):
    for x in t.xs:
        if x == 2:
            found = "two"
            break
    else:
        found = "no two"
    return found


def map_continue(t):
    total = 0
    for x in t.xs:
        if x % 2:
            continue
        total += x
    return total


def map_local_lambda(t):
    square = lambda x: x * x
    return square(t.n) + square(t.key)


def map_local_function(t):
    def add(a, b=1):
        return a + b
    return add(t.n) + add(t.key, b=2)


def map_closure(t):
    def scale(x):
        return x * t.key
    return [scale(x) for x in t.xs]


def map_nonlocal_of_local(t):
    count = 0

    def bump(by):
        nonlocal count
        count += by
    for x in t.xs:
        bump(x)
    return count


def map_recursion(t):
    def factorial(n):
        return 1 if n <= 1 else n * factorial(n - 1)
    return factorial(t.n % 10)


def depth(n):
    return 0 if n <= 1 else 1 + depth(n // 2)


def map_global_recursion(t):
    return depth(t.n)


def map_global_helper(t):
    return double(t.n) + double(t.key)


def map_helper_of_module(t):
    return pure.scaled(t.x)


def map_imported_helper(t):
    return scaled(t.x) + norm(t.xs)


def map_imported_table(t):
    return described(t.word)


def map_higher_order(t):
    return compose(double, abs)(-t.n)


def map_partial(t):
    return functools.partial(pow, t.n)(2)


def map_varargs(t):
    def total(*xs, **named):
        return sum(xs) + sum(named.values())
    return total(*t.xs, extra=t.n)


def map_keyword_default(t, factor=3):
    return t.n * factor


def map_generator_function(t):
    def evens(n):
        for i in range(n):
            if i % 2 == 0:
                yield i
    return list(evens(t.n % 10))


def flat_map_yield(t):
    yield t.n
    if t.n % 2:
        yield -t.n


def flat_map_yield_from(t):
    yield from range(t.key)


def flat_map_early_return(t):
    if t.note is None:
        return
    yield from t.note


def flat_map_generator_expression(t):
    return (x + t.n for x in t.xs)


def flat_map_nothing_or_item(t):
    return [t] if t.n % 3 == 0 else []


def map_isinstance(t):
    return 1 if isinstance(t.note, str) else 0


def map_type_check(t):
    return [x for x in (t.n, t.word, None) if isinstance(x, (int, str))]


def map_assert(t):
    assert t.n >= 0, "not negative"
    return t.n


def map_del(t):
    extra = [t.n]
    del extra[0]
    return len(extra)


def map_augmented(t):
    total = t.n
    total += 2
    total *= 3
    total -= t.key
    return total


def map_shadowed_name(t):
    max = t.n
    return max + 1


def map_import_inside(t):
    import math
    return math.floor(t.x)


def map_docstring_and_annotation(t) -> int:
    """What it says."""
    size: int = len(t.word)
    return size


def map_bool_logic(t):
    return not (t.n > 3 or t.key == 2) and t.word != "pi"


def map_is_and_in(t):
    return t.note is None or t.note in NAMES


map_lambda_itself = lambda t: (t.n, t.word[:2])

filter_lambda_itself = lambda t: t.n % 2 == 1


def made_by(factor):
    return lambda t: t.n * factor


map_closure_over_constant = made_by(3)
