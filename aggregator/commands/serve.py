"""``aggregator serve``: refresh on schedule and serve the output folder over HTTP, in one process."""

from __future__ import annotations

import gc
import socket
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from starlette.routing import BaseRoute

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.summary import print_news, warn
from aggregator.config import edit
from aggregator.config.load import load
from aggregator.config.schema import DEFAULT_BASE_URL
from aggregator.config.settings import Config
from aggregator.errors import ConfigError
from aggregator.refresh import GC_THRESHOLDS
from aggregator.service import hub_calls, metrics, scheduler, web
from aggregator.service.desk import access, api, app
from aggregator.service.desk.frame import Desk
from aggregator.service.metrics import ServerMeter
from aggregator.service.workers import Worker

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
"""Addresses that only this machine reaches."""


def run(  # noqa: PLR0913 - each is an option of the command line
    config: ConfigOption = CONFIG,
    *,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port to listen on.", min=1, max=65535)] = 8000,
    no_refresh: Annotated[bool, typer.Option("--no-refresh", help="Only serve the published files.")] = False,
    counted: Annotated[bool, typer.Option("--metrics", help="Offer Prometheus metrics at /metrics.")] = False,
    no_desk: Annotated[bool, typer.Option("--no-desk", help="Do not open the desk at /desk/.")] = False,
    password: Annotated[
        str | None,
        typer.Option(
            "--desk-password",
            help="Password of the desk; without one (or one in the config) it is open to this machine alone.",
            envvar="AGGREGATOR_DESK_PASSWORD",
        ),
    ] = None,
    hashing: Annotated[
        bool, typer.Option("--hash-password", help="Ask for a password, print it as the config keeps it, and exit.")
    ] = False,
) -> None:
    """Refresh on the schedule of the config and serve the output folder over HTTP, until stopped.

    With a queue in the config it only serves, and workers refresh. A changed config is read again; if it is wrong, the
    errors are printed and the old one stays in use. A changed output folder needs a restart. SIGTERM or SIGINT finishes
    the running refresh and ends; a second one ends at once.

    Where there is no config yet, one without feeds is made: the desk asks for the address of the first show.

    The desk, where one looks, decides and adds sources, is at /desk/. On another address than loopback it needs a
    password, or a proxy that the config trusts. Programs use the API at /api/, if the config has a token for it.
    """
    if hashing:
        typer.echo(access.hash_password(_read_password()))
        return
    gc.set_threshold(*GC_THRESHOLDS)

    def say(text: str) -> None:
        typer.echo(text)
        if worker.config.output != output:
            warn(f"output is {worker.config.output} now; {output} is served until serve is started again")

    worker = Worker(_load_or_make(config), say, warn)
    output = worker.config.output
    sockets = web.open_port(host, port)
    address = _find_address(host, port)
    if worker.config.base_url == DEFAULT_BASE_URL and host not in _LOOPBACK:
        warn(f"base_url is not set, so published feeds lead to {DEFAULT_BASE_URL}; set base_url: {address.rstrip('/')}")
    elsewhere = f"{output} is served by its own host, not here: this is only the desk, /healthz and /metrics"
    typer.echo(elsewhere if output.bucket else f"serving {output} at {address}")
    desk = Desk(worker.config, password=access.hash_password(password) if password else None)
    routes = (*(() if no_desk else _open_desk(desk, host, address)), *_open_api(desk, address))
    routes = (*routes, *hub_calls.mount(lambda: worker.config))
    meter = metrics.make_meter() if counted else None
    is_refreshing = not (no_refresh or worker.config.queue)
    find_overdue = worker.find_overdue if is_refreshing else None
    served, first = None if output.bucket else output.path, None if no_desk else "desk/"
    server = web.make_server(served, routes=routes, meter=meter, find_overdue=find_overdue, first=first)
    web.catch_signals(server)
    refreshing = scheduler.ticking(partial(_tick, worker, meter), warn) if is_refreshing else nullcontext()
    with refreshing, desk.jobs:
        server.run(sockets=sockets)


def _read_password() -> str:
    """Return the password that is typed twice, or the first line of what is piped in; raise ConfigError for none."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    if password := sys.stdin.readline().rstrip("\r\n"):
        return password
    raise ConfigError("--hash-password: no password was given; type it in a terminal, or pipe it in as one line")


def _load_or_make(config: Path) -> Config:
    """Load the config; make one without feeds if there is none under the usual name."""
    if config == CONFIG and not config.exists():
        edit.make(config)
        typer.echo(f"{config}: made, without feeds yet: add one in the desk, or run aggregator add URL")
    return load(config)


def _open_desk(desk: Desk, host: str, address: str) -> Sequence[BaseRoute]:
    """Return the routes of the desk, closed where anyone could enter it; say which."""
    if not access.may_open(desk.access, host):
        warn("the desk is closed: at this address it needs --desk-password, or desk: in the config (docs/desk.md)")
        return app.mount_closed()
    typer.echo(f"the desk is at {address}desk/")
    return app.mount(desk)


def _open_api(desk: Desk, address: str) -> Sequence[BaseRoute]:
    """Return the routes of the API; say where it is if programs may enter. Drafts of a killed server are removed."""
    edit.remove_drafts(desk.config.path)
    if desk.config.api_token:
        typer.echo(f"the API is at {address}api/")
    return api.mount(desk, app.PAGES, app.ACTS)


def _find_address(host: str, port: int) -> str:
    """Return the address at which others reach the server: by the name of this machine if it listens everywhere."""
    name = socket.gethostname() if host in {"0.0.0.0", "::", ""} else host  # noqa: S104 - compared, not bound
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def _tick(worker: Worker, meter: ServerMeter | None, at: datetime) -> None:
    """Refresh what is due, print it, and count it if there is a meter."""
    outcomes = worker.tick(at)
    print_news(worker.config, outcomes, at)
    hub_calls.keep_subscribed(worker.config, [each.feed for each in outcomes], at)
    if meter is not None:
        metrics.count_refresh(meter, outcomes, at)
