"""The modules that are changed, and the tests that `make test` has for each, the quick ones first.

A group has a share of the mutants; its tests are stages of pytest's arguments, and a mutant that
survives one comes to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "anabranch"


@dataclass(frozen=True)
class Group:
    """Modules of one kind, whether their tables are meant, and how much of the whole they are."""

    name: str
    share: float
    patterns: tuple[str, ...]
    stages: tuple[tuple[str, ...], ...]
    tables: bool | None = None

    @property
    def modules(self) -> list[Path]:
        return sorted({path for pattern in self.patterns for path in SOURCE.glob(pattern)
                       if path.name != "__init__.py"})

    def stages_for(self, module: Path) -> list[tuple[str, ...]]:
        """The examples in the module itself come first."""
        return [(str(module.relative_to(ROOT)),), *self.stages]


EFFECTS = (
    ("tests/soundness/test_corpus_effects.py",),
    ("tests/analysis", "tests/soundness/test_innocent.py", "tests/soundness/test_hostile.py",
     "tests/soundness/test_between_operators.py", "-k",
     "not depend and not how_many and not several_processes and not facts_hold "
     "and not inferred_types_hold"),
)
ENGINE = "tests/engines/multicore/test_multicore_"
MERGE = (
    (f"{ENGINE}structures.py", f"{ENGINE}merging.py", "tests/soundness/test_keys.py",
     f"{ENGINE}pieces.py", "tests/engines/test_keys.py", "tests/engines/test_cases.py"),
    ("tests/engines/test_live.py", "tests/engines/test_times.py", "tests/engines/test_columnar.py"),
)
KERNEL = "tests/kernels/test_kernel_"
KERNELS = (
    (f"{KERNEL}answers.py",),
    tuple(f"{KERNEL}{name}.py" for name in (
        "dicts", "numbers", "bytes", "control", "forms", "variables", "constructs", "sequences",
        "functions", "window_times")),
)

GROUPS = (
    Group("whitelist", 0.2, ("analysis/effects/library/*.py", "analysis/effects/environment.py",
                             "analysis/effects/members.py"), EFFECTS, tables=True),
    Group("effects", 0.4, ("analysis/effects/*.py", "analysis/effects/library/*.py"), EFFECTS,
          tables=False),
    Group("merge and partitioning", 0.15, (
        "batch/buckets.py", "batch/merge.py", "engine/multicore/reorder.py", "ir/keys.py",
        "runtime/ends/columns.py", "runtime/ends/merging.py", "runtime/stage/merge.py"), MERGE),
    Group("kernels", 0.25, (
        *(f"kernels/native/library/{name}.py" for name in ("numbers", "strings", "times")),
        "kernels/native/slices.py", "kernels/native/stage/folds.py",
        *(f"kernels/native/state/{name}.py" for name in ("dicts", "sequences")),
        *(f"kernels/native/translate/{name}.py" for name in (
            "arithmetic", "control", "expressions", "statements", "texts", "values"))), KERNELS),
)
