"""``aggregator worker``: refresh on schedule without a server; several can share a store."""

from __future__ import annotations

from datetime import datetime

import typer

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.output import format_count
from aggregator.commands.summary import print_news, warn
from aggregator.config.load import load
from aggregator.service import scheduler
from aggregator.service.workers import Worker


def run(config: ConfigOption = CONFIG) -> None:
    """Refresh on the schedule of the config, until stopped; workers on the same store share the work.

    Several machines can share a PostgreSQL store and the output folder. SIGTERM or SIGINT finishes the running refresh
    and ends.
    """
    worker = Worker(load(config), typer.echo, warn)
    typer.echo(f"refreshing {format_count(len(worker.config.plans), 'feed')} on schedule")

    def tick(at: datetime) -> None:
        print_news(worker.tick(at), at)

    scheduler.run(tick, warn)
