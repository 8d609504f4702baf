"""A made-up corpus, the same for the same seed: shows, each listed by several directories that damage what they list.

Every directory's listing is RSS 2.0 with 3.4 to 4.6 kB an item, as podcast hosts write it. What a directory does to an
item is what the samples show: other ids and dates, rounded durations, texts cut, stripped of markup, with mojibake, or
without the short description.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID
from xml.sax.saxutils import escape

SYLLABLES = [
    consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in ("a", "e", "i", "o", "u", "an", "er", "on")
]
START = datetime(2010, 1, 1, 6, tzinfo=UTC)
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">'
    "<channel><title>{title}</title><link>https://{host}/</link><language>en</language>"
    "<description>{title}, told weekly.</description><itunes:author>{title}</itunes:author>"
    '<atom:link rel="self" href="https://{host}/feed.xml" type="application/rss+xml"/>'
)
TAIL = "</channel></rss>\n"


class Entry(NamedTuple):
    """One item of a show as its author wrote it."""

    number: int
    guid: str
    title: str
    paragraphs: tuple[str, ...]
    published: datetime
    seconds: int


class Listing(NamedTuple):
    """What one directory makes of an entry."""

    guid: str
    title: str
    short: str
    html: str
    published: str
    duration: str
    audio: str


Directory = Callable[[Entry, str], Listing]


def show(seed: int, items: int) -> list[Entry]:
    """Return the items of one show, oldest first, a week apart."""
    chance = random.Random(seed)  # noqa: S311 -- invented words, no secret
    words = sorted({"".join(chance.choices(SYLLABLES, k=chance.choice((1, 2, 2, 3)))) for _ in range(2500)})
    chance.shuffle(words)
    weights = [1 / (rank + 5) for rank in range(len(words))]

    def sentence(count: int) -> str:
        return " ".join(chance.choices(words, weights, k=count)).capitalize()

    return [
        Entry(
            number=number,
            guid=str(UUID(int=chance.getrandbits(128), version=4)),
            title=f"{sentence(chance.randint(3, 7))} & {chance.choice(words)}",
            paragraphs=tuple(" ".join(f"{sentence(12)}." for _ in range(4)) for _ in range(4)),
            published=START + timedelta(days=number, minutes=chance.randint(0, 50)),
            seconds=chance.randint(600, 7200),
        )
        for number in range(items)
    ]


def _host(entry: Entry, host: str) -> Listing:
    html = "".join(
        f'<p>{escape(part)} <a href="https://{host}/{entry.number}">more</a></p>' for part in entry.paragraphs
    )
    audio = f"https://cdn.{host}/episodes/{entry.guid}/{entry.number}.mp3"
    when = f"{entry.published:%a, %d %b %Y %H:%M:%S} +0000"
    return Listing(entry.guid, entry.title, entry.paragraphs[0], html, when, f"{entry.seconds}", audio)


def _mirror(entry: Entry, host: str) -> Listing:
    said = _host(entry, host)
    minutes, seconds = divmod(entry.seconds, 60)
    return said._replace(
        guid=f"https://{host}/?p={entry.number}",
        audio=f"https://track.example.net/redirect.mp3/{said.audio[8:]}?source=feed",
        duration=f"{minutes}:{seconds:02}",
    )


def _cut(entry: Entry, host: str) -> Listing:
    said, text = _host(entry, host), " ".join(entry.paragraphs)
    return said._replace(
        guid=f"cut-{entry.number}",
        html=escape(text[:900].rpartition(" ")[0]) + "…",
        published=f"{entry.published:%Y-%m-%d}",
        duration=f"{round(entry.seconds / 60)} min",
    )


def _mojibake(entry: Entry, host: str) -> Listing:
    said = _host(entry, host)
    damaged = f"It’s “{entry.title}” – ".encode().decode("cp1252", "replace")
    return said._replace(
        guid=f"m{entry.number}", html=f"<p>{escape(damaged)}</p>{said.html}", title=f"{entry.number}: {said.title}"
    )


def _plain(entry: Entry, host: str) -> Listing:
    said = _host(entry, host)
    when = f"{entry.published + timedelta(hours=9):%Y-%m-%dT%H:%M:%S}+09:00"
    return said._replace(
        guid=f"urn:plain:{entry.number}", html=escape("\n\n".join(entry.paragraphs)), published=when, short=""
    )


DIRECTORIES: tuple[Directory, ...] = (_host, _mirror, _cut, _mojibake, _plain)


def feed(entries: list[Entry], place: int, title: str) -> bytes:
    """Return the listing of one directory, newest first."""
    host = f"directory{place}.example.org"
    directory = DIRECTORIES[place % len(DIRECTORIES)]
    items = (_item(directory(entry, host), host, entry.number) for entry in reversed(entries))
    return (HEAD.format(title=title, host=host) + "".join(items) + TAIL).encode()


def shared(entries: list[Entry], place: int, places: int, part: float) -> list[Entry]:
    """Return the items that one of several directories has: the part that all have, and its share of the others."""
    return [entry for entry in entries if entry.number % 100 < part * 100 or entry.number % places == place]


def merged(entries: list[Entry], lists: list[list[Entry]]) -> int:
    """How many items all listings have together."""
    known = {entry.number for entry in entries}
    return len(known & {entry.number for listing in lists for entry in listing})


def _item(said: Listing, host: str, number: int) -> str:
    return (
        f"<item><title>{escape(said.title)}</title><link>https://{host}/{number}</link>"
        f'<guid isPermaLink="false">{escape(said.guid)}</guid><pubDate>{said.published}</pubDate>'
        f"<description>{escape(said.short)}</description><content:encoded><![CDATA[{said.html}]]></content:encoded>"
        f'<enclosure url="{escape(said.audio)}" length="{1_000_000 + number}" type="audio/mpeg"/>'
        f"<itunes:title>{escape(said.title)}</itunes:title><itunes:duration>{said.duration}</itunes:duration>"
        f"<itunes:summary>{escape(said.short)}</itunes:summary><itunes:episode>{number + 1}</itunes:episode>"
        "<itunes:explicit>false</itunes:explicit><itunes:episodeType>full</itunes:episodeType>"
        f'<itunes:image href="https://{host}/cover.jpg"/><itunes:author>Ann Onym</itunes:author></item>\n'
    )
