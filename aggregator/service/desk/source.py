"""The page of a source: its last polls, the stored state of its addresses, and its document as it is now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from aggregator import persist, preview, websub
from aggregator.fetchers.http import polling
from aggregator.fetchers.http.target import redact
from aggregator.generator.content.feed_item import make_title
from aggregator.model.feed import Feed, Plan, SourceResult
from aggregator.model.item import PublishedItem
from aggregator.model.results import NextPoll
from aggregator.model.source import Conditions, Poll, PollState, Source, SourceStatus
from aggregator.service.desk.errors import MissingError
from aggregator.service.desk.filters import format_exact
from aggregator.service.desk.frame import Act, ActResult, Desk, Page, PageRequest, now
from aggregator.service.desk.published import LeftOutLine, ListedEntry, format_value, make_entry
from aggregator.store import decisions, guids, hub_subscriptions, polls, publications
from aggregator.store.items import FeedItems
from aggregator.text.times import cron
from aggregator.translation.locale import SOURCE, Locale
from aggregator.translation.marks import N_

_MOST_ITEMS: Final = 30
_MOST_ENTRIES: Final = 30
_DOCUMENT: Final = 40_000
"""Characters shown of a document."""


_FAILED: Final = ("failed", "cached", "snapshot", "held back")
"""States of a poll that gave no usable listing."""

_STRIP: Final = 30
"""Polls in the strip of a source."""


class _Run(Struct, frozen=True):
    """Polls in a row that came to the same, in a strip: where it begins, and how many."""

    outcome: str
    first: int
    count: int


class SourceLine(Struct, frozen=True):
    """A source on the overview: what came of it, its last polls, and when it is asked next."""

    name: str
    status: str
    is_failing: bool
    message: str
    entries: int
    polled: datetime | None
    due: datetime | None
    strip: tuple[_Run, ...]
    said: str


class _PollLine(Struct, frozen=True):
    """A poll in the table."""

    at: datetime
    status: str
    code: int | None
    milliseconds: int | None
    size: int | None
    items: int | None
    message: str


class _PollBar(Struct, frozen=True):
    """A poll in the charts; ``failed`` is the height of its mark in that of the time, 0 if it has none."""

    milliseconds: int
    size: int
    items: int
    failed: float


class _AddressLine(Struct, frozen=True):
    """The poll state of an address."""

    url: str
    facts: tuple[tuple[str, str], ...]
    why: str


class _ItemLine(Struct, frozen=True):
    """A published item that the source lists."""

    guid: str
    title: str


class _LookLine(Struct, frozen=True):
    """The document of a source as it was a moment ago, and what was read of it."""

    url: str
    media_type: str
    size: int
    text: str
    is_cut: bool
    entries: tuple[ListedEntry, ...]
    total: int
    remarks: tuple[str, ...]
    problem: str
    left_out: tuple[LeftOutLine, ...]


class _SourcePage(Struct, frozen=True):
    """The page of a source."""

    feed: str
    name: str
    facts: tuple[tuple[str, str], ...]
    due: datetime | None
    due_why: str
    polls: tuple[_PollLine, ...]
    chart: tuple[_PollBar, ...]
    failures: int
    addresses: tuple[_AddressLine, ...]
    items: tuple[_ItemLine, ...]
    total_items: int
    left_out: tuple[LeftOutLine, ...]
    total_left_out: int
    look: _LookLine | None


def _show_source(desk: Desk, request: PageRequest) -> _SourcePage:
    """Gather the page of a source; ``look`` is the number of a document that was just fetched."""
    plan = desk.find_plan(request)
    source = find_source(plan, request)
    with desk.open_store() as store:
        last_polls = polls.read_polls(store, plan.name).get((plan.name, source.name), ())
        known = hub_subscriptions.read_poll_states(store, [plan.name]).get((plan.name, source.name), ())
        next_poll = persist.read_next_polls(store, [plan], now())[plan.name].get(source.name)
        removed = decisions.read_removed(store, plan.name)
        published = guids.read_guids(store, plan.name) if removed else ()
        subscriptions = [
            each for each in hub_subscriptions.read(store) if (each.feed, each.source) == (plan.name, source.name)
        ]
        feed, items = publications.read_feed(store, plan.name), FeedItems(store, plan.name).read()
    listed = [item for item in items if _is_listed(item.entries, source)]
    at, locale = now(), request.locale
    left_out = [*_list_left_out(feed, source, locale), *_list_removed(published, removed, source, locale)]
    looked = desk.cache.find(request.query.get("look", ""))
    return _SourcePage(
        feed=plan.name,
        name=source.name,
        facts=(*_list_facts(source, plan, locale), *(("hub", line) for line in websub.describe(subscriptions))),
        due=next_poll.at if next_poll else None,
        due_why=next_poll.why if next_poll else "at every refresh",
        polls=tuple(map(_make_poll, reversed(last_polls))),
        chart=_make_chart(last_polls),
        failures=sum(poll.has_failed for poll in last_polls),
        addresses=tuple(_make_address(each, at, locale) for each in known),
        items=tuple(_ItemLine(item.guid, make_title(item)) for item in listed[:_MOST_ITEMS]),
        total_items=len(listed),
        left_out=tuple(left_out[:_MOST_ITEMS]),
        total_left_out=len(left_out),
        look=looked if isinstance(looked, _LookLine) else None,
    )


def find_source(plan: Plan, request: PageRequest) -> Source:
    """Return the source that the address names; raise MissingError."""
    for source in plan.sources:
        if source.name == request.names["source"]:
            return source
    raise MissingError(N_("%(feed)s has no source %(source)s"), feed=plan.name, source=request.names["source"])


def _is_listed(entries: Sequence[str], source: Source) -> bool:
    return any(name.startswith(f"{source.name}/") for name in entries)


def _list_left_out(feed: Feed | None, source: Source, locale: Locale) -> Iterator[LeftOutLine]:
    """Yield what the filters leave out of the source's entries, and its new items that are held."""
    for each in feed.left_out if feed else ():
        if _is_listed(each.entries, source):
            if each.source:
                why = locale.gettext("filter of the source: %(condition)s", condition=each.why)
            else:
                why = locale.gettext("filter of the feed: %(condition)s", condition=each.why)
            yield LeftOutLine(each.title, why)
    for held in feed.held if feed else ():
        if _is_listed(held.entries, source):
            yield LeftOutLine(held.title, locale.gettext("held: %(reason)s", reason=locale.gettext(held.why)))


