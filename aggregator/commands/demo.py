"""``aggregator demo``: a made-up show with five listings, refreshed and served, to see what the program does."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import webbrowser
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from aggregator.commands import refresh
from aggregator.errors import ConfigError
from aggregator.service import demo

_FOLDER = Path("aggregator-demo")


def run(
    folder: Annotated[Path, typer.Argument(help="Folder for it; one of an earlier demo is made anew.")] = _FOLDER,
    *,
    port: Annotated[int, typer.Option("--port", help="Port to serve at.", min=1, max=65535)] = 8000,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page in a browser.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Refresh and end, without serving.")] = False,
) -> None:
    """Make a show with audio, its host and four damaged listings of it, refresh, and serve the feed and the desk.

    Nothing leaves this machine. It ends with Ctrl-C; the folder stays, to look into it.
    """
    folder = folder.absolute()
    try:
        demo.make_folder(folder)
    except FileExistsError:
        raise ConfigError(f"{folder}: is not empty and no demo; name another folder: aggregator demo FOLDER") from None
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made ({error.strerror}); name another folder") from error
    config, page = folder / "config.yaml", f"http://localhost:{port}/{demo.FEED}/"
    with demo.serving(folder / "sources") as address:
        demo.make_sources(folder / "sources", address, datetime.now(UTC))
        demo.write_config(config, address, f"http://localhost:{port}")
        typer.echo(f"five listings of a made-up show are at {address} and in {folder / 'sources'}")
        refresh.run(config)
        typer.echo("\n".join(_list_what_to_see(folder, page, is_served=not once)))
        if once:
            return
        if not no_browser:
            threading.Timer(1.0, webbrowser.open, (page,)).start()
        raise typer.Exit(_serve(config, port))


def _serve(config: Path, port: int) -> int:
    """Run ``aggregator serve`` until it is ended, and return its exit code; a signal is passed on to it."""
    command = [sys.executable, "-P", "-m", "aggregator", "serve", "--config", str(config), "--port", str(port)]
    with subprocess.Popen(command) as child:  # noqa: S603 - our own interpreter and our own words
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda received, _frame: child.send_signal(received))
        return child.wait()


def _list_what_to_see(folder: Path, page: str, *, is_served: bool) -> list[str]:
    config = f"--config {folder / 'config.yaml'}"
    served = [f"  {page}  the feed as a page, with players", "  the desk beside it: what each listing gave, and why"]
    files = [f"  {folder / 'output' / demo.FEED / 'index.html'}  the feed as a page"]
    return [
        "",
        "look at:",
        *(served if is_served else files),
        f"  {folder / 'sources'}  what was listed: numbered titles, cut and garbled texts, dates a day late",
        f"  aggregator explain Fresnel {config}  which listing each field is from",
        f"  aggregator refresh --force {config}  once more, while this runs: nothing is listed twice",
        "",
    ]
