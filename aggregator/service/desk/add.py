"""Add sources: an address with its first entries, or the feeds of an OPML file, and into which feed they go."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from aggregator import adding, subscriptions
from aggregator.adding import Found
from aggregator.errors import ConfigError, ReadError
from aggregator.fetchers import parser_process, registry
from aggregator.fetchers.http.target import redact
from aggregator.model.source import Source
from aggregator.service.desk.frame import Act, ActResult, Desk, Page, PageRequest, now, parse_number
from aggregator.service.desk.published import ListedEntry, make_entry

_MOST_ENTRIES: Final = 15
_MOST_FEEDS: Final = 1000


class _WayLine(Struct, frozen=True):
    """A way to read an address: its kind, what it was proposed from, its options, and the first entries it yields."""

    place: int
    url: str
    kind: str
    label: str
    title: str
    options: tuple[tuple[str, str], ...]
    total: int
    entries: tuple[ListedEntry, ...]


class _AddPage(Struct, frozen=True):
    """The page on which an address is pasted, and the ways to read it; ``chosen`` is the one that would be added.

    ``feed`` is the feed that it would go to. ``page`` is the address if elements of it can be chosen.
    """

    kinds: tuple[str, ...]
    feeds: tuple[tuple[str, str], ...]
    number: str = ""
    problem: str = ""
    ways: tuple[_WayLine, ...] = ()
    chosen: _WayLine | None = None
    feed: str = ""
    page: str = ""


class _ImportLine(Struct, frozen=True):
    """A feed of an OPML file that the config lacks."""

    place: int
    title: str
    url: str
    name: str


class _ImportPage(Struct, frozen=True):
    """The page on which an OPML file is given, and the feeds that it would add; ``more`` counts those not shown.

    ``skipped`` counts those that the config has, ``left_out`` names what is no feed, with the reason.
    """

    number: str
    feeds: tuple[_ImportLine, ...]
    skipped: int
    left_out: tuple[str, ...]
    more: int
    read: bool


class _Ways(Struct, frozen=True):
    """Ways to read an address; ``page`` is the address as a page, if it may be one."""

    ways: tuple[Found, ...]
    page: Source | None = None
    problem: str = ""


def _show_add(desk: Desk, request: PageRequest) -> _AddPage:
    """Gather what was found at an address; ``found`` is its number, ``way`` the place of the way that is chosen."""
    number = request.query.get("found", "")
    found = desk.cache.find(number)
    empty = _AddPage(registry.names(), list_feeds(desk))
    if not isinstance(found, _Ways):
        return empty
    ways = tuple(_make_way(place, way) for place, way in enumerate(found.ways))
    place = min(parse_number(request.query.get("way", "")), len(ways) - 1)
    return replace(
        empty,
        number=number,
        problem=found.problem,
        ways=ways,
        chosen=ways[place] if ways else None,
        feed=adding.choose_feed(desk.config, found.ways[place]) if ways else "",
        page=redact(found.page.url or "") if found.page else "",
    )


def list_feeds(desk: Desk) -> tuple[tuple[str, str], ...]:
    """Return the feeds of the config, each with its title."""
    return tuple((plan.name, plan.channel.title) for plan in desk.config.plans)


def _make_way(place: int, way: Found) -> _WayLine:
    source, listing = way.source, way.listing
    return _WayLine(
        place=place,
        url=redact(source.url or ""),
        kind=source.kind,
        label=way.label,
        title=listing.show.title or "",
        options=source.options,
        total=len(listing.entries),
        entries=tuple(map(make_entry, listing.entries[:_MOST_ENTRIES])),
    )


def _look_up(desk: Desk, request: PageRequest) -> ActResult:
    """Find out what an address is, and the ways to read it; nothing is stored."""
    candidates = adding.list_candidates(request.find("url"), request.form.get("kind") or None)
    page = next((source for source in candidates if source.kind in ("blog", "page")), None)
    try:
        found = _Ways(tuple(adding.find_ways(desk.config, candidates, now())), page)
    except ReadError as error:
        if page is None:
            raise
        found = _Ways((), page, str(error))
    return ActResult(f"/add?found={desk.cache.add(request.visitor, found)}")


def find_page(desk: Desk, number: str) -> Source:
    """Return the page of an address that was found out about; raise ConfigError if that is long ago."""
    found = desk.cache.find(number)
    if not isinstance(found, _Ways) or found.page is None:
        raise ConfigError("this page is too old: paste the address again")
    return found.page


def _write(desk: Desk, request: PageRequest) -> ActResult:
    """Write the chosen way into the config, into a feed that is there or a new one, and refresh that."""
    found = desk.cache.find(request.find("found"))
    place = parse_number(request.form.get("way", ""))
    if not isinstance(found, _Ways) or place >= len(found.ways):
        raise ConfigError("this page is too old: paste the address again")
    return write_found(desk, request, found.ways[place])


def write_found(desk: Desk, request: PageRequest, found: Found) -> ActResult:
    """Write a source into the config, into the feed that the form names, and refresh that."""
    feed = request.form.get("feed", "").strip() or request.find("name")
    is_new = feed not in {plan.name for plan in desk.config.plans}
    _, source = adding.write(desk.config.path, found, feed)
    job = desk.jobs.refresh(feed, then=f"/feeds/{feed}" if is_new else "")
    place = f"/jobs/{job.number}" if is_new else f"/feeds/{feed}/sources/{source.name}"
    return ActResult(place, f"Added {source.name} to {feed}; it is being refreshed.")


def _show_import(desk: Desk, request: PageRequest) -> _ImportPage:
    """Gather the feeds of an OPML file; ``found`` is its number."""
    number = request.query.get("found", "")
    found = desk.cache.find(number)
    if not isinstance(found, subscriptions.Import):
        return _ImportPage("", (), 0, (), 0, read=False)
    lines = (
        _ImportLine(place, each.title, redact(each.xml_url), addition.feed)
        for place, (each, addition) in enumerate(list(zip(found.added, found.additions, strict=True))[:_MOST_FEEDS])
    )
    more = max(0, len(found.additions) - _MOST_FEEDS)
    left_out = [f"{each.title}: {why}" for each, why in found.left_out if why != subscriptions.ALREADY]
    skipped = len(found.left_out) - len(left_out)
    return _ImportPage(number, tuple(lines), skipped, tuple(left_out[:_MOST_FEEDS]), more, read=True)


def _read_import(desk: Desk, request: PageRequest) -> ActResult:
    """Read an OPML file; nothing is written."""
    body = request.files.get("file") or request.form.get("text", "").encode()
    listed = parser_process.read_subscriptions("the list", body)
    found = subscriptions.list_new(desk.config, listed)
    return ActResult(f"/import?found={desk.cache.add(request.visitor, found)}")


def _write_import(desk: Desk, request: PageRequest) -> ActResult:
    """Write the chosen feeds of an OPML file into the config."""
    found = desk.cache.find(request.find("found"))
    if not isinstance(found, subscriptions.Import):
        raise ConfigError("this page is too old: give the file again")
    chosen = tuple(each for place, each in enumerate(found.added) if f"feed-{place}" in request.form)
    if not chosen:
        raise ConfigError("no feed was chosen")
    added = subscriptions.add(desk.config.path, chosen).additions
    return ActResult("/", f"Added {len(added)} feeds; the schedule refreshes them.")


PAGES = (Page("/add", "add.html.j2", _show_add), Page("/import", "import.html.j2", _show_import))
ACTS = (
    Act("/add/look", _look_up),
    Act("/add/write", _write),
    Act("/import/read", _read_import),
    Act("/import/write", _write_import),
)
