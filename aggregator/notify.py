"""Send messages about trouble by Apprise: once when it begins and once when it is over, again if that fails.

Trouble is a source that fails for some refreshes or whose listing is held back, audio that is gone (`probe_gone`), near
misses that wait for a decision, and a feed that lost a tenth of its items.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from aggregator import enclosure_probe
from aggregator.config.settings import Config
from aggregator.errors import FetchError
from aggregator.fetchers import credentials
from aggregator.model.record import Record
from aggregator.model.results import Outcome
from aggregator.store.database import Store
from aggregator.store.facts import Fact
from aggregator.translation.marks import N_
from aggregator.version import name_install

_LEFT_AT_LEAST: Final = 0.9
"""Share of the most items that a feed ever had; with fewer it shrank."""

_SOURCE: Final = "source "
"""Before its name: the key of a source's trouble."""

_MISSING: Final = f"notify needs Apprise: run {name_install('notify')}"


class _Trouble(Record, frozen=True):
    """Trouble of a feed, in how many refreshes in a row it was found, and whether a message about it was sent."""

    key: str
    text: str
    times: int = 1
    told: bool = False


class _FeedTroubles(Record, frozen=True):
    """The troubles of a feed, and the most items that it ever had."""

    troubles: tuple[_Trouble, ...] = ()
    most_items: int = 0


_TROUBLES: Final = Fact("troubles", _FeedTroubles)


def send_news(config: Config, store: Store, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Send one message about what began and what is over; return one line for each address that did not take it.

    It counts as sent if one of the addresses took it.
    """
    if config.is_copy or not config.notify:
        return ()
    lines: list[str] = []
    noted: list[tuple[str, _FeedTroubles, _FeedTroubles, _FeedTroubles]] = []
    for outcome in outcomes:
        before = _TROUBLES.read(store, outcome.feed) or _FeedTroubles()
        now = _find_troubles(config, store, outcome, before)
        begun = [each for each in now.troubles if not each.told and each.times >= config.notify_after]
        over = _find_over(before, now, outcome)
        lines += (f"{outcome.feed}: {each.text}" for each in begun)
        lines += (f"{outcome.feed}: well again: {each.text}" for each in over)
        reported = tuple(replace(each, told=True) if each in begun else each for each in now.troubles)
        after, unsent = replace(now, troubles=reported), replace(now, troubles=(*now.troubles, *over))
        noted.append((outcome.feed, before, after, unsent))
    faults = send(config.notify, "aggregator", "\n".join(lines)) if lines else ()
    is_sent = len(faults) < len(config.notify)
    for feed, before, after, unsent in noted:
        kept = after if is_sent else unsent
        if kept != before:
            _TROUBLES.write(store, feed, kept)
    return tuple(dict.fromkeys(faults))


def find_faults(config: Config) -> tuple[str, ...]:
    """Return one line for each address that cannot be used; no line has an address, which may have secrets."""
    every = [("", config.notify), *((f"{plan.name}: ", plan.notify_new) for plan in config.plans)]
    found = (
        f"{place}{fault}"
        for place, addresses in every
        for number, each in enumerate(addresses, 1)
        if (fault := _add(None, number, each))
    )
    return tuple(dict.fromkeys(found))


def _find_troubles(config: Config, store: Store, outcome: Outcome, before: _FeedTroubles) -> _FeedTroubles:
    known = {each.key: each for each in before.troubles}
    found = [*_find_failing(config, outcome, known), *_find_others(config, store, outcome, before)]
    most = before.most_items if outcome.failures else max(before.most_items, outcome.published.items)
    return _FeedTroubles(tuple(found), most)


def _find_failing(config: Config, outcome: Outcome, known: Mapping[str, _Trouble]) -> Iterator[_Trouble]:
    """Yield the sources that fail; one that is not due is as it was, and one that is held back is reported at once."""
    for each in outcome.source_results:
        key = f"{_SOURCE}{each.source.name}"
        before = known.get(key)
        if each.status == "not due" and before is not None:
            yield before
        elif each.is_failing:
            times = config.notify_after if each.status == "held back" else before.times + 1 if before else 1
            text = f"source {each.source.name}: {each.standing} ({each.message})"
            yield replace(before, times=times) if before and before.told else _Trouble(key, text, times)


def _find_over(before: _FeedTroubles, now: _FeedTroubles, outcome: Outcome) -> list[_Trouble]:
    """Return the troubles that were reported and are over; those of a source that left the config are forgotten."""
    lasting = {each.key for each in now.troubles}
    polled = {f"{_SOURCE}{each.source.name}" for each in outcome.source_results}
    return [
        each
        for each in before.troubles
        if each.told and each.key not in lasting and (each.key in polled or not each.key.startswith(_SOURCE))
    ]


def _find_others(config: Config, store: Store, outcome: Outcome, before: _FeedTroubles) -> Iterator[_Trouble]:
    """Yield the troubles that are not of one source; those that were found before keep their first text."""
    known = {each.key: each for each in before.troubles}
    found = {}
    if gone := enclosure_probe.read_gone(store, config.plan(outcome.feed)):
        found["audio"] = f"audio that is gone (404 or 410): {len(gone)}, such as {gone[0]}"
    if misses := outcome.published.near_misses:
        found["near misses"] = f"near misses that wait for a decision: {misses}; run aggregator review"
    if not outcome.failures and outcome.published.items < before.most_items * _LEFT_AT_LEAST:
        found["items"] = f"the feed shrank from {before.most_items} items to {outcome.published.items}"
    yield from (known.get(key) or _Trouble(key, text, config.notify_after) for key, text in found.items())


def send(addresses: Sequence[str], title: str, body: str) -> tuple[str, ...]:
    """Send a message to every address of Apprise, and return one line for each that did not take it."""
    faults = []
    for number, address in enumerate(addresses, 1):
        if fault := _add((title, body), number, address):
            faults.append(N_(f"{fault}; tried again at the next refresh"))
    return tuple(faults)


def _add(message: tuple[str, str] | None, number: int, address: str) -> str:
    """Send a message (title and text) to an address, if there is one; return what is wrong, "" if nothing is."""
    try:
        import apprise  # noqa: PLC0415  # optional, and its services take half a second
    except ImportError:
        return _MISSING
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)  # it would print addresses
    named = N_(f"notify: address {number} ({urlsplit(address).scheme}://…)")
    try:
        secrets = credentials.read_named_secrets(address)
    except FetchError as error:
        return f"{named}: {error}"
    service = apprise.Apprise(asset=apprise.AppriseAsset(async_mode=False, app_id="aggregator"))
    if not service.add(credentials.fill_address(address, secrets)):
        return N_(f"{named}: Apprise knows no such service, or the address lacks something")
    try:
        taken = message is None or service.notify(title=message[0], body=message[1])
    except Exception as error:  # noqa: BLE001  # of one of a hundred services: it must not fail a refresh
        return f"{named}: {type(error).__name__}"
    return "" if taken else N_(f"{named}: the message was not taken")
