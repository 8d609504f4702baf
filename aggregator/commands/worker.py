"""``aggregator worker``: refresh on schedule without a server; several can share a store."""

from __future__ import annotations

from functools import partial

import typer

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.output import format_count
from aggregator.commands.tick import Standing, tell, tick
from aggregator.config.load import load
from aggregator.service import schedule


def run(config: ConfigOption = CONFIG) -> None:
    """Refresh on the schedule of the config, until stopped; workers on the same store share the work.

    Several machines can share a PostgreSQL store and the output folder. SIGTERM or SIGINT finishes the running refresh
    and ends.
    """
    standing = Standing(load(config))
    typer.echo(f"refreshing {format_count(len(standing.config.plans), 'feed')} on schedule")
    schedule.run(partial(tick, standing), tell)
