"""Find the other listings of a show: ask catalogues and the show's own site, read each candidate, and match it.

A candidate is offered by what it lists: how many of its entries are items of the feed. What the catalogues answered is
kept for a day.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from aggregator import belonging, detection, preview
from aggregator.catalogues import Answers, Candidate, ask_catalogues
from aggregator.config.settings import Config
from aggregator.errors import ConfigError, FetchError, ReadError
from aggregator.fetchers.fetch import Resources
from aggregator.fetchers.http.target import redact
from aggregator.fetchers.show_search import CATALOGUES, Catalogue, ShowQuery
from aggregator.generator.content.links import clean_public_url
from aggregator.model.belonging import Belonging, Comparison
from aggregator.model.feed import Plan
from aggregator.model.source import DetectedSource
from aggregator.store import connection, database, facts, polls, publications, records
from aggregator.store.database import Store
from aggregator.text.urls import canonical

_FACT: Final = "other listings"
_FRESH, _FRESH_IN_PART = timedelta(days=1), timedelta(minutes=10)
"""How long answers are kept: of all catalogues, and where one did not answer."""

_MAX_CANDIDATES: Final = 15
"""Candidates that are read."""


class FoundListing(Struct, frozen=True):
    """A listing of the show: its address and kind, who named it, and what it would do to the feed."""

    url: str
    kind: str
    named_by: tuple[str, ...]
    effect: Belonging


class Search(Struct, frozen=True):
    """The result of a search: listings of the show, the best first, how many others were read, and what failed."""

    listings: tuple[FoundListing, ...]
    others: int = 0
    problems: tuple[str, ...] = ()


def find_listings(config: Config, plan: Plan, now: datetime, catalogues: Sequence[Catalogue] | None = None) -> Search:
    """Search the listings of a feed's show that the config does not have; nothing is written into the config.

    Raises ConfigError if nothing is stored of the feed: candidates are matched with its items.
    """
    if not connection.has_content(config.state):
        raise ConfigError(
            f"{plan.name}: nothing is stored of it yet, so nothing can be matched; run aggregator refresh"
        )
    with database.open_store(config.state) as store:
        show, site = _describe_show(store, plan)
        answers = _read_answers(store, plan, show, now)
        known = _list_known(store, plan)
    with preview.open_resources(config, now) as resources:
        if answers is None:
            answers = ask_catalogues(resources, show, site, now, CATALOGUES if catalogues is None else catalogues)
            with database.open_store(config.state) as store:
                facts.write_fact(store, plan.name, _FACT, records.encode(answers).encode())
        new = [each for each in answers.candidates if canonical(each.url) not in known][:_MAX_CANDIDATES]
        # Different hosts are asked at once, one host politely.
        with ThreadPoolExecutor(_MAX_CANDIDATES, "look") as threads:
            read = [threads.submit(_read, each, resources, now) for each in new]
            looked = [(each, listed) for each, reading in zip(new, read, strict=True) if (listed := reading.result())]
    found = [listing for each, listed in looked if (listing := _compare(config, plan, each, listed, now)) is not None]
    listings = {listing.url: listing for listing in reversed(found) if listing.effect.is_sure}
    ordered = sorted(listings.values(), key=lambda each: (-each.effect.matched, each.url))
    return Search(tuple(ordered), len(new) - len(listings), answers.problems)


def _describe_show(store: Store, plan: Plan) -> tuple[ShowQuery, str | None]:
    """Return by what the show is searched, and the address of its own site; no address that may have a secret."""
    cover = next(iter(publications.read_covers(store, [plan])), None)
    channel = cover.channel if cover else plan.channel
    apple = next((each.show for each in plan.sources if each.kind == "apple" and each.show), "")
    feeds = (each.url for each in plan.sources if each.url and not each.headers and not plan.channel.token)
    public = tuple(url for url in feeds if "?" not in url and clean_public_url(url) == url)
    return ShowQuery(channel.title, apple or "", plan.channel.guid, public), channel.link


def _list_known(store: Store, plan: Plan) -> set[str]:
    """Return the addresses that the feed's sources have, or lead to, to compare by."""
    known = {each.url for each in plan.sources if each.url}
    known |= {f"https://podcasts.apple.com/podcast/id{each.show}" for each in plan.sources if each.show}
    for states in polls.read_poll_states(store, [plan.name]).values():
        known |= {each.url for each in states} | {each.leads_to for each in states if each.leads_to}
    return set(map(canonical, known))


def _read_answers(store: Store, plan: Plan, show: ShowQuery, now: datetime) -> Answers | None:
    """Return what was answered in the last day about the same show, ``None`` if it is to be asked."""
    kept = facts.read_fact(store, plan.name, _FACT)
    answers = records.decode(Answers, kept.decode()) if kept else None
    if answers is None or answers.show != repr(show):
        return None
    return answers if answers.at <= now < answers.at + (_FRESH_IN_PART if answers.problems else _FRESH) else None


def _read(candidate: Candidate, resources: Resources, now: datetime) -> DetectedSource | None:
    """Return what a candidate lists; ``None`` if it cannot be read."""
    try:
        return detection.read_named(candidate.url, resources, now, candidate.found_by)
    except (FetchError, ReadError, ConfigError):
        return None


def _compare(
    config: Config, plan: Plan, candidate: Candidate, found: DetectedSource, now: datetime
) -> FoundListing | None:
    """Match what a candidate lists with the feed; ``None`` if it cannot be compared. For the main thread."""
    given = Comparison(config.state, config.plans, found.source, found.listing, now, plan.name)
    effect = next(iter(belonging.compare_with_feeds(given)), None)
    if effect is None:
        return None
    return FoundListing(redact(candidate.url), found.source.kind, candidate.named_by, effect)
