"""Directories that list a recorded podcast as directories do: cut texts, rounded minutes, other guids, mojibake.

Seeded: the same podcast and seed give the same bytes.
"""

import io
import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import feedparser

from aggregator.text import html
from aggregator.text.times import durations
from tests.support.config import make_feed, make_source, write_config

MOST = 30


@dataclass(frozen=True)
class Told:
    """One episode as its host tells it, in the plainest way."""

    title: str
    text: str
    at: datetime
    seconds: int | None
    audio: str | None
    author: str | None


def told(podcast: Path, most: int = MOST) -> tuple[str, list[Told]]:
    """The show's title and its newest episodes."""
    seen = feedparser.parse(io.BytesIO(podcast.read_bytes()))
    found = []
    for entry in seen.entries:
        moment, length = entry.get("published_parsed"), durations.parse(entry.get("itunes_duration", ""))
        if moment is None or not entry.get("title"):
            continue
        found.append(
            Told(
                " ".join(html.to_text(entry.title).split()),
                " ".join(html.to_text(entry.get("summary", "")).split()),
                datetime(*moment[:6], tzinfo=UTC),
                length.seconds if length else None,
                next((each.get("href") for each in entry.get("enclosures", ())), None),
                entry.get("author"),
            )
        )
    found.sort(key=lambda each: each.at, reverse=True)
    return " ".join(seen.feed.get("title", "A show").split()), found[:most]


def mirror(show: str, episodes: list[Told], dice: random.Random) -> str:
    """A directory's RSS: guids of its own, minutes rounded, some texts cut, some decoded wrongly, some entries gone."""
    items = []
    for turn, each in enumerate(episodes):
        if dice.random() < 0.1:
            continue
        text = cut(each.text, dice.choice([150, 250, 400])) if dice.random() < 0.5 else each.text
        title, text = (mojibake(title_or_text, dice) for title_or_text in (each.title, text))
        minutes = "" if each.seconds is None else f"<itunes:duration>{round(each.seconds / 60)}:00</itunes:duration>"
        audio = f'<enclosure url={quoteattr(each.audio)} type="audio/mpeg"/>' if each.audio else ""
        items.append(
            f'<item><guid isPermaLink="false">directory:{dice.randrange(10**9)}:{turn}</guid>'
            f"<title>{legal(title)}</title><description>{legal(text)}</description>"
            f"<pubDate>{format_datetime(each.at.replace(second=0))}</pubDate>{minutes}{audio}</item>"
        )
    head = "<?xml version='1.0' encoding='utf-8'?><rss version='2.0' xmlns:itunes="
    return (
        f'{head}"http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>{legal(show)}</title>'
        f"<link>https://directory.example/show</link><description>{legal(show)}</description>"
        f"<itunes:owner><itunes:email>someone@directory.example</itunes:email></itunes:owner>{''.join(items)}"
        "</channel></rss>"
    )


def listing(show: str, episodes: list[Told], dice: random.Random) -> str:
    """A directory's page as text: dated, whole minutes, texts cut to 300 characters with dots."""
    entries = []
    for each in episodes[: dice.randint(8, 20)]:
        minutes = f" - {max(1, round(each.seconds / 60))} minutes" if each.seconds else ""
        entries.append(
            f"{show} artwork\n\n{each.title}\n\n{show} - {each.at:%B %d, %Y %H:%M}{minutes} ★★★★★ - 9 ratings\n"
            f"{each.text if len(each.text) <= 300 else each.text[:297] + '...'}\n"
        )
    return f"Latest {show} Episodes\n\n" + "\n".join(entries) + "\nRelated Topics\n"


def cut(text: str, length: int) -> str:
    """The text's beginning, with the mark of a cut."""
    return text if len(text) <= length else text[:length] + "…"


def mojibake(text: str, dice: random.Random) -> str:
    """One time in four the text as a program shows it that took its UTF-8 for Windows-1252."""
    if dice.random() < 0.75:
        return text
    try:
        return text.encode("utf-8").decode("cp1252")
    except UnicodeDecodeError:
        return text


def legal(text: str) -> str:
    """The text as it may stand in XML."""
    return escape("".join(letter for letter in text if letter.isprintable() or letter in "\n\t"))


def folder(place: Path, podcasts: list[Path], seed: int) -> Path:
    """A config of one feed for each podcast: its host's document and two directories; the config's path."""
    feeds = {}
    for turn, podcast in enumerate(podcasts):
        dice = random.Random(f"{seed} {podcast.name}")
        show, episodes = told(podcast)
        (place / f"mirror-{turn}.xml").write_text(mirror(show, episodes, dice), encoding="utf-8")
        (place / f"listing-{turn}.txt").write_text(listing(show, episodes, dice), encoding="utf-8")
        sources = {
            "host": make_source(str(podcast), trust=0.9),
            "mirror": make_source(f"mirror-{turn}.xml", trust=0.4),
            "casts": {"kind": "listing", "path": f"listing-{turn}.txt"},
        }
        feeds[f"show-{turn}"] = make_feed(show, sources)
    return write_config(place, feeds, base_url="https://feeds.example.org")