def _list_removed(
    published: Sequence[PublishedItem], removed: Mapping[str, str], source: Source, locale: Locale
) -> Iterator[LeftOutLine]:
    for item in published:
        if item.guid in removed and _is_listed(item.entries, source):
            why = locale.gettext("taken out by hand: %(reason)s", reason=removed[item.guid])
            yield LeftOutLine(item.title, why)


def _list_facts(source: Source, plan: Plan, locale: Locale) -> tuple[tuple[str, str], ...]:
    """Return what the config says of the source, without values of header fields."""
    given = (
        ("kind", source.kind),
        ("address", redact(source.url) if source.url else ""),
        ("show", source.show or ""),
        ("file", source.path or ""),
        ("snapshot", source.snapshot or ""),
        ("trust", f"{source.trust:g}"),
        ("new items", source.adds or locale.gettext("by its trust")),
        ("header fields", locale.comma.join(name for name, _ in source.headers)),
        ("only", _describe_conditions(source.filter.only, locale)),
        ("exclude", _describe_conditions(source.filter.exclude, locale)),
        ("options", locale.comma.join(f"{name}: {value}" for name, value in source.options)),
        ("schedule", _describe_schedule(plan, locale)),
    )
    return tuple((name, value) for name, value in given if value)


def _describe_schedule(plan: Plan, locale: Locale) -> str:
    """Return when a feed is refreshed: in words in English, else as the config has it."""
    if not plan.refresh:
        return locale.gettext("every refresh")
    return cron.describe(plan.refresh) if locale.language == SOURCE else str(plan.refresh)


def _describe_conditions(given: Conditions, locale: Locale) -> str:
    values = ((name.replace("_", " "), getattr(given, name)) for name in given.__struct_fields__)
    return "; ".join(f"{name}: {format_value(value, locale)}" for name, value in values if value not in (None, ()))


def _make_poll(poll: Poll) -> _PollLine:
    at = datetime.fromtimestamp(poll.at, UTC)
    return _PollLine(at, poll.status, poll.code, poll.milliseconds, poll.size, poll.items, poll.message)


def _make_chart(last_polls: Sequence[Poll]) -> tuple[_PollBar, ...]:
    """Return the polls as bars, the newest at the right end; the mark of a failed one is at least a fifth as high."""
    slowest = max((poll.milliseconds or 0 for poll in last_polls), default=0) or 1
    bars = tuple(
        _PollBar(
            milliseconds=poll.milliseconds or 0,
            size=poll.size or 0,
            items=poll.items or 0,
            failed=max(poll.milliseconds or 0, slowest / 5) if poll.has_failed else 0,
        )
        for poll in last_polls
    )
    return (_PollBar(0, 0, 0, 0),) * (polls.MOST_POLLS - len(bars)) + bars


def _make_address(state: PollState, at: datetime, locale: Locale) -> _AddressLine:
    def show(moment: datetime | None) -> str:
        return format_exact(moment, locale, seconds=True) if moment else ""

    given = (
        ("asked", show(state.asked)),
        ("answered", show(state.answered)),
        ("last document", show(state.whole)),
        ("not before", show(state.not_before)),
        ("Retry-After until", show(state.hold_until)),
        ("ETag", state.validators.etag or ""),
        ("Last-Modified", state.validators.last_modified or ""),
        ("errors in a row", str(state.errors or "")),
        ("moved to", redact(state.moved_to) if state.moved_to else ""),
        ("leads to", redact(state.leads_to) if state.leads_to else ""),
        ("items", str(state.items or "")),
        ("not believed", state.unread),
    )
    facts = tuple((name, value) for name, value in given if value)
    return _AddressLine(redact(state.url), facts, polling.explain_rest(state, at))


