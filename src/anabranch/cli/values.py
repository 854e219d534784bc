"""The values that options take, for the shell to complete.

Each function is what click calls when Tab is pressed: it is given what was typed so far.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from anabranch.engine.run import ENGINES
from anabranch.lang.registry import LANGUAGES
from anabranch.plan.logical.rules import RULES
from anabranch.plan.tuning import COSTS, KNOWN, Knobs

Values = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def one_of(values: Iterable[str]) -> Values:
    """Completes one of these."""
    known = list(values)
    return lambda context, parameter, typed: _items(known, typed)


def programs(context: click.Context, parameter: click.Parameter, typed: str
             ) -> list[CompletionItem]:
    """Files that some language has the extension of, and folders on the way to them."""
    return [CompletionItem(path) for path in _there(typed, tuple(LANGUAGES))]


def bindings(context: click.Context, parameter: click.Parameter, typed: str
             ) -> list[CompletionItem]:
    """After NAME= the files of a known format, and folders on the way to them."""
    from anabranch.io.binding import FORMATS

    name, equals, path = typed.partition("=")
    found = _there(path, (*FORMATS, ".txt", ".json")) if equals else []
    return [CompletionItem(f"{name}={each}") for each in found]


def paths(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Whatever files there are, as the shell knows them."""
    return [CompletionItem(typed, type="file")]


def knobs(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The names of knobs, those of Spark only if it is the engine, and then their values."""
    from anabranch.plan.physical.spark.tuning import GANGS, SparkKnobs

    is_spark = context.params.get("engine") == "spark"
    chosen = {field.name: KNOWN.get(field.name, ()) for field in fields(Knobs)
              if field.name != "workers"}
    spark = {field.name: GANGS if field.name == "gangs" else () for field in fields(SparkKnobs)}
    named = spark if is_spark else chosen if context.params.get("engine") else chosen | spark
    named |= dict.fromkeys(COSTS, ())
    name, equals, _ = typed.partition("=")
    if equals:
        # Those with spaces are what a knob is if nobody turns it.
        return _items([f"{name}={value}" for value in named.get(name, ()) if " " not in value],
                      typed)
    return _items([f"{each}=" for each in named], typed)


def rules(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The names of optimizations, with commas between them."""
    before = typed[:typed.rfind(",") + 1]
    return _items([before + rule.__name__ for rule in RULES
                   if rule.__name__ not in before.split(",")], typed)


engines = one_of(ENGINES)
policies = one_of(["stop", "skip", "divert="])
masters = one_of(["local[*]", "local[2]", "spark://", "yarn", "k8s://", "sc://"])
triggers = one_of(["once", "500ms", "5s", "1m"])


def _items(values: Iterable[str], typed: str) -> list[CompletionItem]:
    return [CompletionItem(value) for value in values if value.startswith(typed)]


def _there(typed: str, extensions: tuple[str, ...]) -> list[str]:
    """The files with these extensions and the folders that a path may become."""
    folder, start = os.path.split(typed)
    try:
        there = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    return [os.path.join(folder, f"{each.name}/" if each.is_dir() else each.name)
            for each in there if each.name.startswith(start)
            and (start.startswith(".") or not each.name.startswith("."))
            and (each.is_dir() or each.name.endswith(extensions))]
