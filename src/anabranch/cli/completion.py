"""`anabranch completion`: what the shell is told when a user presses Tab."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
from click.shell_completion import BashComplete, CompletionItem, get_completion_class
from click.shell_completion import add_completion_class as known_shell

from anabranch.core.errors import UsageError, did_you_mean

SHELLS = ("bash", "zsh", "fish")


@click.command(short_help="Let the shell complete commands, options and values.")
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def completion(shell: str | None) -> None:
    """Prints what SHELL must read to complete commands, options and their values.

    \b
    Examples:
      eval "$(anabranch completion bash)"                      # in ~/.bashrc
      eval "$(anabranch completion zsh)"                       # in ~/.zshrc
      anabranch completion fish > ~/.config/fish/completions/anabranch.fish
    """
    shell = shell or Path(os.environ.get("SHELL", "")).name
    if shell not in SHELLS:
        raise UsageError(f"no completion is known for the shell '{shell}'",
                         help=did_you_mean(shell, SHELLS))
    from anabranch.cli import commands

    known = get_completion_class(shell)
    click.echo(known(commands, {}, "anabranch", "_ANABRANCH_COMPLETE").source())


@known_shell
class Bash(BashComplete):
    """Bash takes `=` and `:` for ends of words, and puts a space after what it completes."""

    source_template = BashComplete.source_template.replace(
        "    return 0", "    if [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *[=/] ]]; then\n"
        "        compopt -o nospace\n    fi\n\n    return 0")

    def get_completion_args(self) -> tuple[list[str], str]:
        words = os.environ["COMP_WORDS"].split("\n")[:int(os.environ["COMP_CWORD"]) + 1]
        whole: list[str] = []
        for word in words:
            if whole and (word in ("=", ":") or whole[-1].endswith(("=", ":"))):
                whole[-1] += word
            else:
                whole.append(word)
        self.typed = whole[-1] if len(whole) > 1 else ""
        return whole[1:-1], self.typed

    def format_completion(self, item: CompletionItem) -> str:
        value = item.value
        if item.type == "plain":
            before = re.match(r".*[=:]", self.typed)
            value = value.removeprefix(before[0] if before else "")
        return f"{item.type},{value}"
