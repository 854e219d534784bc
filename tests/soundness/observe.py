"""What the functions of the corpus give: in order, and as several workers would see their items.

`python -m soundness.observe hostile` says of each case whether it differs, in JSON. Each run is
a forked process, so that nothing is left of it. Behind `outputs` it gives what the cases of the
modules in `HASHED` give in order, which differs from one `PYTHONHASHSEED` to another.
"""

from __future__ import annotations

import json
import multiprocessing
import sys

from soundness.corpus import Case, cases, fresh

WORKERS = 3
HASHED = ("hashes", "order_of_sets")


def firing(case: Case, call):
    """A function from item to output, with a state for each key if the operator has one."""
    states: dict[object, object] = {}

    def fire(item):
        if case.kind == "apply":
            if item.key not in states:
                states[item.key] = call.state()
            return list(call(states[item.key], item))
        result = call(item)
        if case.kind == "filter":
            return bool(result)
        return list(result) if case.kind == "flat_map" else result
    return fire


def in_order(case: Case, call, items) -> list[str]:
    """What is seen of the outputs when all have been made."""
    fire = firing(case, call)
    return [*map(repr, [fire(item) for item in items])]


def at_once(case: Case, call, items) -> list[str]:
    """What is seen of each output as soon as it has been made."""
    fire = firing(case, call)
    return [repr(fire(item)) for item in items]


def dealt(worker: int):
    """The outputs of one worker, with nothing in the places of the others' outputs."""
    def run(case: Case, call, items) -> list[str | None]:
        fire = firing(case, call)
        mine = [n for n, item in enumerate(items)
                if (item.key if case.kind == "apply" else n) % WORKERS == worker]
        made = {n: fire(items[n]) for n in mine}
        return [repr(made[n]) if n in made else None for n in range(len(items))]
    return run


def forked(run, case: Case, module):
    """What a process of its own gives, or the error that ended it."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)

    def work():
        try:
            sending.send(run(case, *case.of(module)))
        except BaseException as error:
            sending.send(f"{type(error).__name__}: {error}")
    process = context.Process(target=work)
    process.start()
    # Without it, a process that dies would be waited for.
    sending.close()
    try:
        return receiving.recv()
    except EOFError:
        return "it died"
    finally:
        process.join()


def differs(case: Case, module, run=forked) -> bool | str:
    """Whether any worker or any moment shows another output; a text says what failed."""
    right = run(in_order, case, module)
    if isinstance(right, str):
        return right
    for other in (*map(dealt, range(WORKERS)), at_once):
        found = run(other, case, module)
        if isinstance(found, str):
            return found
        if any(one not in (None, wanted) for one, wanted in zip(found, right)):
            return True
    return False


def observe(folder: str) -> dict[str, bool | str]:
    """Of each case, whether it differs."""
    all_cases = cases(folder)
    modules = {name: fresh(folder, name) for name in dict.fromkeys(c.module for c in all_cases)}
    return {str(case): differs(case, modules[case.module]) for case in all_cases}


def outputs(folder: str) -> dict[str, list[str] | str]:
    """What the cases give in order that depend on how texts are hashed in this process."""
    modules = {name: fresh(folder, name) for name in HASHED}
    return {str(case): forked(in_order, case, modules[case.module])
            for case in cases(folder) if case.module in HASHED}


if __name__ == "__main__":
    asked = outputs if sys.argv[2:] == ["outputs"] else observe
    print(json.dumps(asked(sys.argv[1])))
