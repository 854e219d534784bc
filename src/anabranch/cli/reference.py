"""The page docs/command-line.md, made of what the commands say of themselves.

    python -m anabranch.cli.reference > docs/command-line.md
"""

from __future__ import annotations

import inspect

import click

from anabranch.cli import commands
from anabranch.cli.options import grouped


def page() -> str:
    """The whole page."""
    context = click.Context(commands, info_name="anabranch", **commands.context_settings)
    parts = ["# The command line", _said(commands.help)]
    for name in commands.list_commands(context):
        command = commands.get_command(context, name)
        own = click.Context(command, info_name=name, parent=context)
        parts += _section(command, own, command.name)
        for inner in command.list_commands(own) if isinstance(command, click.Group) else ():
            named = command.get_command(own, inner)
            parts += _section(named, click.Context(named, info_name=inner, parent=own),
                              f"{command.name} {inner}")
    return "\n\n".join(parts) + "\n"


def _section(command: click.Command, context: click.Context, name: str) -> list[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"## anabranch {name}", f"```text\nanabranch {name} {usage}\n```",
             _said(command.help), _options(command, context)]
    return [part for part in parts if part]


def _said(text: str) -> str:
    """A command's own text; what click is told not to wrap (after a \\b) becomes a code block."""
    return "\n\n".join(_paragraph(part) for part in inspect.cleandoc(text).split("\n\n"))


def _paragraph(text: str) -> str:
    return f"```text\n{text.removeprefix(chr(8)).strip()}\n```" if text.startswith("\b") else text


def _options(command: click.Command, context: click.Context) -> str:
    """The tables of the options by what they are about, or nothing where there are none."""
    return "\n\n".join(_table(title, records) for title, records in grouped(command, context))


def _table(title: str, records: list[tuple[str, str]]) -> str:
    return "\n".join([f"| {title} | |", "|---|---|",
                      *(f"| `{_cell(name)}` | {_cell(help)} |" for name, help in records)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
