"""What these workloads share: the right answer, and the usual contenders."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from benchmarks import data
from benchmarks.environments import python_of
from benchmarks.measurement import Contender, Outcome, Setting
from benchmarks.processes import Script, contender, run_script
from benchmarks.runner import compared

PATIENCE_FOR_SEQUENTIAL = 900
OURS = "anabranch"
WARM = 3
"""So many runs before the one that counts: the first ones also pay for memory not used before."""


def right_answer(program: str, dataset: str, rows: int, setting: Setting) -> pa.Table:
    """What the sequential engine gives."""
    setting.tell(f"{program}: the right answer, by the sequential engine")
    target = setting.folder / f"right-{program}-{rows}.parquet"
    run_script(python_of(OURS), Script(OURS, program, {"engine": "sequential"}),
               data.written(dataset, rows, "parquet"), target, PATIENCE_FOR_SEQUENTIAL)
    return pa.parquet.read_table(target).combine_chunks()


def ours(program: str, source: Path, schema: pa.Schema, setting: Setting, workers: int,
         name: str = OURS, warm: int = WARM) -> Contender:
    """A program of ours on the multicore engine, after runs that compile it and warm it up."""
    script = Script(OURS, program, {"engine": "multicore", "workers": workers}, warm)
    return contender(name, script, source, schema, setting)


def one_shot(system: str, program: str, source: Path, schema: pa.Schema, setting: Setting,
             name: str | None = None, **options: object) -> Contender:
    """A program of a peer, after as many runs to warm up; a plain loop has nothing to warm."""
    script = Script(system, program, {"workers": setting.most_workers, **options},
                    warm=0 if system == "loop" else WARM)
    return contender(name or system, script, source, schema, setting)


def against(program: str, dataset: str, peers: tuple[str, ...], setting: Setting, form: str = "csv",
            ) -> Outcome:
    """Ours against one-shot peers, from a file to a file of the same form."""
    right = right_answer(program, dataset, setting.rows, setting)
    source = data.written(dataset, setting.rows, form)
    contenders = [ours(program, source, right.schema, setting, setting.most_workers),
                  *(one_shot(peer, program, source, right.schema, setting) for peer in peers)]
    return compared(f"{form} to {form}", contenders, right, setting.rows, setting)
