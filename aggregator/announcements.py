"""Tell people and programs of new items once they are published: by Apprise, and by a signed webhook.

What is to be told is written in the transaction that publishes the items, and removed once it was accepted: a refresh
that is killed between is made good by the next one. A receiver that does not accept is told again for three days.

A webhook has the form of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, spec 1.0.0): three
header fields: the id, the time, and a signature (HMAC-SHA256 with the secret, of id, time and body).
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, Final

from msgspec.structs import replace

from aggregator import notify
from aggregator.config.settings import Config
from aggregator.errors import FetchError
from aggregator.fetchers import credentials
from aggregator.fetchers.http.target import redact
from aggregator.model.feed import Feed, Plan
from aggregator.model.results import Announcement
from aggregator.store import facts
from aggregator.store.database import Store
from aggregator.store.facts import Fact
from aggregator.translation.marks import N_

_GIVE_UP_AFTER: Final = timedelta(days=3)

_MOST_MESSAGES: Final = 5
"""New items of one refresh that have a message each; more have one together."""

_MOST_CALLS: Final = 30
"""Calls of a webhook in one refresh; the others follow with the next."""

_BASE64: Final = "whsec_"

_Call = Callable[[str, bytes | None, tuple[tuple[str, str], ...]], Future[int]]
"""Send a body with header fields; the status of the answer (``fetchers.http.host_limits.HostLimiter.call``)."""


_ANNOUNCEMENTS: Final = Fact("announcements", tuple[Announcement, ...])


def add_new(
    store: Store, plan: Plan, feed: Feed, items: Sequence[dict[str, Any]], now: datetime
) -> tuple[Announcement, ...]:
    """Return what is still to be told once these items, the newest first, are published as ``feed.json`` has them."""
    if facts.read_feed_state(store, plan.name).runs == 0:
        address = f"{plan.channel.base_url}/feed.json"
        shown = {"title": feed.channel.title, "url": feed.channel.link, "feed_url": address, "items": len(feed.items)}
        made = [Announcement("", now, json.dumps(shown))]
    else:
        made = [Announcement(each["id"], now, _encode(each)) for each in reversed(items)]
    return tuple({each.guid: each for each in (*_read(store, plan), *made)}.values())


def tell(config: Config, store: Store, plans: Sequence[Plan], call: _Call, now: datetime) -> dict[str, tuple[str, ...]]:
    """Tell what was written down, and return one line for each address that took no notice, by feed.

    A copy of the store sends nothing.
    """
    if config.is_copy:
        return {}
    lines: dict[str, tuple[str, ...]] = {}
    for plan in plans:
        if not plan.announces or not (waiting := _read(store, plan)):
            continue
        after, faults = _send_messages(plan, waiting)
        after, failed = _call_webhook(plan, after, call, now)
        lines[plan.name] = (*faults, *failed)
        left = tuple(each for each in after if not _is_told(plan, each) and now - each.since < _GIVE_UP_AFTER)
        if left != waiting:
            write(store, plan, left)
    return lines


def _encode(item: dict[str, Any]) -> str:
    """Return an item as JSON, without audio whose address would need a secret: none goes into the store."""
    audio = [each for each in item.pop("attachments", ()) if not credentials.names_secret(each["url"])]
    return json.dumps(item | ({"attachments": audio} if audio else {}))


def _is_told(plan: Plan, given: Announcement) -> bool:
    return (given.by_message or not plan.notify_new) and (given.by_webhook or not plan.webhook)


def _send_messages(plan: Plan, waiting: Sequence[Announcement]) -> tuple[Sequence[Announcement], list[str]]:
    """Send a message for each item; it counts as taken if one of the addresses took it, else it ends this round."""
    new = [each for each in waiting if not each.by_message]
    if not plan.notify_new or not new:
        return waiting, []
    sent: set[str] = set()
    faults: list[str] = []
    for title, body, guids in _make_messages(plan, new):
        found = notify.send(plan.notify_new, title, body)
        faults += found
        if len(found) == len(plan.notify_new):
            break
        sent |= guids
    told = [replace(each, by_message=True) if each.guid in sent else each for each in waiting]
    return told, list(dict.fromkeys(faults))


def _make_messages(plan: Plan, new: Sequence[Announcement]) -> Iterator[tuple[str, str, set[str]]]:
    """Yield title, text and guids of each message."""
    show = plan.channel.title
    items = {each.guid: json.loads(each.item) for each in new}
    if first := items.pop("", None):
        yield show, f"{show} begins with {first['items']} items\n{first['feed_url']}", {""}
    if len(items) > _MOST_MESSAGES:
        listed = [item["title"] for item in items.values()][-_MOST_MESSAGES:]
        body = "\n".join((*reversed(listed), f"and {len(items) - len(listed)} more"))
        yield f"{show}: {len(items)} new items", body, set(items)
        return
    for guid, item in items.items():
        audio = (each["url"] for each in item.get("attachments", ()))
        yield f"{show}: {item['title']}", "\n".join(filter(None, (item.get("url"), *audio))) or show, {guid}


def _call_webhook(
    plan: Plan, waiting: Sequence[Announcement], call: _Call, now: datetime
) -> tuple[Sequence[Announcement], list[str]]:
    """Send each item to the webhook, the oldest first; the first that is not taken ends it for this refresh."""
    new = [each for each in waiting if not each.by_webhook][:_MOST_CALLS]
    if not plan.webhook or not new:
        return waiting, []
    told: set[str] = set()
    problem = ""
    try:
        url = credentials.fill_address(plan.webhook, credentials.read_named_secrets(plan.webhook))
        key = _read_key(plan.webhook_secret)
        for each in new:
            status = call(url, *_make_call(plan, each, key, now)).result()
            if status // 100 != 2:  # noqa: PLR2004  # RFC 9110 section 15.3
                problem = N_(f"it answers {status}")
                break
            told.add(each.guid)
    except FetchError as error:
        problem = str(error)
    failed = [N_(f"webhook {redact(plan.webhook)}: {problem}; tried again at the next refresh")] if problem else []
    return [replace(each, by_webhook=True) if each.guid in told else each for each in waiting], failed


def _make_call(plan: Plan, given: Announcement, key: bytes, now: datetime) -> tuple[bytes, tuple[tuple[str, str], ...]]:
    """Return the body of a call and its header fields; the same item has the same id in every call."""
    shown: dict[str, Any] = {"feed": plan.name, "show": plan.channel.title}
    kind = "item.published" if given.guid else "feed.published"
    data = shown | ({"item": json.loads(given.item)} if given.guid else json.loads(given.item))
    message = {"type": kind, "timestamp": given.since.isoformat().replace("+00:00", "Z"), "data": data}
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    name = blake2b(f"{plan.name}\0{given.guid}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    fields = sign(key, f"msg_{name}", int(now.timestamp()), body)
    return body, (("Content-Type", "application/json"), *fields)


def sign(key: bytes, name: str, at: int, body: bytes) -> tuple[tuple[str, str], ...]:
    """Return the three header fields of a webhook: its id, its time in seconds since 1970, and its signature."""
    signature = hmac.digest(key, f"{name}.{at}.".encode() + body, "sha256")
    value = f"v1,{base64.b64encode(signature).decode()}"
    return ("webhook-id", name), ("webhook-timestamp", str(at)), ("webhook-signature", value)


def _read_key(secret: str) -> bytes:
    """Return the key of a secret: base64 after ``whsec_``, else the bytes of the text; raise FetchError."""
    ((_, value),) = credentials.read_named_secrets(secret) if "${" in secret else (("", secret),)
    if not value.startswith(_BASE64):
        return value.encode()
    try:
        return base64.b64decode(value.removeprefix(_BASE64), validate=True)
    except ValueError as error:
        raise FetchError("its secret is not base64 after whsec_") from error


def _read(store: Store, plan: Plan) -> tuple[Announcement, ...]:
    return _ANNOUNCEMENTS.read(store, plan.name) or ()


def write(store: Store, plan: Plan, waiting: Sequence[Announcement]) -> None:
    """Write down what is still to be told."""
    _ANNOUNCEMENTS.write(store, plan.name, tuple(waiting) or None)
