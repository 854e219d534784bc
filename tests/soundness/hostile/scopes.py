# ruff: noqa
"""Names that mean something else than they seem to: scopes, imports, rebinding."""

import functools
from math import floor, sqrt

from soundness.helpers import counting
from soundness.helpers.counting import count as ceil
from soundness.helpers.counting import *  # `sqrt` is now another

LOG = []


def tick(*given):
    LOG.append(1)
    return len(LOG)


def size(xs):
    LOG.append(1)
    return len(LOG)


_Box__measure = tick
__measure = len


def map_global_beside_local_of_outer(t):
    size = len

    def inner():
        global size
        return size(t.xs)
    return inner() + 0 * size(t.xs)


def map_global_two_levels(t):
    size = len

    def middle():
        def inner():
            global size
            return size(t.xs)
        return inner()
    return middle() + 0 * size([])


def map_import_then_assigned(t):
    from math import floor as f
    f = tick
    return f(t.x)


def map_assigned_then_import_in_branch(t):
    f = tick
    if t.n < 0:
        from math import floor as f
    return f(t.x)


def map_import_in_branches(t):
    if t.n % 2 < 5:
        from soundness.helpers.counting import count as f
    else:
        from math import floor as f
    return f(t.x)


def map_import_with_fallback(t):
    try:
        from soundness.helpers.counting import count as f
    except ImportError:
        from math import floor as f
    return f(t.x)


def map_import_module_rebound(t):
    import math as m
    m = counting
    return m.sqrt(t.n)


def map_import_module_in_branches(t):
    if t.n >= 0:
        import soundness.helpers.counting as m
    else:
        import math as m
    return m.sqrt(t.n)


def map_import_loop(t):
    for f in (tick,):
        break
    else:
        from math import floor as f
    return f(t.x)


def map_import_by_module_getattr(t):
    from soundness.helpers.counting import anything
    return anything


def map_import_of_outer(t):
    from math import floor as f

    def inner():
        return f(t.x)

    def other():
        nonlocal f
        f = tick
    other()
    return inner()


def map_star_import(t):
    return sqrt(t.n)


def map_import_alias(t):
    return ceil(t.x)


class Box:
    def mangled(self):
        return __measure([1])

    def mangled_local(self):
        def inner():
            return __measure([1])
        return inner()

    def mangled_keyword(self, t):
        return named(__xs=LOG)


def named(_Box__xs=None, **more):
    _Box__xs.append(1)
    return len(_Box__xs)


def map_mangled_global(t):
    return Box().mangled()


def map_mangled_global_of_inner(t):
    return Box().mangled_local()


class _Lead:
    __log = LOG

    def use(self):
        self.__log.append(1)
        return len(self.__log)


class __Two:
    __log = LOG

    def use(self):
        self.__log.append(1)
        return len(self._Two__log)


def map_mangled_attribute(t):
    return _Lead().use()


def map_mangled_two(t):
    return globals_two().use()


def globals_two(cls=__Two):
    return cls()


def map_lambda_default_rebound(t):
    fs = [lambda x, f=f: f(x) for f in (len, size)]
    return fs[1](t.xs)


def map_late_binding(t):
    fs = []
    for f in (len, size):
        fs.append(lambda x: f(x))
    return fs[0](t.xs)


def map_comprehension_late(t):
    return [g(t.xs) for g in [(lambda x: h(x)) for h in (len, size)]][0]


def map_except_unbinds(t):
    f = len
    try:
        raise ValueError(tick)
    except ValueError as f:
        g = f.args[0]
    return g(t.xs)


def map_with_as_tuple(t):
    with Pairs() as (f, g):
        return g(t.xs)


class Pairs:
    def __enter__(self):
        return (len, size)

    def __exit__(self, *why):
        return False


def map_for_in_tuple_of_tuples(t):
    for name, (f, _) in [("a", (size, 1))]:
        pass
    return f(t.xs)


def map_star_target(t):
    first, *rest = len, len, size
    return rest[-1](t.xs)


def map_star_middle(t):
    a, *b, c = size, len, len
    return a(t.xs)


