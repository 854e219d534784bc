"""`python -m benchmarks`, which is `anabranch bench` as well."""

from anabranch.cli.failures import open_streams
from benchmarks.command import bench

if __name__ == "__main__":
    open_streams()
    bench(prog_name="python -m benchmarks")
