"""The commands by name: where each stands and what it is for, and what becomes of an error.

A command loads only its own module: the table names modules, and the one whose name is the first word of the command
line is imported. Everything that a person can act on ends here, in
one line on stderr and an exit code.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import Annotated, NoReturn

import typer

import aggregator
from aggregator.errors import AggregatorError, ConfigError, LockedError, NothingToPublishError, lines
from aggregator.version import VERSION

COMMANDS: dict[str, tuple[str, str]] = {
    "refresh": ("refresh", "Ask the sources that are due and publish what they say, once."),
    "serve": ("serve", "Refresh by the schedule and give the feeds over HTTP."),
    "worker": ("worker", "Refresh feeds that a shared store hands out."),
    "check": ("check", "Say what is wrong with the config, or with a source."),
    "add": ("add", "Find out what an address is and write it into the config."),
    "explain": ("explain", "Say who said what of an item, and why it is one."),
    "review": ("review", "Show pairs that nearly matched, and remember what you decide."),
    "forget": ("forget", "Take out of a feed what one source alone gave, or put it back."),
    "diff": ("diff", "Say what a refresh would change, without changing it."),
    "events": ("events", "Say what happened to a feed that you may want to look into."),
    "import-opml": ("import_opml", "Write the feeds of an OPML file into the config."),
    "export-opml": ("export_opml", "Write the sources of the config as OPML."),
    "backup": ("backup", "Copy the store to a file, also while something runs."),
    "restore": ("restore", "Put a backup in the place of the store."),
    "match": ("match_file", "Tell which records of a JSON Lines file are the same."),
    "reconcile": ("reconcile_file", "Make one text out of several damaged copies."),
    "validate": ("validate", "Check any feed against the specifications."),
}
"""Each command: its module in ``aggregator.commands`` and its line in the help."""

EXITS: dict[type[AggregatorError], int] = {ConfigError: 2, NothingToPublishError: 3, LockedError: 4}
OTHERWISE = 1


def main() -> NoReturn:
    """The program: the command line answered, then the exit code of DESIGN (0, 1, 2, 3 or 4).

    Nothing is collected while modules load, and what they made is never looked at again: a tenth of the start-up. Nor
    is what the run made when it ends: Python would go through all of it once more before the process is gone.
    """
    gc.disable()
    program = _program(_wanted())
    gc.freeze()
    gc.enable()
    try:
        program()
    except AggregatorError as error:
        for line in lines(str(error)):
            typer.echo(f"aggregator: {line}", err=True)
        sys.exit(EXITS.get(type(error), OTHERWISE))
    finally:
        gc.freeze()
    sys.exit(0)


def _wanted() -> set[str]:
    """The commands whose module is needed: the first word, also of a line that a shell completes."""
    lines = (sys.argv[1:], *(os.environ.get(name, "").split()[1:] for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")))
    return {word for line in lines for word in line[:1]}


def _program(wanted: set[str]) -> typer.Typer:
    """The table as a program; only the wanted commands are loaded, of the others the name and the line are known."""
    program = typer.Typer(
        name="aggregator",
        help=aggregator.__doc__,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback()(_options)
    for name, (module, line) in COMMANDS.items():
        if name in wanted:
            program.command(name)(importlib.import_module(f"aggregator.commands.{module}").run)
        else:
            program.command(name, help=line)(_unloaded)
    return program


def _version(asked: bool) -> None:  # noqa: FBT001 - typer hands it over by place
    """The version, where it was asked for."""
    if asked:
        typer.echo(VERSION)
        raise typer.Exit


def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Say the version and end.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def _unloaded() -> None:
    """The place of a command that this line does not ask for."""


if __name__ == "__main__":
    main()
