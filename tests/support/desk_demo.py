"""A desk to look at: three feeds of several sources, some of which fail, and pictures of its pages."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from tests.support.config import make_feed, write_config
from tests.support.origin import Site, serving
from tests.support.paths import TESTS
from tests.support.program import run_program
from tests.support.rss import Episode, make_rss

HOURS_AGO = (24 * 60, 24 * 40, 24 * 39, 24 * 18, 2, 1)
NEWEST = datetime(2026, 11, 20, 6, tzinfo=UTC)
SHOWS = {
    "sea-room": ("Sea Room", ("host", "apple-copy", "directory")),
    "night-signal": ("Night Signal", ("host", "mirror")),
}
NOUNS = ("Harbour", "Lantern", "Glacier", "Violin", "Orchard", "Compass", "Thunder", "Saffron", "Tunnel", "Beacon")


def build(folder: Path) -> None:
    """Write a config, and refresh its feeds on some days of the last weeks from a server of their sources."""
    with serving(Site()) as site:
        feeds = {
            name: make_feed(title, {each: site.url(f"/{name}/{each}") for each in sources})
            for name, (title, sources) in SHOWS.items()
        }
        listings = {name: {"kind": "listing", "path": f"{name}.txt"} for name in ("topic", "numbered")}
        for name in listings:
            shutil.copy(TESTS / f"integration/commands/data/{name}.txt", folder)
        write_config(folder, {**feeds, "crumb-talk": make_feed("Crumb Talk", listings)})
        for turn, hours in enumerate(HOURS_AGO):
            _serve(site, turn)
            at = f"{datetime.now(UTC) - timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}"
            done = run_program(folder, "refresh", "--force", "--quiet", "--at", at)
            assert done.returncode == 0, done.stderr


def _serve(site: Site, turn: int) -> None:
    """Serve the documents of a turn: each has another episode, and one source is gone in the last."""
    for number, (name, (title, sources)) in enumerate(SHOWS.items()):
        for source in sources:
            episodes = [_make_episode(10 * number + each, source) for each in range(10 + turn, 0, -1)]
            is_gone = turn == len(HOURS_AGO) - 1 and (name, source) == ("night-signal", "mirror")
            text = "gone" if is_gone else make_rss(*episodes, title=title)
            site.serve(f"/{name}/{source}", text, status=404 if is_gone else 200)


def _make_episode(number: int, source: str) -> Episode:
    dice = random.Random(number)
    nouns = dice.sample(NOUNS, 6)
    title = f"{nouns[0]} and {nouns[1].lower()}"
    text = f"About {nouns[2].lower()}, {nouns[3].lower()} and {nouns[4].lower()}: a story of {number} days at sea. " * 3
    if source != "host":
        title = title.upper() if number % 7 == 0 else title
        title = f"{nouns[0]} & a {nouns[1].lower()} of {nouns[5].lower()}" if number % 11 == 5 else title
        text = text[: 90 + number].rsplit(" ", 1)[0] + "…"
    at = NEWEST - timedelta(days=7 * (60 - number), hours=0 if source == "host" else 5)
    audio = f"https://media.example/{number}.mp3" if source != "blog" else None
    return Episode(f"{source}-{number}", title, at, text, audio, f"https://{source}.example/{number}", 1500 + number)


def list_pages(guid: str) -> dict[str, str]:
    """Return each page of the desk by a name for its picture; ``guid`` is of an item of the first feed."""
    feed = "/feeds/sea-room"
    return {
        "overview": "/",
        "feed": feed,
        "item": f"{feed}/item?guid={quote(guid, safe='')}",
        "source": f"{feed}/sources/host",
        "settings": f"{feed}/sources/host/settings",
        "settings of a feed": f"{feed}/settings",
        "move": f"{feed}/sources/host/move",
        "remove": f"{feed}/remove",
        "find": f"{feed}/find",
        "settings of the server": "/system/settings",
        "reviews": "/review",
        "review": "/feeds/crumb-talk/review",
        "changes": f"{feed}/changes",
        "add": "/add",
        "import": "/import",
        "system": "/system",
    }
