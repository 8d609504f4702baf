"""Keep the config in step with the OPML lists that it names: new subscriptions are added, removals are asked.

A list is looked at once an hour at most. A feed that a person removed is not added again while the list has it: only
what is new in the list is. A list that can no longer be read, or lists nothing, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from aggregator import preview, subscriptions
from aggregator.config.settings import Config
from aggregator.errors import AggregatorError, FetchError
from aggregator.fetchers import addresses, parser_process, snapshot
from aggregator.fetchers.fetch import Resources
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.target import make_printable, redact
from aggregator.model.feed import Plan
from aggregator.model.record import Record
from aggregator.model.source import Document, PollState, Source
from aggregator.model.subscription import Subscription
from aggregator.store import database
from aggregator.store.database import Store
from aggregator.store.facts import Fact
from aggregator.text.urls import is_web

_POLL_INTERVAL: Final = timedelta(hours=1)


class _KnownList(Record, frozen=True):
    """The state of a list after its last poll: its addresses, and those that it lists no more, to be decided."""

    name: str
    state: PollState
    listed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


_LISTS: Final = Fact("opml lists", tuple[_KnownList, ...])


class UnlistedFeed(Struct, frozen=True):
    """A feed of the config that its list has no more, and the address of the source by which it was listed."""

    feed: str
    address: str
    list: str


def keep_in_step(config: Config, now: datetime) -> tuple[Sequence[str], Sequence[str]]:
    """Add to the config file what its lists have that is new; the caller loads it again if there is any news.

    Return the news, one line for each list that changed the config or asks for a removal, and one for each list that
    cannot be read.
    """
    if not config.opml:
        return (), ()
    with ExitStack() as stack:
        store = stack.enter_context(database.open_existing(config.state))
        known = {each.name: each for each in _read(store)}
        due = [name for name in config.opml if name not in known or _is_due(known[name], now)]
        if not due:
            return (), ()
        resources = stack.enter_context(preview.open_resources(config, now))
        lines: list[str] = []
        problems: list[str] = []
        for name in due:
            before = known.get(name) or _KnownList(name, PollState(name))
            try:
                known[name], found, problem = _follow(config, before, resources, now)
                lines += found
                problems += [f"{problem}; no feed was added for it"] * bool(problem)
            except AggregatorError as error:
                known[name] = replace(before, state=replace(before.state, asked=now))
                is_named = not is_web(name) and name in str(error)
                why = str(error) if is_named else f"{_show(name)}: {error}"
                problems.append(f"{make_printable(why)}; no feed was added for it")
        if store is not None:
            _write(store, [known[name] for name in config.opml])
    return lines, problems


def find_unlisted(store: Store, lists: Sequence[str], plans: Sequence[Plan]) -> Iterator[UnlistedFeed]:
    """Yield the feeds that these lists have no more, until they are removed or kept."""
    by_address = {source.url: plan.name for plan in plans for source in plan.sources if source.url}
    for each in _read(store) if lists else ():
        for address in each.gone if each.name in lists else ():
            if address in by_address:
                yield UnlistedFeed(by_address[address], address, _show(each.name))


def keep(store: Store, address: str) -> None:
    """Keep the feed of an address that its list has no more: it is not asked again."""
    known = _read(store)
    _write(store, [replace(each, gone=tuple(url for url in each.gone if url != address)) for each in known])


def _show(name: str) -> str:
    """Return the address of a list without its secrets, or the path of a file."""
    return redact(name) if is_web(name) else make_printable(name)


def _is_due(known: _KnownList, now: datetime) -> bool:
    asked = known.state.asked
    return asked is None or not asked <= now < asked + _POLL_INTERVAL


def _follow(
    config: Config, before: _KnownList, resources: Resources, now: datetime
) -> tuple[_KnownList, tuple[str, ...], str]:
    """Read a list and add what is new in it; return its new state, lines that say what changed, and why it failed."""
    state, document, problem = _fetch(before, resources, now)
    if document is None:
        return replace(before, state=state), (), problem
    found = parser_process.read_subscriptions(redact(document.url), document.body)
    listed = {_find_address(each): each for each in found if not each.problem}
    if not listed:
        raise FetchError("it lists no feed")
    new = [each for address, each in listed.items() if address not in before.listed]
    made = subscriptions.add(config.path, new) if new else subscriptions.Import()
    gone = {url for url in (*before.gone, *before.listed) if url not in listed}
    shown, lines = _show(before.name), []
    if made.additions:
        names = ", ".join(each.feed for each in made.additions)
        lines.append(f"{shown}: {'a feed' if len(made.additions) == 1 else 'feeds'} added: {names}")
    lines += [
        f"{shown}: {plan.channel.title} is listed no more; to remove it: aggregator remove --feed {plan.name}"
        for plan in config.plans
        if any(source.url in gone.difference(before.gone) for source in plan.sources)
    ]
    known = _KnownList(before.name, state, tuple(sorted(listed)), tuple(sorted(gone)))
    return known, tuple(map(make_printable, lines)), ""


def _fetch(before: _KnownList, resources: Resources, now: datetime) -> tuple[PollState, Document | None, str]:
    """Return the new poll state of a list, its document if it may have changed, and why it gave none if it failed."""
    if "://" not in before.name:
        source = Source("list", "feed", path=before.name)
        return replace(before.state, asked=now), snapshot.read_file(source), ""
    state = replace(before.state, url=addresses.normalize(before.name))
    answer = resources.limiter.poll(PollRequest(Source("list", "feed", url=state.url), state, now)).result()
    problem = answer.message if answer.status not in {"ok", "unchanged", "not due"} else ""
    return replace(answer.poll_state, asked=now), answer.document, problem


def _find_address(subscription: Subscription) -> str:
    return addresses.normalize(subscription.xml_url)


def _read(store: Store | None) -> tuple[_KnownList, ...]:
    return (_LISTS.read(store, "") if store is not None else None) or ()


def _write(store: Store, lists: Sequence[_KnownList]) -> None:
    _LISTS.write(store, "", tuple(lists))