def map_nested_star(t):
    (a, (b, *c)), d = (len, (len, size)), len
    return c[0](t.xs)


def map_subscript_target(t):
    fs = [len]
    fs[0] = size
    return fs[0](t.xs)


def map_for_subscript_target(t):
    d = {"f": len}
    for d["f"] in (size,):
        pass
    return d["f"](t.xs)


def map_for_attribute_target(t):
    b = Holder()
    for b.f in (size,):
        pass
    return b.f(t.xs)


class Holder:
    f = staticmethod(len)


def map_attribute_shadows_static(t):
    b = Holder()
    b.f = size
    return b.f(t.xs)


def map_walrus_in_condition(t):
    f = len
    if (f := size) and t.n >= 0:
        pass
    return f(t.xs)


def map_walrus_leaks_from_comprehension(t):
    [f := g for g in (len, size)]
    return f(t.xs)


def map_walrus_in_generator(t):
    any((f := g) is None for g in (len, size))
    return f(t.xs)


def map_walrus_in_argument(t):
    return max(f := size, key=lambda g: 1)(t.xs) if False else (f := size)(t.xs)


def map_walrus_in_lambda(t):
    return (lambda x: (y := size)(x))(t.xs)


def map_walrus_in_f_string(t):
    return f"{(f := size)(t.xs)}"


def map_walrus_in_subscript(t):
    fs = [len, size]
    return fs[(i := 1)](t.xs)


def map_walrus_in_default(t):
    def inner(x, f=(g := size)):
        return f(x)
    return inner(t.xs)


def map_match_or_capture(t):
    match [size, 1]:
        case [f, 1] | [1, f]:
            return f(t.xs)


def map_match_class_capture(t):
    match Point(size, 1):
        case Point(f, y):
            return f(t.xs)


def map_match_class_keyword(t):
    match Point(size, 1):
        case Point(y=1, x=f):
            return f(t.xs)


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def map_match_mapping_rest(t):
    match {"a": 1, "f": size}:
        case {"a": 1, **rest}:
            return rest["f"](t.xs)


def map_match_nested(t):
    match {"a": [len, {"f": size}]}:
        case {"a": [_, {"f": g}]}:
            return g(t.xs)


def map_match_star(t):
    match [1, len, size]:
        case [1, *fs]:
            return fs[1](t.xs)


def map_match_as(t):
    match (1, size):
        case (1, _) as pair:
            return pair[1](t.xs)


def map_deleted_then_global(t):
    def inner():
        return size(t.xs)
    return inner()


def map_class_scope_skipped(t):
    return Scoped().use(t.xs)


class Scoped:
    size = staticmethod(len)

    def use(self, xs):
        return size(xs)


def map_class_body_comprehension(t):
    return Scoped2.f(t.xs)


class Scoped2:
    fs = [size]
    f = staticmethod([g for g in fs][0])


def conditional(x):
    return len(x)


if len(LOG) == 0:
    def conditional(x):
        return tick()


def map_conditional_definition(t):
    return conditional(t.xs)


for looped in (len, size):
    pass


def map_global_loop_variable(t):
    return looped(t.xs)


try:
    raise ValueError
except ValueError:
    chosen = size
else:
    chosen = len


def map_global_by_except(t):
    return chosen(t.xs)


with Pairs() as (_, withed):
    pass


def map_global_by_with(t):
    return withed(t.xs)


[leaked := g for g in (len, size)]


def map_global_by_walrus(t):
    return leaked(t.xs)


def twice(f):
    @functools.wraps(f)
    def inner(*a):
        tick()
        return f(*a) + 0 * len(LOG) + len(LOG)
    return inner


@twice
def decorated(x):
    return len(x)


def map_wrapped(t):
    return decorated(t.xs)


def with_arguments(log):
    def decorate(f):
        def inner(*a, **k):
            log.append(1)
            return f(*a, **k), len(log)
        return inner
    return decorate


@with_arguments(LOG)
def decorated_with(x):
    return len(x)


