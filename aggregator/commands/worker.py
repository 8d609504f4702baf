"""``aggregator worker``: refresh on schedule without a server; any number can share a store."""

from __future__ import annotations

import os
import socket
from datetime import datetime
from typing import Annotated

import typer

from aggregator.commands.log import Log, LogOption
from aggregator.commands.options import CONFIG, ConfigOption, current_time
from aggregator.commands.output import format_count
from aggregator.config.load import load
from aggregator.errors import AggregatorError
from aggregator.processes import editions
from aggregator.service import metrics, scheduler, workers
from aggregator.service.workers import Worker
from aggregator.store import connection, database
from aggregator.store.database import Claim, Store


def run(
    config: ConfigOption = CONFIG,
    *,
    threads: Annotated[int, typer.Option("--threads", help="Jobs at once, with a queue.", min=1, max=64)] = 4,
    port: Annotated[
        int | None, typer.Option("--metrics-port", help="Offer Prometheus metrics at this port, with a queue.")
    ] = None,
    log_format: LogOption = "text",
) -> None:
    """Refresh on the schedule of the config, until stopped; workers on the same store share the work.

    With a queue in the config a worker refreshes what `aggregator dispatch` gives it; without one it looks itself every
    half minute. Several machines can share a PostgreSQL store and the output folder. SIGTERM or SIGINT finishes the
    running refresh and ends.
    """
    lines = Log(log_format)
    worker = Worker(load(config), lines.say, lines.warn)
    connection.load_driver(worker.config.state)
    editions.fork_template()
    if worker.config.queue:
        _work_for_queue(worker, worker.config.queue, threads, port, lines)
        return
    lines.say(f"refreshing {format_count(len(worker.config.plans), 'feed')} on schedule")

    def tick(at: datetime) -> None:
        outcomes = worker.tick(at)
        lines.print_news(worker.config, outcomes, at)

    scheduler.run(tick, lines.warn)


def _work_for_queue(worker: Worker, url: str, threads: int, port: int | None, lines: Log) -> None:
    from aggregator.service import match_queue, queue  # noqa: PLC0415 - an extra

    owner = f"{socket.gethostname()}:{os.getpid()}"
    broker = queue.open_queue(url)
    counts, _ = metrics.make_worker_meter(port)
    with scheduler.catching_signals() as wait, database.open_store(worker.config.state) as store:

        def work(sent: Claim, at: datetime | None) -> None:
            _work(worker, store, sent, at, owner, counts, lines)

        def report_timeout(sent: Claim) -> None:
            counts.failed.inc(len(sent.feeds))
            lines.warn(
                f"{', '.join(sent.feeds)}: took nine tenths of lease_seconds; refreshed again when the lease ends"
            )

        match_queue.add_matching(broker, url, worker.config.lease, lines.warn)
        with queue.working(broker, work, report_timeout, threads=threads, lease=worker.config.lease, tell=lines.warn):
            lines.say(f"worker {owner}: {format_count(threads, 'job')} at once")
            wait()


def _work(  # noqa: PLR0913, PLR0917 - what one job is given
    worker: Worker,
    store: Store,
    sent: Claim,
    at: datetime | None,
    owner: str,
    counts: metrics.WorkerMeter,
    lines: Log,
) -> None:
    with counts.busy.track_inprogress():
        try:
            outcomes, lost = workers.refresh_sent(store, worker.reload(), sent, at, owner)
        except AggregatorError as error:
            counts.failed.inc(len(sent.feeds))
            lines.warn(str(error))
            return
    counts.refreshed.inc(len(sent.feeds) - lost)
    counts.lost.inc(lost)
    if lost:
        lines.warn(f"the leases of {format_count(lost, 'feed')} were lost; another worker refreshes them")
    lines.print_news(worker.config, outcomes, current_time(at))
