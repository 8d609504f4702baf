"""Add sources: an address with its first entries, or the feeds of an OPML file, and into which feed they go."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from aggregator import adding, catalogues, corrections, detection, subscriptions
from aggregator.errors import ConfigError, FetchError, PublishError, ReadError
from aggregator.fetchers import parser_process, registry
from aggregator.fetchers.http.target import redact
from aggregator.model.belonging import Belonging, Comparison
from aggregator.model.source import DetectedSource, Source
from aggregator.processes import editions
from aggregator.service.desk.errors import RefusedError
from aggregator.service.desk.frame import Act, ActResult, Desk, Page, PageRequest, now, parse_number
from aggregator.service.desk.published import LeftOutLine, ListedEntry, make_entry
from aggregator.store import database
from aggregator.translation.locale import Locale
from aggregator.translation.marks import N_

_DOCUMENTS: Final = frozenset({"feed", "jsonfeed", "simplecast"})
"""Kinds without elements to choose: what is at the address is no page."""

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


class _EffectLine(Struct, frozen=True):
    """The effect of a listing on the feed whose items it lists: counts of entries, and the first that are no items.

    ``held`` is how many of these the next refresh holds, ``until`` the day on which it does so no longer.
    """

    feed: str
    title: str
    merged: int
    doubtful: int
    new: int
    rest: tuple[tuple[str, tuple[ListedEntry, ...]], ...]
    held: int
    until: str


class _AddPage(Struct, frozen=True):
    """The page on which an address (``url``) is pasted, and the ways to read it; ``chosen`` would be added.

    ``feed`` is the feed that it would go to, ``effect`` what it would do to it, ``None`` if it lists none of its items.
    ``page`` is the address if elements of it can be chosen. ``wanted`` is the feed on whose page adding began.
    ``known`` is the source, by feed and name, that it is already.
    """

    kinds: tuple[str, ...]
    feeds: tuple[tuple[str, str], ...]
    number: str = ""
    problem: str = ""
    ways: tuple[_WayLine, ...] = ()
    chosen: _WayLine | None = None
    feed: str = ""
    effect: _EffectLine | None = None
    page: str = ""
    wanted: str = ""
    url: str = ""
    known: tuple[str, str] | None = None


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
    left_out: tuple[LeftOutLine, ...]
    more: int
    read: bool


class _Ways(Struct, frozen=True):
    """Ways to read an address, and the feed that the first one belongs to; ``page`` is the address, if it is a page."""

    ways: tuple[DetectedSource, ...]
    belonging: Belonging | None = None
    page: Source | None = None
    problem: str = ""
    url: str = ""


def _show_add(desk: Desk, request: PageRequest) -> _AddPage:
    """Gather what was found at an address; ``found`` is its number, ``way`` the place of the way that is chosen."""
    number = request.query.get("found", "")
    found = desk.cache.find(number)
    wanted = request.query.get("feed", "")
    empty = _AddPage(registry.names(), tuple(desk.titles.items()), feed=wanted, wanted=wanted)
    if not isinstance(found, _Ways):
        return empty
    ways = tuple(_make_way(place, way, request.locale) for place, way in enumerate(found.ways))
    place = min(parse_number(request.query.get("way", "")), len(ways) - 1)
    effect = found.belonging if place == 0 else None
    known = adding.find_known(desk.config, found.ways[place]) if ways else None
    return replace(
        empty,
        number=number,
        problem=found.problem,
        url=found.url,
        ways=ways,
        chosen=ways[place] if ways else None,
        feed=wanted or (effect.feed if effect else adding.choose_feed(desk.config, found.ways[place]) if ways else ""),
        effect=_make_effect(desk, effect, request.locale) if effect else None,
        page=redact(found.page.url or "") if found.page else "",
        known=(known.feed, known.name) if known else None,
    )


def _make_way(place: int, way: DetectedSource, locale: Locale) -> _WayLine:
    source, listing = way.source, way.listing
    return _WayLine(
        place=place,
        url=redact(source.url or ""),
        kind=source.kind,
        label=way.label,
        title=listing.show.title or "",
        options=source.options,
        total=len(listing.entries),
        entries=tuple(make_entry(each, locale) for each in listing.entries[:_MOST_ENTRIES]),
    )


def _make_effect(desk: Desk, found: Belonging, locale: Locale) -> _EffectLine:
    until = max((each.until for each in found.held if each.until), default=None)
    return _EffectLine(
        feed=found.feed,
        title=desk.titles.get(found.feed, found.feed),
        merged=found.matched,
        doubtful=len(found.doubtful),
        new=len(found.new),
        rest=tuple(
            (label, tuple(make_entry(each, locale) for each in some[:_MOST_ENTRIES]))
            for label, some in (
                (locale.gettext("Doubtful"), found.doubtful),
                (locale.gettext("Would be new"), found.new),
            )
            if some
        ),
        held=len(found.held),
        until=f"{until:%Y-%m-%d}" if until else "",
    )


def _find_belonging(desk: Desk, found: DetectedSource, feed: str | None = None) -> Belonging | None:
    """Return how a listing stands to a feed, by default to the one that it belongs to.

    ``None`` if there is none, or if the comparison costs too much: the source can be added without it.
    """
    config = desk.config
    given = Comparison(config.state, config.plans, found.source, found.listing, now(), feed)
    try:
        compared = editions.compare(given) if config.plans and found.listing.entries else ()
    except PublishError:
        return None
    return next((each for each in compared if feed or each.is_sure), None)


def _look_up(desk: Desk, request: PageRequest) -> ActResult:
    """Find out what an address is, and the ways to read it; nothing is stored."""
    url, page = request.find("url"), None
    wanted = request.form.get("feed", "")
    wanted = wanted if any(plan.name == wanted for plan in desk.config.plans) else ""
    try:
        url = catalogues.find_address(desk.config, url, now())
        candidates = detection.list_candidates(url, request.form.get("kind") or None)
        page = next((source for source in candidates if source.kind in ("blog", "page")), None)
        first, *others = detection.find_ways(desk.config, candidates, now())
    except (ReadError, FetchError, ConfigError) as error:
        found = _Ways((), page=page if isinstance(error, ReadError) else None, problem=str(error), url=url)
    else:
        is_document = first.source.kind in _DOCUMENTS or first.assumed
        page = None if is_document and first.feed is None else page
        belonging = _find_belonging(desk, first, wanted or None)
        first = detection.list_episodes(first) if belonging else first
        if belonging is None and (titled := adding.choose_feed(desk.config, first)) in desk.titles:
            belonging = _find_belonging(desk, first, titled)
        found = _Ways((first, *others), belonging, page, url=url)
    query = {"found": desk.cache.add(request.visitor, found)} | ({"feed": wanted} if wanted else {})
    return ActResult(f"/add?{urlencode(query)}")


def find_page(desk: Desk, number: str) -> Source:
    """Return the page of an address that was found out about; raise RefusedError if that is long ago."""
    found = desk.cache.find(number)
    if not isinstance(found, _Ways) or found.page is None:
        raise RefusedError(N_("this page is too old: paste the address again"))
    return found.page


def _write(desk: Desk, request: PageRequest) -> ActResult:
    """Write the chosen way into the config, into a feed that is there or a new one, and refresh that."""
    found = desk.cache.find(request.find("found"))
    place = parse_number(request.form.get("way", ""))
    if not isinstance(found, _Ways) or place >= len(found.ways):
        raise RefusedError(N_("this page is too old: paste the address again"))
    return write_found(desk, request, found.ways[place])


def write_found(desk: Desk, request: PageRequest, found: DetectedSource) -> ActResult:
    """Write a source into the config, into the feed that the form names, and refresh that."""
    feed = request.form.get("feed", "").strip() or request.form.get("name", "").strip()
    if not feed:
        raise RefusedError(N_("give the new feed a name, or choose a feed that is there"))
    is_new = feed not in {plan.name for plan in desk.config.plans}
    wanted = request.form.get("new", "")
    belonging = _find_belonging(desk, found, feed) if wanted and not is_new else None
    written = adding.write(desk.config.path, found, now(), feed)
    source = written.source
    known = belonging.known if belonging else ()
    ids = [f"{source.name}/{each.key}" for each in found.listing.entries if each.key not in known]
    if wanted and ids:
        with database.open_store(desk.config.state) as store:
            context = corrections.CorrectionContext(store, desk.config.plan(feed), now())
            corrections.decide_new(context, ids, publish=wanted == "publish")
    job = desk.jobs.refresh(feed, then=f"/feeds/{feed}")
    return ActResult(f"/jobs/{job.number}", _describe_written(desk, written, request.locale))


def _describe_written(desk: Desk, written: adding.AddedSource, locale: Locale) -> str:
    names = {"source": written.source.name, "feed": desk.titles.get(written.feed, written.feed)}
    said = [locale.gettext("Added %(source)s to %(feed)s; it is being refreshed.", **names)]
    if written.primary:
        said.append(locale.gettext("%(source)s is the primary source now: the show's own.", source=written.primary))
    if written.returns:
        said.append(locale.gettext("It had been forgotten; its entries count again."))
    return " ".join(said)


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
    left_out = [LeftOutLine(each.title, why) for each, why in found.left_out if why != subscriptions.ALREADY]
    skipped = len(found.left_out) - len(left_out)
    return _ImportPage(number, tuple(lines), skipped, tuple(left_out[:_MOST_FEEDS]), more, read=True)


def _read_import(desk: Desk, request: PageRequest) -> ActResult:
    """Read an OPML file; nothing is written."""
    body = request.files.get("file") or request.form.get("text", "").encode()
    listed = parser_process.read_subscriptions("OPML", body)
    found = subscriptions.list_new(desk.config, listed)
    return ActResult(f"/import?found={desk.cache.add(request.visitor, found)}")


def _write_import(desk: Desk, request: PageRequest) -> ActResult:
    """Write the chosen feeds of an OPML file into the config."""
    found = desk.cache.find(request.find("found"))
    if not isinstance(found, subscriptions.Import):
        raise RefusedError(N_("this page is too old: give the file again"))
    chosen = tuple(each for place, each in enumerate(found.added) if f"feed-{place}" in request.form)
    if not chosen:
        raise RefusedError(N_("no feed was chosen"))
    added = subscriptions.add(desk.config.path, chosen).additions
    said = request.locale.ngettext(
        "Added %(count)s feed; the schedule refreshes it.",
        "Added %(count)s feeds; the schedule refreshes them.",
        len(added),
    )
    return ActResult("/", said)


_FOUND: Final = {"found": "The number of what was found."}
_WAY: Final = {"way": "The place of the way to read it, from 0 (default: the first)."}
_TARGET: Final = {
    "feed": "The feed that it goes to, or",
    "name": "the name of a new feed.",
    "new": "What becomes of its new items: `publish` or `hold` (default: by the rules of docs/trust.md).",
}
PAGES = (
    Page(
        "/add",
        "add.html.j2",
        _show_add,
        takes={**_FOUND, **_WAY, "feed": "The feed that it goes to."},
    ),
    Page("/import", "import.html.j2", _show_import, takes=_FOUND),
)
ACTS = (
    Act(
        "/add/look",
        _look_up,
        needs={"url": "An address, or the name of a show."},
        takes={"kind": "The kind of the source, if it is known.", "feed": "The feed that it goes to."},
    ),
    Act("/add/write", _write, needs=_FOUND, takes={**_WAY, **_TARGET}),
    Act("/import/read", _read_import, needs={"text": "The OPML file."}),
    Act("/import/write", _write_import, needs=_FOUND, takes={"*": "`feed-N` for each feed at the place N, any text."}),
)
