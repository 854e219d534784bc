# ruff: noqa
"""Names that mean something else than a global or built-in of the same name."""

import functools
from math import sqrt

SEEN = []


def note(x=None):
    SEEN.append(x)
    return len(SEEN)


def harmless(x=None):
    return 0


def double(x):
    return 2 * x


def map_comprehension_variable_named_len(t):
    return [len(t.word) for len in [note]]


def map_comprehension_variable_named_sqrt(t):
    return [sqrt(t.x) for sqrt in (note,)][0]


def map_set_comprehension_variable(t):
    return {abs(t.n) for abs in {note}}.pop()


def map_dict_comprehension_variable(t):
    return {k: str(k) for k, str in [(t.n, note)]}[t.n]


def map_generator_variable(t):
    return next(int(t.x) for int in [note])


def map_nested_comprehension_variable(t):
    return [max(x) for max in [note] for x in t.xs]


def map_comprehension_condition_variable(t):
    return [1 for isinstance in [note] if isinstance(t) % 2]


def map_parameter_named_len(t):
    def inner(len):
        return len(t.word)
    return inner(note)


def map_parameter_named_global(t):
    def inner(double):
        return double(t.n)
    return inner(note)


def map_lambda_parameter(t):
    return (lambda sorted: sorted(t.xs))(note)


def map_lambda_default(t):
    return (lambda x, abs=note: abs(x))(t.n)


def map_keyword_parameter(t):
    def inner(*, round):
        return round(t.x)
    return inner(round=note)


def map_default_parameter(t, len=note):
    return len(t.word)


def map_default_parameter_of_inner(t):
    def inner(x, str=note):
        return str(x)
    return inner(t.n)


def map_varargs(t):
    def inner(*min):
        return min[0](t.n)
    return inner(note)


def map_kwargs(t):
    def inner(**max):
        return max["f"](t.n)
    return inner(f=note)


def map_local_named_len(t):
    len = note
    return len(t.word)


def map_local_of_inner(t):
    def inner():
        abs = note
        return abs(t.n)
    return inner()


def map_local_rebound_lambda(t):
    f = lambda x: x
    f = lambda x: note(x)
    return f(t.n)


def map_local_rebound_function(t):
    def f(x):
        return x
    f = note
    return f(t.n)


def map_local_rebound_in_branch(t):
    f = harmless
    if t.n >= 0:
        f = note
    return f(t.n)


def map_local_rebound_in_loop(t):
    f = harmless
    for _ in range(2):
        found = f(t.n)
        f = note
    return found


def map_local_rebound_in_except(t):
    f = harmless
    try:
        raise ValueError
    except ValueError:
        f = note
    return f(t.n)


def map_local_rebound_in_finally(t):
    f = harmless
    try:
        pass
    finally:
        f = note
    return f(t.n)


def map_local_rebound_by_nonlocal(t):
    f = harmless

    def change():
        nonlocal f
        f = note
    change()
    return f(t.n)


def map_local_rebound_after_closure(t):
    f = harmless

    def call():
        return f(t.n)
    f = note
    return call()


def map_local_rebound_by_walrus(t):
    f = harmless
    if (f := note):
        return f(t.n)


def map_walrus_in_comprehension(t):
    [len := f for f in [note]]
    return len(t.word)


def map_for_target(t):
    for len in (note,):
        found = len(t.word)
    return found


def map_for_target_in_tuple(t):
    for n, str in enumerate([note]):
        found = str(n)
    return found


def map_for_target_after_loop(t):
    f = harmless
    for f in (harmless, note):
        pass
    return f(t.n)


class Giving:
    def __enter__(self):
        return note

    def __exit__(self, *why):
        return False


def map_with_target(t):
    with Giving() as len:
        return len(t.word)


class Carrying(Exception):
    def __call__(self, x):
        return note(x)


def map_except_target(t):
    try:
        raise Carrying
    except Carrying as len:
        return len(t.word)


def map_match_capture(t):
    match (t.n, note):
        case (n, len):
            return len(t.word)


def map_match_star_capture(t):
    match [t.n, note]:
        case [_, *rest]:
            return rest[0](t.n)


def map_match_mapping_capture(t):
    match {"f": note}:
        case {"f": abs}:
            return abs(t.n)


def map_match_as_capture(t):
    match note:
        case _ as int:
            return int(t.n)


def map_import_as(t):
    from soundness.helpers.counting import count as len
    return len(t.word)


def map_import_of_module(t):
    import soundness.helpers.counting as math
    return math.sqrt(t.x)


def map_from_import(t):
    from soundness.helpers.counting import sqrt
    return sqrt(t.x)


