"""One tick of a long-running command: reload the config if it changed, refresh the feeds that are due, print."""

from __future__ import annotations

from datetime import datetime

import typer
from msgspec import Struct

from aggregator.commands import summary
from aggregator.config.load import Config, load
from aggregator.errors import ConfigError, LockedError, escape_lines
from aggregator.result import Outcome
from aggregator.service import schedule


class Standing(Struct):
    """The config in use, and time and size of its file when it was read; a wrong config is never used.

    ``fresh`` tells that no tick has looked at all feeds of it yet.
    """

    config: Config
    mark: tuple[int, int] | None = None
    looked: bool = False
    fresh: bool = True

    def latest(self) -> Config:
        """Return the config, read again if its file has changed; errors in a changed one are printed once."""
        try:
            state = self.config.path.stat()
            mark = (state.st_mtime_ns, state.st_size)
        except OSError:
            mark = None
        if mark != self.mark:
            first, self.mark, self.looked = not self.looked, mark, True
            try:
                self.config = load(self.config.path)
            except ConfigError as error:
                tell(f"{error}\nthe previous config stays in use")
            else:
                self.fresh = True
                if not first:
                    typer.echo(f"{self.config.path}: read again")
        return self.config


def tick(standing: Standing, at: datetime) -> tuple[Outcome, ...]:
    """Refresh the feeds that are due, print what changed, and return their outcomes."""
    config = standing.latest()
    everything, standing.fresh = standing.fresh, False
    try:
        outcomes = schedule.refresh_due(config, at, everything=everything)
    except LockedError:
        standing.fresh = everything
        raise
    for outcome in outcomes:
        for worry in summary.list_warnings(outcome):
            tell(worry)
        if outcome.new or outcome.changed:
            typer.echo("\n".join((f"{at:%Y-%m-%d %H:%M:%S}Z", *summary.format_summary(outcome))))
    return outcomes


def tell(text: str) -> None:
    """Print a warning on stderr."""
    for line in escape_lines(text):
        typer.echo(f"aggregator: {line}", err=True)
