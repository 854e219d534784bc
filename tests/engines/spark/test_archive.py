"""The package as the archive that executors are sent: native code is made from it, too."""

from __future__ import annotations

import os
import subprocess
import sys

from anabranch.engine.spark.session.workers import archived

PROGRAM = '''
import anabranch
from anabranch.kernels.native import cache

assert ".zip" in anabranch.__file__
CODE = """
from anabranch.kernels.native.library.numbers import bit_length
from numba import njit

@njit(cache=True)
def bits(n):
    return bit_length(n)
"""
print(cache.module_of(CODE).bits(-7))
'''


def test_native_code_is_made_from_the_archive(tmp_path):
    with archived() as archive:
        variables = {"PYTHONPATH": archive, "XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=os.environ | variables,
                              capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "3"), done.stderr
