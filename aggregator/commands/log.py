"""Lines that a service prints: for people, or on demand one JSON object each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from aggregator.commands import summary
from aggregator.commands.output import to_json
from aggregator.config.settings import Config
from aggregator.model.results import Outcome

LogOption = Annotated[Literal["text", "json"], typer.Option("--log", help="Lines for people, or a JSON object a line.")]


class Log:
    """Prints the messages of a service; used from several threads, so that each line is written at once."""

    def __init__(self, log_format: Literal["text", "json"]) -> None:
        """Print in the format."""
        self._is_json = log_format == "json"
        self._last_warning = ""

    def say(self, text: str) -> None:
        """Print news."""
        if self._is_json:
            _write(level="info", event=text)
        else:
            typer.echo(text)
            sys.stdout.flush()

    def warn(self, text: str) -> None:
        """Print a warning."""
        if self._is_json:
            _write(level="warning", event=text)
        else:
            summary.warn(text)

    def warn_once(self, text: str) -> None:
        """Print a warning unless the last one was the same."""
        if text != self._last_warning:
            self.warn(text)
        self._last_warning = text

    def print_news(self, config: Config, outcomes: Sequence[Outcome], at: datetime) -> None:
        """Print the outcome of refreshes: warnings, and the feeds that changed."""
        if not self._is_json:
            summary.print_news(config, outcomes, at)
            sys.stdout.flush()
            return
        for each in outcomes:
            for warning in summary.list_warnings(each):
                _write(level="warning", event=warning, feed=each.feed)
            _write(
                level="info",
                event="refreshed",
                feed=each.feed,
                items=each.published.items,
                new=each.new,
                changed=each.changed,
            )


def _write(**values: object) -> None:
    line = to_json({"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **values}, indent=None)
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
