"""What a checker says, beside what is expected of it."""

from __future__ import annotations

from checkers.ask import UNSEEN, Answer
from checkers.programs import HERE, expected_errors, expected_types


def differences(name: str, answer: Answer) -> list[str]:
    """Everything that is not as it should be, in words."""
    noise = [f"{file}:{line}: {text}" for file, line, text in answer.errors if file != "wrong.py"]
    types = {line: text for (file, line), text in answer.revealed.items() if file == "reveal.py"}
    wrong = [f"reveal.py:{line}: {types.get(line)}, not {wanted}"
             for line, wanted in expected_types().items() if types.get(line) != wanted]
    source = (HERE / "wrong.py").read_text().split("\n")
    unseen = {number for number, line in enumerate(source, 1)
              if any(word in line for word in UNSEEN.get(name, ()))}
    told = answer.lines_of("wrong.py")
    missed = [f"wrong.py:{line}: not found: {source[line - 1]}"
              for line in sorted(expected_errors() - unseen - told)]
    more = [f"wrong.py:{line}: nothing is wrong here" for line in sorted(told - expected_errors())]
    return noise + wrong + missed + more
