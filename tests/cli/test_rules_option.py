"""The order of optimizations is the user's, by name; what comes out stays the same."""

import pytest

import anabranch as ab

PROGRAM = """
import anabranch as ab

class Item(ab.Record):
    k: int
    v: int

numbers = ab.from_iterable([Item(n % 3, n) for n in range(9)], Item)
numbers.map(lambda t: t.replace(v=t.v)).filter(lambda t: t.k < 2).write_stdout("csv")
"""
HOISTED, AS_WRITTEN = "numbers → filter → map", "numbers → map → filter"


@pytest.fixture
def program(folder):
    (folder / "program.py").write_text(PROGRAM)
    return "program.py"


@pytest.mark.parametrize("rules, shown", [
    ([], HOISTED), (["--rules", "hoist,fuse"], HOISTED), (["--rules", "fuse, hoist"], HOISTED),
    (["--rules", "fuse"], AS_WRITTEN), (["--rules", ""], AS_WRITTEN)])
def test_the_plan_follows_the_order(anabranch, program, rules, shown):
    assert shown in anabranch("explain", program, *rules).stdout
    run = anabranch("run", program, "--engine", "multicore", *rules)
    assert run.exit_code == 0
    assert run.stdout == anabranch("run", program, "--engine", "sequential").stdout


@pytest.mark.parametrize("command", [["run", "--engine", "multicore"], ["explain"]])
def test_an_unknown_rule_is_refused(anabranch, program, command):
    refused = anabranch(command[0], program, *command[1:], "--rules", "hoist,fuze")
    assert refused.exit_code == 2
    assert "no rule is called 'fuze'" in refused.stderr
    assert "did you mean 'fuse'?" in refused.stderr


def test_the_sequential_engine_runs_the_program_as_it_is(anabranch, program):
    refused = anabranch("run", program, "--engine", "sequential", "--rules", "hoist")
    assert refused.exit_code == 2
    assert "takes no --rules: it runs the program as it is written" in refused.stderr


def test_the_api_has_the_same_option():
    stream = ab.from_iterable([1, 2, 3], int).map(lambda n: n + 1).filter(lambda n: n > 2)
    assert stream.collect(engine="multicore", rules=["fuse", "hoist"]) == [3, 4]
    with pytest.raises(ab.UsageError, match="no rule is called 'hoisst'"):
        stream.collect(engine="multicore", rules="hoisst")
