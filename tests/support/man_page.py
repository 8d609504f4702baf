"""Write the man page from the commands and their options: ``python -m tests.support.man_page docs/aggregator.1``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

import aggregator
from aggregator.cli import COMMANDS, GROUPS, _make_program
from aggregator.version import VERSION

CODES = (
    ("0", "done"),
    ("1", "needs attention: the store or the output cannot be written, or what was checked is wrong"),
    ("2", "the config or the command line is wrong"),
    ("3", "nothing was fetched and nothing is stored"),
    ("4", "another refresh is running"),
)


def make_page() -> str:
    """Return the page in the macros of man(7)."""
    return "\n".join(_write_page()) + "\n"


def _write_page() -> Iterator[str]:
    program: Any = typer.main.get_command(_make_program(set(COMMANDS)))  # a group of typer's own click
    first, _, rest = (aggregator.__doc__ or "").strip().partition("\n\n")
    yield f'.TH AGGREGATOR 1 "" "feedmend {VERSION}" "User Commands"'
    yield from (".SH NAME", f"aggregator \\- {_escape(' '.join(first.split()).rstrip('.'))}")
    yield from (".SH SYNOPSIS", ".B aggregator", ".I COMMAND", "[\\fIOPTION\\fR]...")
    if rest:
        yield from (".SH DESCRIPTION", *_write_text(rest))
    yield ".SH COMMANDS"
    for heading, names in GROUPS.items():
        yield f'.SS "{heading}"'
        for name in names:
            yield from _write_command(name, program.commands[name])
    yield ".SH OPTIONS"
    yield from _write_options(program)
    yield ".SH EXIT STATUS"
    for code, text in CODES:
        yield from (".TP", f".B {code}", _escape(text))
    yield from (
        ".SH FILES",
        ".TP",
        ".I config.yaml",
        "The config of the current folder, unless \\-\\-config names one.",
    )


def _write_command(name: str, command: Any) -> Iterator[str]:
    arguments = [
        each.make_metavar(command.context_class(command)) for each in command.params if each.param_type_name != "option"
    ]
    yield from (".TP", f".B aggregator {_escape(' '.join((name, *arguments)))}")
    yield from _write_text(command.help or "")
    yield ".RS"
    yield from _write_options(command)
    yield ".RE"


def _write_options(command: Any) -> Iterator[str]:
    for option in command.params:
        if option.param_type_name == "option" and not option.hidden:
            names, help_ = option.get_help_record(command.context_class(command))
            yield from (".TP", f".B {_escape(names)}", _escape(" ".join(help_.split())))


def _write_text(text: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring."""
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        yield from ((".IP",) if number else ())
        yield _escape(" ".join(paragraph.split()))


def _escape(text: str) -> str:
    """Return text as roff(7) shows it.

    >>> _escape(".a -b")
    '\\\\&.a \\\\-b'
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    escaped = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(make_page(), encoding="utf-8")
