"""Runs one program in this interpreter and prints how long it took, as a line of JSON.

It needs nothing but Python, so it runs in every peer's environment. A program is a file with
`run(source, target, **options)`. It may also have `start()`, which counts as starting up, and
`load(source)` and `save(result, target)`, which bring rows into and out of memory untimed.

    python harness.py '{"program": "w1.py", "source": "in.csv", "target": "out.csv",
                        "options": {"workers": 2}, "warm": 1, "began": 1700000000.0}'
"""

import importlib.util
import json
import os
import sys
import time


def main(text):
    asked = json.loads(text)
    program = loaded(asked["program"])
    getattr(program, "start", lambda: None)()
    startup = time.time() - asked["began"]
    source = getattr(program, "load", lambda path: path)(asked["source"])
    for turn in range(asked["warm"] + 1):
        target = asked["target"] if turn == asked["warm"] else beside(asked["target"], turn)
        began = time.perf_counter()
        result = program.run(source, target, **asked["options"])
        seconds = time.perf_counter() - began
    getattr(program, "save", lambda result, target: None)(result, asked["target"])
    said = result if isinstance(result, dict) else {}
    report({"seconds": seconds, "startup": startup, **said})


def beside(target, turn):
    folder, name = os.path.split(target)
    return os.path.join(folder, f"warm-{turn}-{name}")


def loaded(path):
    sys.path.insert(0, os.path.dirname(path))
    # As the main module, whose functions systems send to their workers by value.
    spec = importlib.util.spec_from_file_location("__main__", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["__main__"] = module
    spec.loader.exec_module(module)
    return module


def report(figures):
    """Behind whatever the program and its libraries have printed, and without their clean-up."""
    sys.stdout.flush()
    print("\n" + json.dumps(figures), flush=True)
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