def map_inner_class(t):
    class len:
        def __new__(cls, x):
            return note(x)
    return len(t.word)


def map_inner_def(t):
    def sum(xs):
        return note(xs)
    return sum(t.xs)


def map_tuple_assignment(t):
    len, n = note, 1
    return len(t.word)


def map_starred_assignment(t):
    first, *rest = [1, note]
    [sum] = rest
    return sum(t.xs)


def map_chained_assignment(t):
    a = abs = note
    return abs(t.n)


def map_swapped(t):
    f, g = harmless, note
    f, g = g, f
    return f(t.n)


def map_augmented(t):
    functions = [harmless]
    functions += [note]
    return functions[-1](t.n)


def map_annotated_assignment(t):
    len: object = note
    return len(t.word)


def map_global_statement(t):
    global last
    found, last = last, t.n
    return found


last = -1


def map_global_in_inner(t):
    def inner():
        global total
        total += t.n
    inner()
    return total


total = 0


def map_global_for_target(t):
    global position
    before = position
    for position in range(t.n, t.n + 1):
        pass
    return before


position = 0


def map_global_walrus(t):
    global kept
    return (kept, kept := t.n)[0]


kept = None


def map_global_import(t):
    global current
    try:
        found = current
    except NameError:
        found = None
    current = t.n
    return found


def map_global_del(t):
    global flag
    try:
        del flag
        return 1
    except NameError:
        flag = t.n
        return 0


def map_global_def(t):
    global helper
    found = helper()

    def helper(n=t.n):
        return n
    return found


def helper():
    return -1


def map_global_class(t):
    global Box
    found = Box.n

    class Box:
        n = t.n
    return found


class Box:
    n = -1


def map_global_except_target(t):
    global caught
    before = caught
    try:
        raise ValueError(t.n)
    except ValueError as error:
        caught = error.args[0]
    return before


caught = None


def make_counter():
    n = 0

    def map_it(t):
        nonlocal n
        n += 1
        return n
    return map_it


map_closure_nonlocal = make_counter()


def make_appender():
    seen = []

    def inner(t):
        seen.append(t.n)
        return len(seen)
    return inner


map_closure_list = make_appender()


def make_nested():
    n = 0

    def outer(t):
        def inner():
            nonlocal n
            n += t.n
            return n
        return inner()
    return outer


map_closure_nested_nonlocal = make_nested()


def make_pair():
    n = 0

    def bump():
        nonlocal n
        n += 1

    def read(t):
        bump()
        return n
    return read


map_closure_shared_by_two = make_pair()

map_lambda_over_global = lambda t: note(t.n)

map_lambda_with_default = lambda t, seen=[]: (seen.append(t.n), len(seen))[1]

map_lambda_with_walrus = lambda t: (found := note)(t.n)


def map_default_list(t, seen=[]):
    seen.append(t.n)
    return len(seen)


def map_default_dict(t, seen={}):
    seen[t.word] = t.n
    return len(seen)


def map_default_set(t, seen=set()):
    fresh = t.word not in seen
    seen.add(t.word)
    return fresh


def map_default_keyword_only(t, *, seen=[]):
    seen.append(t.n)
    return seen[0]


def helper_with_default(x, seen=[]):
    seen.append(x)
    return len(seen)


def map_helper_with_default(t):
    return helper_with_default(t.n)


def map_default_changed(t):
    found = helper_default_number()
    helper_default_number.__defaults__ = (t.n,)
    return found


def helper_default_number(n=-1):
    return n


def map_default_kw_changed(t):
    found = helper_kw_default()
    helper_kw_default.__kwdefaults__["n"] = t.n
    return found


def helper_kw_default(*, n=-1):
    return n


def map_code_changed(t):
    found = helper_code()
    helper_code.__code__ = (lambda: 1).__code__ if found == 0 else (lambda: 0).__code__
    return found


def helper_code():
    return 0


def map_function_attribute(t):
    map_function_attribute.n = getattr(map_function_attribute, "n", 0) + 1
    return map_function_attribute.n


def map_function_attribute_of_helper(t):
    harmless.calls = vars(harmless).get("calls", 0) + 1
    return harmless.calls


def map_function_dict(t):
    d = map_function_dict.__dict__
    d["n"] = d.get("n", 0) + 1
    return d["n"]


def map_shadowed_builtin_of_module(t):
    return hash(t.word)


def hash(x):
    return note(x)


def map_recursion_with_state(t):
    def walk(n, seen=SEEN):
        seen.append(n)
        return len(seen) if n <= 0 else walk(n - 1)
    return walk(t.n % 3)


def map_class_body_name(t):
    class Made:
        len = note
        found = len(t.word)
    return Made.found


