"""The overview of all feeds, and the page of one with its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from aggregator import hubs, opml_lists, persist
from aggregator.config.settings import Config
from aggregator.fetchers.http.target import redact
from aggregator.generator.content.feed_item import make_title
from aggregator.generator.pages import subscribe
from aggregator.hubs import Notice
from aggregator.merger.model.wording import describe_listings
from aggregator.model.feed import Cover, Plan, SourceResult
from aggregator.model.item import Item, PublishedItem
from aggregator.model.results import NextPoll, Publication
from aggregator.model.source import Poll, PollDay
from aggregator.service.desk import inbox
from aggregator.service.desk.charts import Charts, make_charts
from aggregator.service.desk.errors import MissingError
from aggregator.service.desk.frame import (
    PAGE,
    Act,
    ActResult,
    Desk,
    Page,
    PageRequest,
    now,
    paginate,
)
from aggregator.service.desk.inbox import Waiting
from aggregator.service.desk.published import AppView, make_app_view, make_remarks
from aggregator.service.desk.source import SourceLine, make_source_lines
from aggregator.store import decisions, facts, guids, polls, publications
from aggregator.store.database import Store
from aggregator.store.items import FeedItems
from aggregator.text.fold import fold
from aggregator.translation.locale import Locale

_ITEMS_ON_A_PAGE: Final = 50
_FORMATS: Final = ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "changes.atom", "report.json")
_MARKS: Final = ("repaired", "cut", "changed", "several", "single")

_FEEDS_ON_A_PAGE: Final = 25
_SEARCHED: Final = 8
"""Feeds from which on the overview has a box to search them."""

_FEEDS_WAITING: Final = 10
_SOURCES_OF_A_FEED = 6
"""Sources shown of a feed, those that fail first; its own page has all."""


class _FeedCard(Struct, frozen=True):
    """A feed on the overview."""

    name: str
    title: str
    image: str | None
    items: int
    newest: str
    sources: tuple[SourceLine, ...]
    more_sources: int
    running: int | None


class _Overview(Struct, frozen=True):
    """The overview: what waits for a person, the feeds of one page, and how many there are in all.

    ``waiting`` are the feeds in which most waits, ``more_waiting`` counts the others. ``is_new`` is whether the config
    has no feed yet.
    """

    feeds: tuple[_FeedCard, ...]
    total: int
    page: int
    pages: int
    search: str
    waiting: tuple[Waiting, ...]
    more_waiting: int
    mistakes: str
    charts: Charts
    is_new: bool
    is_searched: bool


class _Stored(Struct, frozen=True):
    """The feeds of one page of the overview, and what the store has of all feeds.

    Covers, polls and next polls are of the shown feeds alone.
    """

    shown: Sequence[Plan]
    page: int
    pages: int
    publications: Mapping[str, Publication] = {}
    waiting: Sequence[Waiting] = ()
    results: Mapping[str, tuple[SourceResult, ...]] = {}
    covers: Mapping[str, Cover] = {}
    polls: Mapping[tuple[str, str], tuple[Poll, ...]] = {}
    next_polls: Mapping[str, Mapping[str, NextPoll]] = {}
    poll_days: tuple[PollDay, ...] = ()


def _show_overview(desk: Desk, request: PageRequest) -> _Overview:
    """Gather the overview; ``q`` seeks titles and names, ``page`` counts from 1."""
    config, search = desk.config, request.query.get("q", "")
    wanted = [plan for plan in config.plans if fold(search) in fold(f"{plan.channel.title} {plan.name}")]
    try:
        with desk.open_store() as store:
            stored = _read(store, config, wanted, request)
    except MissingError:
        stored = _Stored(*paginate(wanted, request, _FEEDS_ON_A_PAGE))
    running = {job.feed: job.number for job in desk.jobs.running() if job.kind == "refresh"}
    new_items = chain.from_iterable(each.new_items for each in stored.publications.values())
    return _Overview(
        feeds=tuple(_make_card(plan, stored, running.get(plan.name), request.locale) for plan in stored.shown),
        total=len(wanted),
        page=stored.page,
        pages=stored.pages,
        search=search,
        waiting=tuple(stored.waiting[:_FEEDS_WAITING]),
        more_waiting=len(stored.waiting[_FEEDS_WAITING:]),
        mistakes=desk.mistakes,
        charts=make_charts(now().date(), new_items, stored.poll_days),
        is_new=not config.plans,
        is_searched=bool(search) or len(config.plans) >= _SEARCHED,
    )


def _read(store: Store, config: Config, wanted: Sequence[Plan], request: PageRequest) -> _Stored:
    """Return one page of the wanted feeds: those with failing sources first, then those with pairs to decide."""
    published, results = publications.read_publications(store), persist.read_results_of_feeds(store)
    waiting = inbox.read_waiting(store, config.plans, config.opml)

    def rank(plan: Plan) -> tuple[bool, bool, str]:
        found = waiting[plan.name]
        return not found.failing, not found.pairs, plan.channel.title.casefold()

    shown, page, pages = paginate(sorted(wanted, key=rank), request, _FEEDS_ON_A_PAGE)
    return _Stored(
        shown,
        page,
        pages,
        publications=published,
        waiting=[found for plan in sorted(config.plans, key=rank) if (found := waiting[plan.name]).is_any],
        results=results,
        covers={cover.channel.name: cover for cover in publications.read_covers(store, shown)},
        polls=polls.read_polls(store, *(plan.name for plan in shown)),
        next_polls=persist.read_next_polls(store, shown, now()),
        poll_days=polls.count_polls(store, now().date()),
    )


def _make_card(plan: Plan, stored: _Stored, running: int | None, locale: Locale) -> _FeedCard:
    cover = stored.covers.get(plan.name)
    results = stored.results.get(plan.name, ())
    lines = make_source_lines(plan, results, stored.polls, stored.next_polls.get(plan.name, {}), locale)
    lines.sort(key=lambda line: not line.is_failing)
    image = plan.channel.image or (cover.channel.image if cover else None)
    return _FeedCard(
        name=plan.name,
        title=plan.channel.title,
        image=image if image and image.startswith("https://") else None,
        items=cover.episodes + cover.posts if cover else 0,
        newest=locale.format_day(cover.newest) if cover and cover.newest else "",
        sources=tuple(lines[:_SOURCES_OF_A_FEED]),
        more_sources=len(lines[_SOURCES_OF_A_FEED:]),
        running=running,
    )


class _ItemLine(Struct, frozen=True):
    """An item in the list of a feed."""

    guid: str
    title: str
    genre: str
    published: datetime | None
    sources: tuple[str, ...]
    marks: tuple[str, ...]


class _RemovedItem(Struct, frozen=True):
    """An item that a person took out of the feed, and why."""

    guid: str
    title: str
    why: str


class _FeedPage(Struct, frozen=True):
    """The page of a feed; ``hubs`` are the WebSub hubs of its config, each with why it was not told of a change."""

    name: str
    title: str
    address: str
    items: tuple[_ItemLine, ...]
    found: int
    total: int
    page: int
    pages: int
    search: str
    source: str
    mark: str
    marks: tuple[str, ...]
    sources: tuple[SourceLine, ...]
    learned: Mapping[str, str]
    hubs: tuple[tuple[str, str], ...]
    near_misses: int
    held: int
    removed: tuple[_RemovedItem, ...]
    formats: tuple[str, ...]
    app: AppView | None
    apps: tuple[tuple[str, str], ...]
    charts: Charts
    remarks: tuple[str, ...]
    running: int | None


def _show_feed(desk: Desk, request: PageRequest) -> _FeedPage:
    """Gather the page of a feed; ``q``, ``source`` and ``mark`` select items, ``page`` counts from 1."""
    plan = desk.find_plan(request)
    with desk.open_store() as store:
        published = {item.guid: item for item in guids.read_guids(store, plan.name)}
        results, last_polls = persist.read_source_results(store, plan), polls.read_polls(store, plan.name)
        next_polls = persist.read_next_polls(store, [plan], now())[plan.name]
        sources = make_source_lines(plan, results, last_polls, next_polls, request.locale)
        removed = decisions.read_removed(store, plan.name)
        model, notices = facts.MODEL.read(store, plan.name), hubs.read_notices(store, plan)
        near_misses = len(inbox.read_waiting(store, [plan])[plan.name].pairs)
        feed, items = publications.read_feed(store, plan.name), FeedItems(store, plan.name).read()
        last, today = publications.read_last(store, plan.name), now().date()
        charts = make_charts(today, last.new_items, polls.count_polls(store, today, plan.name))
    feed = replace(feed, items=items) if feed else None
    app = make_app_view(feed, request.locale) if feed else None
    files = {each.name.rpartition("/")[2] for each in last.files}
    search, source, mark = (request.query.get(name, "") for name in ("q", "source", "mark"))
    lines = (_make_line(item, published.get(item.guid)) for item in items)
    found = [line for line in lines if _is_wanted(line, fold(search), source, mark)]
    shown, page, pages = paginate(found, request, _ITEMS_ON_A_PAGE)
    job = desk.jobs.newest("refresh", plan.name)
    return _FeedPage(
        name=plan.name,
        title=plan.channel.title,
        address="" if plan.channel.token else plan.channel.base_url,
        items=tuple(shown),
        found=len(found),
        total=len(items),
        page=page,
        pages=pages,
        search=search,
        source=source,
        mark=mark,
        marks=_MARKS,
        sources=tuple(sources),
        learned={name: "; ".join(said) for name, (_, *said) in describe_listings(model, request.locale).items() if said}
        if model
        else {},
        hubs=_list_hubs(plan, notices),
        near_misses=near_misses,
        held=len(feed.held) if feed else 0,
        removed=_list_removed(plan, published, removed),
        app=app,
        apps=_list_apps(plan, app) if app else (),
        formats=tuple(name for name in _FORMATS if name in files),
        charts=charts,
        remarks=tuple(make_remarks(feed)[:20]) if feed else (),
        running=job.number if job and job.code is None else None,
    )


def _list_hubs(plan: Plan, notices: Sequence[Notice]) -> tuple[tuple[str, str], ...]:
    """Return the hubs and indexes of a feed, each with the reason why it was not told of a change, empty if it was."""
    problems = {each.hub: each.problem or "is told after the next refresh" for each in notices}
    places = (*plan.channel.hubs, *(ping.url for ping in plan.pings))
    return tuple((redact(place), problems.get(place, "")) for place in places)


def _list_apps(plan: Plan, app: AppView) -> tuple[tuple[str, str], ...]:
    """Return the apps that can be asked to subscribe, each with its link; none of a private feed."""
    if plan.channel.token:
        return ()
    url = f"{plan.channel.base_url}/{'podcast.xml' if app.is_heard else 'feed.xml'}"
    return tuple((link.app, link.href) for link in subscribe.make_links(url, has_audio=app.is_heard))


def _make_line(item: Item, known: PublishedItem | None) -> _ItemLine:
    sources = item.sources
    marks = {
        "repaired": any(known.notes for known in item.provenance),
        "cut": item.cut,
        "changed": known is not None and known.updated is not None,
        "several": len(sources) > 1,
        "single": len(sources) == 1,
    }
    given = tuple(name for name, holds in marks.items() if holds)
    published = item.published.at if item.published else None
    return _ItemLine(item.guid, make_title(item), item.genre, published, sources, given)


def _is_wanted(line: _ItemLine, search: str, source: str, mark: str) -> bool:
    return (
        (not search or search in fold(line.title))
        and (not source or source in line.sources)
        and (not mark or mark in line.marks)
    )


def _list_removed(
    plan: Plan, published: dict[str, PublishedItem], removed: Mapping[str, str]
) -> tuple[_RemovedItem, ...]:
    return tuple(
        _RemovedItem(guid, published[guid].title if guid in published else guid, why)
        for guid, why in removed.items()
        if guid not in dict(plan.buried)
    )


def _keep(desk: Desk, request: PageRequest) -> ActResult:
    """Keep a feed that its OPML list has no more: it is not asked again."""
    with desk.open_context(request) as context:
        opml_lists.keep(context.store, request.find("address"))
    return ActResult("/", request.locale.gettext("It is kept."))


_SELECTION: Final = {
    "q": "Words of titles.",
    "source": "Items that this source lists.",
    "mark": f"Items of one kind: {', '.join(_MARKS)}.",
    **PAGE,
}
ACTS = (Act("/feeds/{feed}/keep", _keep, needs={"address": "The address of the OPML list."}),)
PAGES = (
    Page(
        "/overview",
        "overview.html.j2",
        _show_overview,
        takes={"q": "Words of titles and names.", **PAGE},
    ),
    Page("/feeds/{feed}", "feed.html.j2", _show_feed, takes=_SELECTION),
)
