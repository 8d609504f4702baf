"""The command line: the table of commands, and the exit code of each error.

Only the module of the command that is called is imported. Every error that a person can act on ends here as one line
on stderr and an exit code.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import typer

import aggregator
from aggregator.errors import (
    AggregatorError,
    ConfigError,
    DamagedError,
    LockedError,
    NothingToPublishError,
    escape_lines,
)
from aggregator.version import VERSION

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Every day": {
        "init": ("init", "Make a config from addresses and refresh for the first time."),
        "add": ("add", "Detect what a URL is and add it to the config as a source."),
        "find": ("find", "Find other listings of a feed's show, and say what each would add."),
        "remove": ("remove", "Remove a source, or a feed, from the config."),
        "move": ("move", "Move a source to another feed of the config."),
        "list": ("list", "List the feeds and their sources, with their last polls and stored entries."),
        "check": ("check", "Check the config; with --live, also every source; with --store, the store."),
        "refresh": ("refresh", "Fetch the sources that are due and publish the feeds, once."),
        "review": ("review", "Decide about near misses and about new items that are held back."),
        "correct": ("correct", "Set fields of an item, part an entry from it, or take it out of the feed."),
        "forget": ("forget", "Remove from a feed what only one source gave, or restore it."),
    },
    "Inspect": {
        "explain": ("explain", "Show where each field of an item comes from, and why it was merged."),
        "diff": ("diff", "Show what a refresh would change, without changing anything."),
        "events": ("events", "Show a feed's log: id conflicts, future dates, your decisions."),
    },
    "Run": {
        "serve": ("serve", "Refresh on schedule and serve the published files over HTTP."),
        "worker": ("worker", "Refresh on schedule without a server; several can share a store."),
        "dispatch": ("dispatch", "Give the feeds that are due to workers on any machine (PostgreSQL, Redis)."),
        "backup": ("backup", "Copy the store to a file, even while a refresh is running."),
        "restore": ("restore", "Replace the store by a backup."),
    },
    "Tools": {
        "demo": ("demo", "Show what the program does, with a made-up show on this machine."),
        "import-opml": ("import_opml", "Add the feeds of an OPML file to the config."),
        "export-opml": ("export_opml", "Write the sources of the config as an OPML file."),
        "match": ("match", "Find records of a JSON Lines file that are the same item."),
        "reconcile": ("reconcile", "Rebuild one text from several damaged copies."),
        "validate": ("validate", "Check any feed against the specifications and against apps."),
    },
}
"""The commands as ``aggregator --help`` shows them: each with its module in ``aggregator.commands`` and its line."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}

_EXIT_CODES: dict[type[AggregatorError], int] = {ConfigError: 2, NothingToPublishError: 3, LockedError: 4}
_OTHER_ERRORS = 1


def main() -> NoReturn:
    """Run the command line and exit with its code (docs/commands.md).

    The garbage collector is off while modules load and after the run: a tenth of the start-up.
    """
    gc.disable()
    program = _make_program(_find_wanted())
    gc.freeze()
    gc.enable()
    with _guard_output():
        try:
            program()
        except AggregatorError as error:
            for line in escape_lines(f"{error}{_advise(error)}"):
                typer.echo(f"aggregator: {line}", err=True)
            sys.exit(_EXIT_CODES.get(type(error), _OTHER_ERRORS))
        finally:
            gc.freeze()
    sys.exit(0)


class _Output(FileIO):
    """A standard stream that drops what it cannot write, so that a command ends its work, and keeps the error.

    ``goes_on`` says whether it tries again with the next write: a log may lack lines, but a document must not lack its
    middle.
    """

    error: OSError | None = None
    goes_on = False

    def write(self, data: Any) -> int:
        if self.error is None or self.goes_on:
            try:
                return super().write(data)
            except OSError as error:
                self.error = error
        return len(data)


@contextmanager
def _guard_output() -> Iterator[None]:
    """Report what could not be printed when the command has ended; a reader that has left (``| head``) is no news."""
    _open_closed()
    given = sys.stdout, sys.stderr  # closed when nothing refers to them
    output, errors = (_Output(stream.fileno(), "w", closefd=False) for stream in given)
    errors.goes_on = True
    sys.stdout, sys.stderr = _wrap(output, given[0]), _wrap(errors, given[1], by_line=True)
    code: str | int | None = 0
    try:
        yield
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    if output.error is not None and output.error.errno != errno.EPIPE:
        typer.echo(f"aggregator: standard output: {output.error.strerror}; not all could be printed", err=True)
    sys.stderr.flush()
    sys.exit(code or (_OTHER_ERRORS if output.error or errors.error else 0))


def _wrap(output: _Output, given: TextIO, *, by_line: bool = False) -> TextIO:
    by_line = by_line or given.isatty() or (isinstance(given, TextIOWrapper) and given.write_through)
    return TextIOWrapper(BufferedWriter(output), given.encoding, given.errors, line_buffering=by_line)


def _open_closed() -> None:
    """Make standard streams that are closed /dev/null: else the first file to be opened would take their messages."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  # open to the end


def _advise(error: AggregatorError) -> str:
    """Return how to restore a damaged store: the newest daily copy that is sound, and the command."""
    if not isinstance(error, DamagedError) or "://" in error.store:
        return ""
    from aggregator.store.backup import find_newest_good  # noqa: PLC0415 - for this message alone

    newest = find_newest_good(error.store)
    if newest is None:
        return "; there is no good daily copy beside it"
    words = iter(sys.argv[1:])
    config = [(word, next(words, "")) if word in ("-c", "--config") else (word,) for word in words]
    given = [word for words in config for word in words if words[0].startswith(("-c", "--config"))]
    return f"; the newest good copy is restored with: {shlex.join(('aggregator', 'restore', str(newest), *given))}"


def _find_wanted() -> set[str]:
    """Return the commands to import: the first in the command line, and in the line that a shell completes."""
    completed = (os.environ.get(name, "").split()[1:] for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS"))
    return {word for words in (sys.argv[1:], *completed) for word in [each for each in words if each[:1] != "-"][:1]}


class _GroupedHelp(typer.core.TyperGroup):
    """The program, whose help shows the commands in groups, each with its whole line."""

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        widest = max(map(len, COMMANDS))
        for heading, commands in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), line) for name, (_, line) in commands.items()])


def _make_program(wanted: set[str]) -> typer.Typer:
    """Build the program; only the wanted commands are imported, the others have just a name and a line of help."""
    program = typer.Typer(
        name="aggregator",
        cls=_GroupedHelp,
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


def _print_version(is_wanted: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if is_wanted:
        typer.echo(VERSION)
        raise typer.Exit


def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Declare the options that come before a command."""


def _unloaded() -> None:
    """Stand in for a command that is not imported."""


if __name__ == "__main__":
    main()
