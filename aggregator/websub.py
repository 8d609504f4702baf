"""Subscribe at the WebSub hubs that sources name, so that news is polled for when a hub tells of it.

W3C Recommendation WebSub (https://www.w3.org/TR/websub/): discovery (section 4) is that of the fetchers; here are the
request (5.1), the verification of intent (5.3), and what a call of a hub says (7). What it delivers is not read: the
source is polled, as ever. A subscription is renewed in the last fifth of its lease, and given up once its source is
removed or names another hub.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from msgspec.structs import replace

from aggregator.errors import FetchError
from aggregator.fetchers.fetched import select_own_states
from aggregator.model.feed import Plan
from aggregator.model.source import HubSubscription, PollState, Source
from aggregator.store import hub_subscriptions, leases, polls
from aggregator.store.database import Store, transaction
from aggregator.text.urls import is_web
from aggregator.translation.marks import N_

_LEASE: Final = timedelta(days=10)
"""The time that is asked for, which is what the specification says that hubs give by default."""

_LONGEST_LEASE: Final = timedelta(days=90)
_RENEWED_BEFORE: Final = 0.2
"""Share of a lease that is left when it is renewed."""

_FIRST_RETRY, _LONGEST_RETRY = timedelta(hours=1), timedelta(days=1)
"""Between requests that a hub does not verify; each rest is twice as long as the one before."""

_MOST_ENDINGS: Final = 3
"""Requests to end a subscription; after that its lease ends by itself."""

_LONGEST_ADDRESS: Final = 2_000
"""Characters of the address of a hub or a topic."""

Call = Callable[[str, bytes | None, tuple[tuple[str, str], ...], Source | None], Future[int]]
"""Send a body with header fields to an address that a source named (`fetchers.http.host_limits.HostLimiter.call`)."""


def is_due(store: Store, now: datetime, *, is_wanted: bool) -> bool:
    """Return whether a hub is to be asked about a stored subscription, or any is to be ended: none ``is_wanted``."""
    known = hub_subscriptions.read(store)
    return any(_is_due(each, now) or not (is_wanted or each.is_ending) for each in known)


def keep(  # noqa: PLR0913 - where from, where to, and when
    store: Store, plans: Sequence[Plan], fetched: Collection[str], *, callback: str, call: Call, now: datetime
) -> None:
    """Subscribe to what the sources of the ``fetched`` feeds name, renew what ends, and end what is not wanted.

    ``plans`` are all feeds of the config, none to end every subscription; ``callback`` is our own address, to which the
    token is added.
    """
    sources = {(plan.name, source.name): source for plan in plans for source in plan.sources}
    wanted = dict(_find_wanted(store, [plan for plan in plans if plan.name in fetched]))
    with transaction(store) as tx:  # before a hub can verify anything
        before = hub_subscriptions.read(tx)
        known = [_update(each, sources, wanted, fetched) for each in before]
        present = {(each.feed, each.source, each.url) for each in known if not each.is_ending}
        known += [_make(*where, *what) for where, what in wanted.items() if where not in present]
        due = []
        for each in known:
            if each.is_ending and each.until is None:
                hub_subscriptions.remove(tx, each.token)  # it never began
            elif _is_due(each, now):
                due.append(replace(each, asked=now, tries=each.tries + 1, problem=""))
                hub_subscriptions.write(tx, due[-1])
            elif each not in before:
                hub_subscriptions.write(tx, each)
    calls = [(each, _send(each, callback, call, sources.get((each.feed, each.source)))) for each in due]
    answers = [(each, _read_problem(answer)) for each, answer in calls]
    with transaction(store) as tx:
        for each, problem in answers:
            _note_answer(tx, each.token, problem)


def verify(store: Store, token: str, given: Mapping[str, str], now: datetime) -> str | None:
    """Return what is answered to a hub that verifies the intent of a request; ``None`` if it is none of ours.

    ``given`` are the parameters of its call. A denial (5.2) is noted.
    """
    with transaction(store) as tx:
        known = hub_subscriptions.find(tx, token)
        if known is None or given.get("hub.topic") != known.topic:
            return None
        mode, challenge = given.get("hub.mode"), given.get("hub.challenge")
        if mode == "denied":
            reason = " ".join(given.get("hub.reason", "").split())[:200]
            hub_subscriptions.write(tx, replace(known, problem=N_(f"denied: {reason}"), since=None, until=None))
            return ""
        if not challenge or mode != ("unsubscribe" if known.is_ending else "subscribe"):
            return None
        if known.is_ending:
            hub_subscriptions.remove(tx, token)
        else:
            until = now + _parse_lease(given.get("hub.lease_seconds", ""))
            hub_subscriptions.write(tx, replace(known, since=now, until=until, tries=0, problem=""))
        return challenge


def note_news(store: Store, token: str, now: datetime) -> None:
    """Note that a hub has told of news, and have the feed looked at: polling decides when its source is polled."""
    with transaction(store) as tx:
        known = hub_subscriptions.find(tx, token)
        if known is not None and not known.is_ending:
            hub_subscriptions.write(tx, replace(known, told=now))
            leases.make_due(tx, known.feed, now)


def _find_wanted(store: Store, plans: Sequence[Plan]) -> Iterator[tuple[tuple[str, str, str], tuple[str, str]]]:
    """Yield feed, source and address of what has a hub, with the hub and the topic.

    A source with a secret is not named to others.
    """
    known = polls.read_poll_states(store, [plan.name for plan in plans])
    for plan in plans:
        for source in plan.sources:
            states = {each.url: each for each in known.get((plan.name, source.name), ())}
            if source.url and not source.headers and "${" not in source.url and not source.private:
                for state in select_own_states(source, states):
                    if (named := _find_named(state)) is not None:
                        yield (plan.name, source.name, state.url), named


def _find_named(state: PollState) -> tuple[str, str] | None:
    if state.hub is None or state.topic is None:
        return None
    is_usable = all(len(each) <= _LONGEST_ADDRESS and is_web(each) for each in (state.hub, state.topic))
    return (state.hub, state.topic) if is_usable else None


def _update(
    known: HubSubscription,
    sources: Collection[tuple[str, str]],
    wanted: Mapping[tuple[str, str, str], tuple[str, str]],
    fetched: Collection[str],
) -> HubSubscription:
    """Return the subscription, ending if its source is gone or names no such hub any more."""
    is_here = (known.feed, known.source) in sources
    named = wanted.get((known.feed, known.source, known.url)) if known.feed in fetched else (known.hub, known.topic)
    if known.is_ending or (is_here and named == (known.hub, known.topic)):
        return known
    return replace(known, is_ending=True, asked=None, tries=0, problem="")


def _make(feed: str, source: str, url: str, hub: str, topic: str) -> HubSubscription:
    return HubSubscription(feed, source, url, hub, topic, secrets.token_urlsafe(24), secrets.token_urlsafe(32))


def _is_due(known: HubSubscription, now: datetime) -> bool:
    rest = min(_FIRST_RETRY * 2 ** min(max(known.tries - 1, 0), 10), _LONGEST_RETRY)
    if known.asked is not None and known.asked <= now < known.asked + rest:
        return False
    if known.is_ending or known.since is None or known.until is None:
        return True
    return now >= known.until - (known.until - known.since) * _RENEWED_BEFORE


def _send(known: HubSubscription, callback: str, call: Call, source: Source | None) -> Future[int]:
    """Ask a hub to begin, renew or end a subscription (section 5.1)."""
    form = {
        "hub.callback": f"{callback}{known.token}",
        "hub.mode": "unsubscribe" if known.is_ending else "subscribe",
        "hub.topic": known.topic,
    }
    if not known.is_ending:
        form |= {"hub.lease_seconds": str(int(_LEASE.total_seconds())), "hub.secret": known.secret}
    fields = (("Content-Type", "application/x-www-form-urlencoded"),)
    named_by = source or Source(known.source, "feed", url=known.url)
    return call(known.hub, urlencode(form).encode(), fields, named_by)


def _read_problem(answer: Future[int]) -> str:
    """Return why a hub did not take a request, empty if it did."""
    try:
        status = answer.result()
    except FetchError as error:
        return str(error)
    return "" if status // 100 == 2 else N_(f"it answers {status}")  # noqa: PLR2004  # RFC 9110 section 15.3


def _note_answer(store: Store, token: str, problem: str) -> None:
    """Note why a hub did not take a request; one that it took may have been verified or denied meanwhile."""
    known = hub_subscriptions.find(store, token)
    if known is None:
        return
    if known.is_ending and known.tries >= _MOST_ENDINGS:
        hub_subscriptions.remove(store, token)
    elif problem:
        hub_subscriptions.write(store, replace(known, problem=problem))


def _parse_lease(text: str) -> timedelta:
    return min(timedelta(seconds=int(text[:9])), _LONGEST_LEASE) if text.isascii() and text.isdigit() else _LEASE


def describe(known: Iterable[HubSubscription]) -> Iterator[str]:
    """Yield a line about each subscription: its hub, and until when it lasts or why there is none."""
    for each in known:
        state = N_(f"until {each.until:%Y-%m-%d %H:%M} UTC") if each.until else each.problem or "asked for"
        told = N_(f"last told of news {each.told:%Y-%m-%d %H:%M} UTC") if each.told else ""
        yield f"{each.hub}: {'; '.join(filter(None, (state, told)))}"