def map_wrapped_with_arguments(t):
    return decorated_with(t.xs)


class Registry:
    def __init__(self):
        self.fs = {}

    def register(self, f):
        self.fs[f.__name__] = tick
        return f


REGISTRY = Registry()


@REGISTRY.register
def registered(x):
    return len(x)


def map_registered(t):
    return REGISTRY.fs["registered"]()


def map_inner_decorated(t):
    @with_arguments(LOG)
    def inner(x):
        return x
    return inner(t.n)


def map_inner_decorated_by_swap(t):
    def swap(f):
        return tick

    @swap
    def inner(x):
        return x
    return inner(t.n)


def map_inner_two_definitions(t):
    def inner(x):
        return tick()
    g = inner

    def inner(x):
        return x
    return g(t.n)


def made_by(n):
    state = []

    def inner(t):
        state.append(n)
        return len(state)
    return inner


map_of_factory = made_by(3)


def made_lambda():
    xs = []
    return lambda t: (xs.append(t.n), len(xs))[1]


map_of_lambda_factory = made_lambda()
map_of_partial = functools.partial(lambda xs, t: (xs.append(t.n), len(xs))[1], [])


class Bumper:
    def __init__(self):
        self.n = 0

    def bump(self, t):
        self.n += 1
        return self.n

    def __call__(self, t):
        self.n += 1
        return self.n

    @classmethod
    def of_class(cls, t):
        cls.m = getattr(cls, "m", 0) + 1
        return cls.m

    @staticmethod
    def static(t):
        return tick()


map_bound_method = Bumper().bump
map_class_method = Bumper.of_class
map_static_method = Bumper.static
map_partial_of_method = functools.partial(Bumper().bump)
map_partial_of_unbound = functools.partial(Bumper.bump, Bumper())
map_called_method = Bumper().__call__


def map_method_default(t, bump=Bumper().bump):
    return bump(t)


map_lambda_default = lambda t, xs=[]: (xs.append(t.n), len(xs))[1]
map_lambda_chain = (lambda f: lambda t: f(t.xs))(size)
map_y = (lambda xs: (lambda t: put(xs, t)))([])


def put(xs, t):
    xs += [t.n]
    return len(xs)


def map_nonlocal_chain(t):
    return chain_of()()


def outer_counter():
    n = 0

    def step():
        nonlocal n
        n += 1
        return n

    def use():
        return step()
    return use


STEP = outer_counter()


def chain_of():
    return STEP


def map_recursive_default(t, seen={}):
    return seen.setdefault(t.word, len(seen)) if t.n else map_recursive_default2(t)


def map_recursive_default2(t, seen={}):
    seen[t.n] = 1
    return len(seen)


def map_keyword_only_default(t, *, log=LOG):
    log.append(t.n)
    return len(log)


def map_positional_only(t, log=LOG, /):
    log.append(t.n)
    return len(log)


def map_default_of_default(t, f=lambda xs=LOG: (xs.append(1), len(xs))[1]):
    return f()


def map_generator_kept(t):
    KEPT.append(x for x in t.xs)
    return len(KEPT)


KEPT = []


def running():
    total = 0
    while True:
        x = yield total
        total += x or 1


RUNNING = running()
next(RUNNING)


def map_generator_sent(t):
    return RUNNING.send(t.n)


def map_generator_in_closure(t):
    return GEN()


def generator_closure():
    g = (n for n in range(10**6))
    return lambda: next(g)


GEN = generator_closure()


def map_star_args_of_global(t):
    return takes_all(*[LOG])


def takes_all(*xs):
    xs[0].append(1)
    return len(xs[0])


def map_star_star_of_global(t):
    return takes_named(**{"xs": LOG})


def takes_named(**named):
    named["xs"].append(1)
    return len(named["xs"])


def map_default_then_star(t):
    return mixed(*(), **{})


def mixed(xs=LOG):
    xs.append(1)
    return len(xs)


def map_positional_after_star(t):
    return third(*t.xs[:2], LOG)


def third(a, b, c):
    c.append(1)
    return len(c)


def map_star_between(t):
    return last(1, *[2], LOG)