def map_class_body_comprehension(t):
    class Made:
        found = [f(t.n) for f in [note]]
    return Made.found


def map_decorated_inner(t):
    def counted(f):
        def call(*args):
            note()
            return f(*args), len(SEEN)
        return call

    @counted
    def inner(x):
        return x
    return inner(t.n)


def map_decorated_by_class(t):
    class counted:
        def __init__(self, f):
            self.f = f

        def __call__(self, x):
            return note(x)

    @counted
    def inner(x):
        return x
    return inner(t.n)


def replaced(f):
    return note


@replaced
def looks_pure(x):
    return x


def map_helper_replaced_by_decorator(t):
    return looks_pure(t.n)


def wrapped(f):
    @functools.wraps(f)
    def call(*args):
        note()
        return f(*args) + len(SEEN)
    return call


@wrapped
def looks_wrapped(x):
    return x


def map_helper_wrapped(t):
    return looks_wrapped(t.n)


@wrapped
def map_itself_wrapped(t):
    return t.n


def wearing(f):
    def call(*args):
        note()
        return f(*args) + len(SEEN)
    call.__name__, call.__wrapped__, call.__module__ = f.__name__, f, f.__module__
    call.__qualname__ = f.__qualname__
    return call


@wearing
def map_wearing_another_name(t):
    return t.n


def map_generator_left_open(t):
    def numbers():
        try:
            yield 1
            yield 2
        finally:
            note()
    for x in numbers():
        break
    return len(SEEN)


def map_generator_expression_late(t):
    f = harmless
    found = (f(x) for x in t.xs)
    f = note
    return list(found)


def map_del_then_global(t):
    def run():
        return note(1)
    return run()


def map_conditional_function(t):
    return (harmless if t.n < 0 else note)(t.n)


def map_or_function(t):
    return (None or note)(t.n)


def map_subscript_function(t):
    return {"a": harmless, "b": note}["b"](t.n)


def map_list_of_functions(t):
    return [f(t.n) for f in [harmless, note]][1]


def map_tuple_of_functions(t):
    fs = (harmless, note)
    return fs[t.n % 1 + 1](t.n)


def map_returned_function(t):
    def pick():
        return note
    return pick()(t.n)


def map_map_function(t):
    return list(map(note, t.xs))


def map_filter_function(t):
    return list(filter(lambda x: note(x) % 2, t.xs))


def map_sorted_key(t):
    return sorted(t.xs, key=lambda x: note(x) % 4)


def map_min_key(t):
    return min(t.xs, key=lambda x: note(x) % 3) + len(SEEN)


def map_sort_key(t):
    xs = [1, 2, 3]
    xs.sort(key=lambda x: -note(x) if len(SEEN) % 2 else note(x))
    return xs


def map_iter_with_sentinel(t):
    return len(list(iter(note, len(SEEN) + 2))) + len(SEEN)


def map_reduce_function(t):
    return functools.reduce(lambda a, b: a + note(b), t.xs, 0)


def map_argument_unpacking(t):
    args = (note, t.n)
    return (lambda f, x: f(x))(*args)


def map_keyword_unpacking(t):
    return (lambda f, x: f(x))(**{"f": note, "x": t.n})


def map_eval(t):
    return eval("note(t.n)")


def map_exec(t):
    exec("SEEN.append(1)")
    return len(SEEN)


def map_compile(t):
    return eval(compile("note(1)", "<text>", "eval"), globals())


def map_globals(t):
    g = globals()
    g["counter"] = g.get("counter", 0) + 1
    return g["counter"]


def map_globals_call(t):
    return globals()["note"](t.n)


def map_vars_of_module(t):
    import sys
    d = vars(sys.modules[__name__])
    d["other"] = d.get("other", 0) + 1
    return d["other"]


def map_locals_call(t):
    f = note
    return locals()["f"](t.n)


def map_builtins_module(t):
    import builtins
    builtins.anabranch_count = getattr(builtins, "anabranch_count", 0) + 1
    return builtins.anabranch_count


def map_getattr_of_module(t):
    import soundness.helpers.counting as m
    return getattr(m, "co" + "unt")(t.n)


def map_module_attribute(t):
    import soundness.helpers.counting as m
    m.total += t.n
    return m.total


def map_module_list(t):
    from soundness.helpers import counting
    counting.seen.append(t.n)
    return len(counting.seen)


def map_module_getattr(t):
    from soundness.helpers import counting
    return counting.anything


def map_dunder_import(t):
    return __import__("soundness.helpers.counting").helpers.counting.count()


def map_importlib(t):
    import importlib
    return importlib.import_module("soundness.helpers.counting").count()
