"""What a long-running command does at every tick: whoever is due by the config as it stands, and what to say of it."""

from __future__ import annotations

from datetime import datetime

import typer
from msgspec import Struct

from aggregator.commands import summary
from aggregator.config.load import Config, load
from aggregator.errors import ConfigError, LockedError, lines
from aggregator.outcome import Outcome
from aggregator.service import schedule


class Standing(Struct):
    """The config that holds, and the file's time and size when it was read; a wrong one never takes its place.

    ``fresh`` is whether no tick has yet gone through all feeds of it.
    """

    config: Config
    mark: tuple[int, int] | None = None
    looked: bool = False
    fresh: bool = True

    def latest(self) -> Config:
        """The config, read again where its file has changed; what is wrong with a changed one is told once."""
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
                tell(f"{error}\nthe config from before stays in force")
            else:
                self.fresh = True
                if not first:
                    typer.echo(f"{self.config.path}: read again")
        return self.config


def tick(standing: Standing, at: datetime) -> tuple[Outcome, ...]:
    """Refresh whoever is due, say what changed, and answer with what became of each."""
    config = standing.latest()
    everything, standing.fresh = standing.fresh, False
    try:
        outcomes = schedule.refresh_due(config, at, everything=everything)
    except LockedError:
        standing.fresh = everything
        raise
    for outcome in outcomes:
        for worry in summary.worries(outcome):
            tell(worry)
        if outcome.new or outcome.changed:
            typer.echo("\n".join((f"{at:%Y-%m-%d %H:%M:%S}Z", *summary.lines(outcome))))
    return outcomes


def tell(text: str) -> None:
    """Say on stderr what a person should know."""
    for line in lines(text):
        typer.echo(f"aggregator: {line}", err=True)
