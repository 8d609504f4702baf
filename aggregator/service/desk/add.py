"""Add sources: an address with its first entries, or the feeds of an OPML file, and into which feed they go."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from aggregator import adding
from aggregator.config import edit
from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.fetchers import registry
from aggregator.fetchers.http.target import redact
from aggregator.generator import opml
from aggregator.preview import Found
from aggregator.service.desk.frame import Act, Asked, Desk, Done, Page, now
from aggregator.service.desk.published import ListedEntry, make_entry

_MOST_ENTRIES: Final = 15
_MOST_FEEDS: Final = 1000
_FEED_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class FoundLine(Struct, frozen=True):
    """An address as a source: its kind, the show, and the first entries."""

    number: str
    url: str
    kind: str
    title: str
    total: int
    entries: tuple[ListedEntry, ...]
    feed: str
    is_new: bool


class AddPage(Struct, frozen=True):
    """The page on which an address is pasted, and what was found there."""

    kinds: tuple[str, ...]
    feeds: tuple[tuple[str, str], ...]
    found: FoundLine | None


class ImportLine(Struct, frozen=True):
    """A feed of an OPML file that the config lacks."""

    place: int
    title: str
    url: str
    name: str


class ImportPage(Struct, frozen=True):
    """The page on which an OPML file is given, and the feeds that it would add."""

    number: str
    feeds: tuple[ImportLine, ...]
    skipped: int
    read: bool


class _Import(Struct, frozen=True):
    additions: tuple[edit.Addition, ...]
    skipped: int


def show_add(desk: Desk, asked: Asked) -> AddPage:
    """Gather what was found at an address; ``found`` is its number."""
    number = asked.query.get("found", "")
    found = desk.find_kept(number)
    feeds = tuple((plan.name, plan.channel.title) for plan in desk.config.plans)
    if not isinstance(found, Found):
        return AddPage(registry.names(), feeds, None)
    source, listing = found.source, found.listing
    feed = adding.choose_feed(desk.config, found)
    line = FoundLine(
        number=number,
        url=redact(source.url or ""),
        kind=source.kind,
        title=listing.show.title or "",
        total=len(listing.entries),
        entries=tuple(map(make_entry, listing.entries[:_MOST_ENTRIES])),
        feed=feed,
        is_new=feed not in dict(feeds),
    )
    return AddPage(registry.names(), feeds, line)


def look_up(desk: Desk, asked: Asked) -> Done:
    """Find out what an address is; nothing is stored."""
    candidates = adding.list_candidates(asked.find("url"), asked.form.get("kind") or None)
    found = adding.find(desk.config, candidates, now())
    return Done("", f"{desk.root}/add?found={desk.keep(found)}")


def write(desk: Desk, asked: Asked) -> Done:
    """Write what was found into the config, into a feed that is there or a new one, and refresh that."""
    found = desk.find_kept(asked.find("found"))
    if not isinstance(found, Found):
        raise ConfigError("this page is too old: paste the address again")
    feed = asked.form.get("feed", "").strip() or asked.find("name")
    if not _FEED_NAME.fullmatch(feed):
        raise ConfigError(f'"{feed}" cannot be the name of a feed: use small letters, digits, dots and dashes')
    path = desk.config.path
    source = adding.write(path, load(path, allow_empty=True), found, feed)
    desk.jobs.refresh(feed)
    return Done(
        f"Added {source.name} to {feed}; it is being refreshed.", f"{desk.root}/feeds/{feed}/sources/{source.name}"
    )


def show_import(desk: Desk, asked: Asked) -> ImportPage:
    """Gather the feeds of an OPML file; ``found`` is its number."""
    number = asked.query.get("found", "")
    found = desk.find_kept(number)
    if not isinstance(found, _Import):
        return ImportPage("", (), 0, read=False)
    lines = (
        ImportLine(place, each.title or "", redact(dict(each.keys).get("url", "")), each.feed)
        for place, each in enumerate(found.additions[:_MOST_FEEDS])
    )
    return ImportPage(number, tuple(lines), found.skipped, read=True)


def read_import(desk: Desk, asked: Asked) -> Done:
    """Read an OPML file; nothing is written."""
    body = asked.files.get("file") or asked.form.get("text", "").encode()
    outlines = opml.read(body)
    additions = adding.list_new(desk.config, outlines)
    found = _Import(additions, len(outlines) - len(additions))
    return Done("", f"{desk.root}/import?found={desk.keep(found)}")


def write_import(desk: Desk, asked: Asked) -> Done:
    """Write the chosen feeds of an OPML file into the config."""
    found = desk.find_kept(asked.find("found"))
    if not isinstance(found, _Import):
        raise ConfigError("this page is too old: give the file again")
    chosen = tuple(each for place, each in enumerate(found.additions) if f"feed-{place}" in asked.form)
    if not chosen:
        raise ConfigError("no feed was chosen")
    edit.add(desk.config.path, chosen)
    return Done(f"Added {len(chosen)} feeds; the schedule refreshes them.", f"{desk.root}/")


PAGES = (Page("/add", "add.html.j2", show_add), Page("/import", "import.html.j2", show_import))
ACTS = (
    Act("/add/look", look_up),
    Act("/add/write", write),
    Act("/import/read", read_import),
    Act("/import/write", write_import),
)
