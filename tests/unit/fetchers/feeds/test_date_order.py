"""Dates of feeds that can be read in two orders: the other dates of the feed decide, then its language."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from aggregator.fetchers.feeds import feed, jsonfeed
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Source

_ADDRESS = "https://mole.example/feed"


def read_rss(texts: list[str], language: str = "", broken: str = "") -> Listing:
    tongue = f"<language>{language}</language>" if language else ""
    items = "".join(f"<item><title>Tunnel {text}</title><pubDate>{text}</pubDate></item>" for text in texts)
    body = f'<rss version="2.0"><channel><title>Moles {broken}</title>{items}{tongue}</channel></rss>'
    return feed.read(Document(Source("r", "feed"), _ADDRESS, body.encode()))


def read_broken_rss(texts: list[str], language: str = "") -> Listing:
    return read_rss(texts, language, broken="& more")


def read_tolerantly(texts: list[str], language: str = "") -> Listing:
    return read_rss(texts, language, broken="<i>and</i> more")


def read_atom(texts: list[str], language: str = "") -> Listing:
    items = "".join(f"<entry><title>Tunnel</title><id>{text}</id><updated>{text}</updated></entry>" for text in texts)
    tongue = f' xml:lang="{language}"' if language else ""
    body = f'<feed xmlns="http://www.w3.org/2005/Atom"{tongue}><title>Moles</title>{items}</feed>'
    return feed.read(Document(Source("a", "feed"), _ADDRESS, body.encode()))


def read_json(texts: list[str], language: str = "") -> Listing:
    items = [{"id": text, "title": "Tunnel", "date_published": text} for text in texts]
    body = {"version": "https://jsonfeed.org/version/1.1", "title": "Moles", "items": items}
    body |= {"language": language} if language else {}
    return jsonfeed.read(Document(Source("j", "jsonfeed"), _ADDRESS, json.dumps(body).encode()))


def days(listing: Listing) -> list[str]:
    return [f"{entry.published.at:%m-%d}" if entry.published else "" for entry in listing.entries]


@pytest.mark.parametrize("read", [read_rss, read_broken_rss, read_tolerantly, read_atom, read_json])
@pytest.mark.parametrize(
    ("texts", "language", "expected"),
    [
        (["05/06/2026 08:00", "27/05/2026 08:00"], "", ["06-05", "05-27"]),  # no month 27: the day stands first in all
        (["05/06/2026", "05/27/2026"], "nl", ["05-06", "05-27"]),  # also against the language
        (["05/06/2026", "04/06/2026"], "nl", ["06-05", "06-04"]),
        (["05/06/2026", "04/06/2026"], "en-NZ", ["06-05", "06-04"]),
        (["05/06/2026", "04/06/2026"], "en-US", ["05-06", "04-06"]),
        (["05/06/2026", "04/06/2026"], "", ["05-06", "04-06"]),
        (["05/06/2026", "27/05/2026", "05/28/2026"], "", ["05-06", "05-27", "05-28"]),  # they disagree
        (["05-06-2026", "05-27-2026"], "", ["05-06", "05-27"]),
        (["05-06-2026", "04-06-2026"], "en-US", ["06-05", "06-04"]),  # the day stands first with dashes
        (["2026-06-05", "Wed, 27 May 2026 08:00:00 GMT"], "nl", ["06-05", "05-27"]),
    ],
)
def test_the_feed_decides(
    read: Callable[[list[str], str], Listing], texts: list[str], language: str, expected: list[str]
) -> None:
    assert days(read(texts, language)) == expected


@pytest.mark.parametrize("read", [read_rss, read_atom, read_json])
@pytest.mark.parametrize(
    ("texts", "language", "expected"),
    [
        (
            ["11. 8. 2025", "3. 7. 2025 14:05", "08.03.2025 9.30", "út, 2. prosince 2025 7:15", "5. listopad 2025"],
            "cs",
            ["2025-08-11 00:00", "2025-07-03 14:05", "2025-03-08 09:30", "2025-12-02 07:15", "2025-11-05 00:00"],
        ),
        (["5. listopad 2025."], "hr", ["2025-10-05 00:00"]),  # the name of another month in Croatian
        (["16:20 07.08.2025", "07.08.2025 16.20"], "sr", ["2025-08-07 16:20", "2025-08-07 16:20"]),
    ],
)
def test_the_language_of_the_feed(
    read: Callable[[list[str], str], Listing], texts: list[str], language: str, expected: list[str]
) -> None:
    found = read(texts, language).entries
    assert [entry.published and f"{entry.published.at:%Y-%m-%d %H:%M}" for entry in found] == expected
