"""``aggregator worker``: the schedule without the server, one of many that share a store."""

from __future__ import annotations

from functools import partial

import typer

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.tick import Standing, tell, tick
from aggregator.config.load import load
from aggregator.service import schedule


def run(config: ConfigOption = CONFIG) -> None:
    """Refresh by the schedule of the config, sharing the work with every worker on the same store, until stopped.

    Several machines share a PostgreSQL store and the output folder. SIGTERM and SIGINT finish what is under way.
    """
    standing = Standing(load(config))
    typer.echo(f"refreshing {len(standing.config.plans)} feeds as they fall due")
    schedule.run(partial(tick, standing), tell)