def last(*xs):
    xs[-1].append(1)
    return len(xs[-1])


def map_keyword_beside_star_star(t):
    return picked(**{"a": 1}, b=LOG)


def picked(a, b):
    b.append(1)
    return len(b)


def map_class_as_namespace(t):
    class N:
        log = LOG
    N.log.append(1)
    return len(N.log)


def map_conditional_import_alias(t):
    import math as m, soundness.helpers.counting as c
    return c.count(t.n)


def map_import_dotted(t):
    import soundness.helpers.counting
    return soundness.helpers.counting.sqrt(t.n)


def map_try_star(t):
    f = len
    try:
        raise ExceptionGroup("a", [ValueError(size)])
    except* ValueError as e:
        f = e.exceptions[0].args[0]
    return f(t.xs)


def map_finally_overrides(t):
    try:
        return len(t.xs)
    finally:
        return size(t.xs)


def map_else_of_for(t):
    for _ in ():
        f = len
    else:
        f = size
    return f(t.xs)


def map_else_of_while(t):
    while False:
        f = len
    else:
        f = size
    return f(t.xs)


def map_annotated_only(t):
    f: int
    f = size
    return f(t.xs)


def map_augmented_function_list(t):
    fs = [len]
    fs += [size]
    return fs[-1](t.xs)


def map_swap(t):
    a, b = len, size
    a, b = b, a
    return a(t.xs)


def map_chained(t):
    a = b = size
    return b(t.xs)


def map_type_alias(t):
    kind = type(BOX)
    return kind.log_it()


class Logged:
    @classmethod
    def log_it(cls):
        return tick()


BOX = Logged()


def map_shadowed_builtin(t):
    return sum(t.xs)


def sum(xs):
    return tick()


def map_shadowed_type(t):
    return str(t.n)


class str:
    def __init__(self, n):
        tick()

    def __eq__(self, other):
        return True

    def __repr__(self):
        return "%d" % tick()


def map_shadowed_range(t):
    return [n for n in range(2)]


def range(n):
    yield tick()


def map_shadowed_isinstance(t):
    return isinstance(t, int)


def isinstance(x, k):
    return tick()


def map_shadowed_print(t):
    return print(t)


def print(x):
    return tick()


def map_shadowed_super(t):
    return Sub().get()


def super():
    return BOX


class Sub(Logged):
    def get(self):
        return super().log_it()


def map_shadowed_sorted(t):
    return sorted(t.xs)


sorted = tick


def map_shadowed_min(t):
    return min(t.xs)


min = BOX.log_it if False else tick


def map_annotation_of_inner(t):
    def inner(x: NOTED[1]):
        return x
    return NOTED.n


def map_annotation_of_result(t):
    def inner(x) -> noting():
        return x
    return len(ANNOTATED)


def map_annotation_of_stars(t):
    def inner(*given: noting(), **named: int):
        return given
    return len(ANNOTATED)


def map_annotation_binds(t):
    def inner(x: (found := ANNOTATED)):
        return x
    found.append(1)
    return len(ANNOTATED)


def map_annotated_place_only(t):
    places = {}
    places[noting()]: int
    return len(ANNOTATED)


def map_annotated_owner_only(t):
    (ANNOTATED.append(1) or NOTED).x: int
    return len(ANNOTATED)


def map_base_binds(t):
    class Made((found := list)):
        pass
    ANNOTATED.append(found())
    return len(ANNOTATED)


def map_del_of_several(t):
    del (LEFT[0], LEFT[0])
    return len(LEFT)


def map_del_of_list(t):
    before = len(LEFT)
    del [LEFT[0]]
    return before


def map_del_nested(t):
    before, x = len(LEFT), 1
    del (x, [LEFT[0], (LEFT[1],)])
    return before


class Noted:
    n = 0

    def __getitem__(self, key):
        Noted.n += 1
        return Noted.n


def noting():
    ANNOTATED.append(1)
    return len(ANNOTATED)


NOTED = Noted()
ANNOTATED = []
LEFT = [0] * 1000
