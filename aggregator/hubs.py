"""Tell hubs and indexes of the config which addresses of a feed have changed; one that took no notice is told again.

How a publisher tells a hub is left open by WebSub (section 6.1). Hubs take what PubSubHubbub 0.4 has (section 7.1): a
form with ``hub.mode=publish`` and the address. Indexes of podcasts (``pings``) take a GET with the address of
podcast.xml as ``url``: Podcast Index (https://podcastindex-org.github.io/docs-api/, hub/pubnotify) and podping.cloud,
which wants a token as ``Authorization`` (https://github.com/Podcastindex-org/podping.cloud).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from aggregator.errors import FetchError
from aggregator.fetchers import credentials
from aggregator.fetchers.http.target import redact
from aggregator.model.feed import Ping, Plan
from aggregator.model.files import WrittenFile
from aggregator.model.record import Record
from aggregator.store.database import Store
from aggregator.store.facts import Fact
from aggregator.translation.marks import N_

_PODCAST: Final = "podcast.xml"
_DOCUMENTS: Final = frozenset({_PODCAST, "feed.xml", "feed.atom", "feed.json"})

_GIVE_UP_AFTER: Final = timedelta(days=1)
"""Apps that a hub did not tell have polled by then."""

_Call = Callable[[str, bytes | None, tuple[tuple[str, str], ...]], Future[int]]
"""Send a body, or none, with header fields; the status (``fetchers.http.host_limits.HostLimiter.call``)."""


class Notice(Record, frozen=True):
    """An address that changed, and a hub or an index that is still to be told; ``problem`` is why it was not."""

    hub: str
    address: str
    since: datetime
    problem: str = ""


_NOTICES: Final = Fact("hub notices", tuple[Notice, ...])


def note_changes(store: Store, plan: Plan, written: Iterable[WrittenFile], now: datetime) -> None:
    """Write down what the hubs and indexes are to be told once the files are published."""
    changed = [each.name for each in written if each.changed and each.name in _DOCUMENTS]
    told = [(hub, name) for hub in plan.channel.hubs for name in changed]
    told += [(ping.url, _PODCAST) for ping in plan.pings if _PODCAST in changed]
    if not told:
        return
    notices = {(each.hub, each.address): each for each in read_notices(store, plan)}
    for hub, name in told:
        address = f"{plan.channel.base_url}/{name}"
        notices[hub, address] = Notice(hub, address, now)
    _write(store, plan, tuple(notices.values()))


def read_notices(store: Store, plan: Plan) -> tuple[Notice, ...]:
    """Return what the hubs and indexes of a feed are still to be told."""
    places = {*plan.channel.hubs, *(ping.url for ping in plan.pings)}
    known = _NOTICES.read(store, plan.name) if places else None
    return tuple(each for each in known or () if each.hub in places)


def tell(store: Store, plans: Sequence[Plan], call: _Call, now: datetime) -> dict[str, list[str]]:
    """Tell the hubs and indexes, all at once; return one line for each that took no notice, by feed.

    It is told again in the next run, for a day.
    """
    waiting = {plan.name: notices for plan in plans if (notices := read_notices(store, plan))}
    pings = {ping.url: ping for plan in plans for ping in plan.pings}
    answers = {
        (each.hub, each.address): _send(each, pings.get(each.hub), call) for some in waiting.values() for each in some
    }
    lines: dict[str, list[str]] = {}
    for plan in plans:
        before = waiting.get(plan.name, ())
        tried = [_note_answer(each, answers[each.hub, each.address]) for each in before]
        failed = [each for each in tried if each.problem]
        for hub in dict.fromkeys(each.hub for each in failed):
            some = [each for each in failed if each.hub == hub]
            lines.setdefault(plan.name, []).append(_describe(some, is_index=hub in pings))
        kept = tuple(each for each in failed if now - each.since < _GIVE_UP_AFTER)
        if kept != before:
            _write(store, plan, kept)
    return lines


def _send(notice: Notice, ping: Ping | None, call: _Call) -> Future[int]:
    """Tell a hub, or an index if there is a ``ping``; raise no error, the answer has it."""
    if ping is None:
        form = urlencode({"hub.mode": "publish", "hub.url": notice.address, "hub.topic": notice.address})
        return call(notice.hub, form.encode(), (("Content-Type", "application/x-www-form-urlencoded"),))
    try:
        secrets = credentials.read_named_secrets(f"{ping.url} {ping.token}")
    except FetchError as error:
        failed: Future[int] = Future()
        failed.set_exception(error)
        return failed
    url = credentials.fill_address(ping.url, secrets)
    url += f"{'&' if '?' in url else '?'}{urlencode({'url': notice.address})}"
    token = credentials.fill(ping.token, secrets)
    return call(url, None, (("Authorization", token),) if token else ())


def _describe(failed: Sequence[Notice], *, is_index: bool) -> str:
    """Return a line about the notices of one hub or index that were not taken."""
    where, count, why = redact(failed[0].hub), len(failed), failed[0].problem
    if is_index:
        return N_(f"index {where} was not told of {count} of its files: {why}")
    return N_(f"hub {where} was not told of {count} of its files: {why}")


def _note_answer(notice: Notice, answer: Future[int]) -> Notice:
    """Return the notice with the reason why the hub did not take it, if it did not."""
    try:
        status = answer.result()
    except FetchError as error:
        return Notice(notice.hub, notice.address, notice.since, str(error))
    is_taken = status // 100 == 2  # noqa: PLR2004  # RFC 9110 section 15.3
    return Notice(notice.hub, notice.address, notice.since, "" if is_taken else N_(f"it answers {status}"))


def _write(store: Store, plan: Plan, notices: Sequence[Notice]) -> None:
    _NOTICES.write(store, plan.name, tuple(notices) or None)
