"""What the last answer of a question means: a document, nothing new, or silence with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from aggregator.fetchers.http import errors, headers, polling
from aggregator.fetchers.http.polling import Pace, Reply
from aggregator.fetchers.http.target import Target, shown
from aggregator.fetchers.transport import Call
from aggregator.model.source import Answer, Document, Memory, Source
from aggregator.text.hosts import host


class Trail(Struct, frozen=True):
    """Where the redirects led: the last answer, whence, after how many hops, and whether all of them were for good."""

    call: Call
    status: int
    fields: Mapping[str, str]
    where: Target
    hops: int
    permanent: bool


class When(Struct, frozen=True):
    """By the run's clock when the question went out and the answer had come, and how long ago that clock was read."""

    asked: datetime
    ended: datetime
    late: timedelta
    pace: Pace


def answer(source: Source, memory: Memory, trail: Trail, content: bytes, when: When) -> Answer:
    """What the answer came to; ``content`` is its decoded body, empty where the status lets nobody use one."""
    reply = Reply(
        trail.status,
        trail.fields,
        when.asked,
        when.ended,
        when.late,
        conditional=bool(polling.questions(memory, source.distrust_304_after, when.asked)),
        permanent=trail.where.url if trail.hops and trail.permanent and trail.where.login is None else None,
        redirected=bool(trail.hops),
        moved=polling.address(memory) != memory.url,
        host=host(trail.where.url),
    )
    digest = sha256(content).hexdigest() if trail.status in polling.USABLE else None
    after = polling.after_answer(memory, reply, when.pace, digest)
    if after.errors:
        return Answer("silent", after, message=f"{shown(trail.where.url)}: {errors.complaint(trail.status, after)}")
    if digest is None or digest == memory.digest:
        return _unchanged(after, trail)
    kind, charset = headers.media_type(trail.fields.get("content-type", ""))
    document = Document(
        source,
        trail.where.url,
        content,
        media_type=kind,
        charset=charset,
        validators=after.validators,
        partial=trail.status in polling.PARTIAL,
    )
    return Answer("heard", after, document)


def barred(memory: Memory, robots: Memory, now: datetime) -> Memory:
    """What is remembered where a robots.txt bars the address: nobody looks again before that is asked again."""
    waits = [until for until in (robots.not_before, memory.not_before) if until is not None]
    held = robots if robots.hold_until is not None and robots.hold_until > now else memory
    return replace(
        memory,
        asked=now,
        not_before=max(waits, default=None),
        hold_until=held.hold_until,
        hold_host=held.hold_host,
    )


def _unchanged(after: Memory, trail: Trail) -> Answer:
    """Nothing new; where what is old was not believed, the source is silent still."""
    if after.unread:
        return Answer("silent", after, message=f"{shown(trail.where.url)}: not changed since: {after.unread}")
    return Answer("unchanged", after)
