"""The page of the command line is what the commands say of themselves."""

from pathlib import Path

from anabranch.cli import commands
from anabranch.cli.reference import page

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def test_the_page_is_that_of_the_code():
    assert PAGE.read_text() == page(), "make docs writes it anew"


def test_every_option_of_every_command_is_there():
    text = page()
    for name, command in commands.commands.items():
        section = text.partition(f"## anabranch {name}\n")[2].partition("\n## ")[0]
        options = {o.opts[0] for o in command.params if o.param_type_name == "option"}
        assert options and all(f"`{option}" in section for option in options)
