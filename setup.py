"""What pyproject.toml cannot say: the examples, which stand beside the package, go with it."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class WithExamples(build_py):
    """Puts `examples` into the package, where `anabranch init` and others look for them."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib, "anabranch", "examples")
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree("examples", target, ignore=shutil.ignore_patterns("__pycache__"))


setup(cmdclass={"build_py": WithExamples})