def _make_look(looked: preview.Look, locale: Locale) -> _LookLine:
    text = looked.body.decode("utf-8", "replace")
    listing = looked.listing
    return _LookLine(
        url=looked.url,
        media_type=looked.media_type,
        size=len(looked.body),
        text="".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text[:_DOCUMENT]),
        is_cut=len(text) > _DOCUMENT,
        entries=tuple(make_entry(each, locale) for each in listing.entries[:_MOST_ENTRIES]) if listing else (),
        total=len(listing.entries) if listing else 0,
        remarks=listing.remarks[:20] if listing else (),
        problem=looked.problem,
        left_out=tuple(LeftOutLine(entry.title, why) for entry, why in looked.left_out[:_MOST_ENTRIES]),
    )


def _look(desk: Desk, request: PageRequest) -> ActResult:
    """Fetch the document of a source as it is now, and read it; nothing is stored."""
    plan = desk.find_plan(request)
    source, at = find_source(plan, request), now()
    with preview.open_resources(desk.config, at) as resources:
        looked = _make_look(preview.look(source, resources, at), request.locale)
    number = desk.cache.add(request.visitor, looked)
    return ActResult(f"/feeds/{plan.name}/sources/{source.name}?look={number}#document")


def _poll_now(desk: Desk, request: PageRequest) -> ActResult:
    """Poll this source alone, and publish what it brings."""
    plan = desk.find_plan(request)
    job = desk.jobs.refresh(plan.name, find_source(plan, request).name)
    return ActResult(f"/jobs/{job.number}")


def make_source_lines(
    plan: Plan,
    results: Iterable[SourceResult],
    last_polls: Mapping[tuple[str, str], Sequence[Poll]],
    next_polls: Mapping[str, NextPoll],
    locale: Locale,
) -> list[SourceLine]:
    """Return the sources of a feed as the overview and the page of the feed show them.

    ``last_polls`` are by the names of feed and source, ``next_polls`` by that of the source.
    """
    by_name = {result.source.name: result for result in results}
    lines = []
    for source in plan.sources:
        result, next_poll = by_name.get(source.name), next_polls.get(source.name)
        own_polls = last_polls.get((plan.name, source.name), ())
        strip = _make_strip(own_polls)
        is_failing = result is not None and result.is_failing
        line = SourceLine(
            name=source.name,
            status=result.standing if result else "never asked",
            is_failing=is_failing,
            message=result.message if result and is_failing else "",
            entries=result.entries if result else 0,
            polled=datetime.fromtimestamp(own_polls[-1].at, UTC) if own_polls else None,
            due=next_poll.at if next_poll else None,
            strip=strip,
            said=_describe_strip(strip, locale),
        )
        lines.append(line)
    return lines


def _make_strip(last_polls: Sequence[Poll]) -> tuple[_Run, ...]:
    """Return the last polls as runs of the same outcome, the newest at the right end of thirty places.

    >>> _make_strip([Poll(1, "ok"), Poll(2, "unchanged"), Poll(3, "cached"), Poll(4, "failed")])
    (_Run(outcome='new', first=26, count=1), _Run(outcome='unchanged', first=27, count=1), \
_Run(outcome='failed', first=28, count=2))
    """
    last = last_polls[-_STRIP:]
    runs: list[_Run] = []
    for place, poll in enumerate(last, _STRIP - len(last)):
        outcome = _name_outcome(poll.status)
        if runs and runs[-1].outcome == outcome:
            runs[-1] = _Run(outcome, runs[-1].first, runs[-1].count + 1)
        else:
            runs.append(_Run(outcome, place, 1))
    return tuple(runs)


def _name_outcome(status: SourceStatus) -> str:
    if status == "held back":
        return "held"
    return "failed" if status in _FAILED else "new" if status == "ok" else "unchanged"


def _describe_strip(strip: Sequence[_Run], locale: Locale) -> str:
    counts = dict.fromkeys(("new", "unchanged", "failed", "held"), 0)
    for run in strip:
        counts[run.outcome] += run.count
    if not (polled := sum(counts.values())):
        return locale.gettext("no polls yet")
    words = (
        (counts["new"], locale.ngettext("%(count)s with news", "%(count)s with news", counts["new"])),
        (counts["unchanged"], locale.ngettext("%(count)s unchanged", "%(count)s unchanged", counts["unchanged"])),
        (counts["failed"], locale.ngettext("%(count)s failed", "%(count)s failed", counts["failed"])),
        (counts["held"], locale.ngettext("%(count)s held back", "%(count)s held back", counts["held"])),
    )
    outcomes = locale.comma.join(said for count, said in words if count)
    return locale.ngettext(
        "last %(count)s poll: %(outcomes)s", "last %(count)s polls: %(outcomes)s", polled, outcomes=outcomes
    )


_LOOK: Final = {"look": "The number of a document that was just looked at."}
PAGES = (Page("/feeds/{feed}/sources/{source}", "source.html.j2", _show_source, takes=_LOOK),)
ACTS = (
    Act("/feeds/{feed}/sources/{source}/look", _look),
    Act("/feeds/{feed}/sources/{source}/poll", _poll_now),
)
