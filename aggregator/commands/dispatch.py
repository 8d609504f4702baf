"""``aggregator dispatch``: give the feeds that are due to workers on any machine."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Annotated

import typer

from aggregator.commands.log import Log, LogOption
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, current_time
from aggregator.commands.output import format_count
from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.service import metrics, scheduler
from aggregator.service.workers import Worker
from aggregator.store import database


def run(  # noqa: PLR0913 - each is an option of the command line
    config: ConfigOption = CONFIG,
    *,
    once: Annotated[bool, typer.Option("--once", help="End when every feed that is due was refreshed.")] = False,
    at: AtOption = None,
    most: Annotated[int, typer.Option("--most", help="Feeds that may be waiting or in work at once.", min=1)] = 1000,
    port: Annotated[int | None, typer.Option("--metrics-port", help="Offer Prometheus metrics at this port.")] = None,
    log_format: LogOption = "text",
) -> None:
    """Claim the feeds that are due and send them to the queue, until stopped; `aggregator worker` refreshes them.

    Needs state: postgresql://… and queue: redis://… in the config. The queue may lose everything: what was sent and not
    refreshed is sent again when its lease has ended.
    """
    lines = Log(log_format)
    worker = Worker(load(config), lines.say, lines.warn)
    url = worker.config.queue
    if url is None:
        raise ConfigError(f"{config}: dispatch needs queue: redis://… and state: postgresql://…")
    from aggregator.service import dispatcher, queue  # noqa: PLC0415 - an extra

    with database.open_store(worker.config.state) as store:
        broker = queue.open_queue(url)
        sender = dispatcher.Dispatcher(worker, store, broker, url, most, current_time(at) if at or once else None)
        lines.say(f"dispatching {format_count(len(worker.config.plans), 'feed')}")
        if once:
            sender.tick()
            while not sender.is_done():
                time.sleep(dispatcher.TICK.total_seconds() / 5)
                sender.tick()
            return
        if port is not None:
            lines.say(f"metrics at port {metrics.serve_queue(port, sender.count)}")

        def tick(_at: datetime) -> None:
            sender.tick()

        scheduler.run(tick, lines.warn_once, every=dispatcher.TICK)
