"""Imports point one way, engines do not know each other, and nothing is there for tests alone."""

import ast
import re

import pytest

from house.modules import ROOT, STOREYS, modules, owner

UPWARD = {
    ("anabranch.explain.matrix", "anabranch"):
        "it writes docs/matrix.md and is run as a module, on programs as users write them",
    ("anabranch.cli.api_pages", "anabranch"):
        "it writes docs/api.md and is run as a module; what users see stands in `anabranch`",
}
"""Imports that may go up a storey, with the reason why."""

CYCLE = {
    f"anabranch.analysis.effects.{name}"
    for name in ("access", "attributes", "calls", "classes", "operations", "library.arrays",
                 "library.functions", "library.methods", "library.modules")
}
"""One walk in nine parts: what an operation does may be a call, and a call an operation."""

ENGINES = ("sequential", "multicore", "spark")


def above(name: str) -> list[str]:
    module = modules()[name]
    return sorted(target for target in module.needs if modules()[target].storey > module.storey)


def cycles() -> list[set[str]]:
    """The modules that need each other while they are imported."""
    behind = {name: reachable(name) for name in modules()}
    found = []
    for name, others in behind.items():
        if name in others and not any(name in cycle for cycle in found):
            found.append({other for other in others if name in behind[other]})
    return found


def reachable(name: str) -> set[str]:
    """What comes with a module, itself only if it lies on a cycle."""
    found, ahead = set(), [name]
    while ahead:
        for target in modules()[ahead.pop()].needs - found:
            found.add(target)
            ahead.append(target)
    return found


def doors() -> set[str]:
    """Where people come in: `import anabranch`, its command, what the Makefile runs, what languages
    of packages import, and the plug-in of pytest."""
    project = (ROOT / "pyproject.toml").read_text()
    texts = re.findall(r'"(anabranch[\w.]*):\w+"', project)
    texts += re.findall(r'= "(anabranch\.[\w.]+)"', project)
    texts += re.findall(r"-m (anabranch[\w.]*)", (ROOT / "Makefile").read_text())
    return {"anabranch", "anabranch.__main__", "anabranch.frontend", *map(owner, texts)}


def in_use() -> set[str]:
    found, ahead = set(), list(doors())
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += modules()[name].reaches
            ahead += filter(None, [name.rpartition(".")[0]])
    return found


def engine_of(name: str) -> str | None:
    found = re.match(r"anabranch\.engine\.(\w+)", name)
    return found[1] if found and found[1] in ENGINES else None


@pytest.mark.parametrize("storey", STOREYS)
def test_nothing_is_imported_from_above(storey):
    wrong = {(name, target) for name, module in modules().items()
             if module.storey == STOREYS.index(storey) for target in above(name)}
    assert not wrong - UPWARD.keys()


def test_exceptions_are_still_there():
    assert UPWARD.keys() == {(name, target) for name in modules() for target in above(name)}


def test_no_engine_knows_another():
    wrong = {(name, target) for name, module in modules().items() if engine_of(name)
             for target in module.reaches
             if engine_of(target) not in (None, engine_of(name))
             or target in ("anabranch.engine", "anabranch.engine.run", "anabranch.engine.whole")}
    assert not wrong


def test_one_cycle_is_known():
    assert cycles() == [CYCLE]


STARTS = ("threading.Thread", "Thread", "os.fork", "multiprocessing.Process", "ThreadPoolExecutor",
          "ProcessPoolExecutor", "futures.ThreadPoolExecutor", "subprocess.Popen", "Popen")
"""What starts a thread or a process."""

BY_THEMSELVES = re.compile(r"anabranch\.lang\.\w+\.execution\.")
"""Languages that still run their programs themselves."""


def test_threads_and_processes_are_started_in_one_place():
    starting = {name for name, module in modules().items() for node in ast.walk(module.tree)
                if isinstance(node, ast.Call) and (
                    (made := ast.unparse(node.func)) in STARTS or made.endswith(").Process"))}
    assert {name for name in starting if not BY_THEMSELVES.match(name)} == {
        "anabranch.core.threads"}


def test_nothing_is_there_for_tests_alone():
    assert not modules().keys() - in_use()
