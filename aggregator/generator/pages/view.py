"""What the pages show of a feed, made ready: every word, link and number; the templates only lay it out."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from aggregator.generator.content import links
from aggregator.generator.content.people import person
from aggregator.generator.pages import extras, wording
from aggregator.generator.pages.repairs import Repair, repair
from aggregator.model.feed import Cover, Feed, SourceResult
from aggregator.model.item import Dissent, Item, Provenance

# The page's own names for fields; a field that is not here is shown under its own name.
FIELDS = {
    "description": "text",
    "duration": "length",
    "enclosure": "audio",
    "episode_type": "kind of episode",
    "html": "text",
    "image": "picture",
    "published": "date",
}
# The order in which a reader wonders; other fields follow by name.
ORDER = ("title", "date", "length", "audio", "text", "summary", "link")
# How each outcome is told on a page that changes only with content: whether a source answered at the last run, or
# an older account of it stands. "unchanged" and "resting" are an answering source's ordinary days.
STANDING = {
    "heard": "answers",
    "unchanged": "answers",
    "resting": "answers",
    "recorded": "recorded copy",
    "remembered": "silent, its last account stands",
    "silent": "silent, its last account stands",
    "suspicious": "its newest account is held back",
}
# A text repaired in more places than this is summed up; report.json lists all.
REPAIRS = 6


class Claim(Struct, frozen=True):
    """One field of an item: who gave its value, who agreed, who said otherwise, and how sure it is in percent."""

    field: str
    witness: str
    agreeing: str
    dissent: tuple[tuple[str, str], ...]
    percent: int


class Entry(Struct, frozen=True):
    """One item as the page shows it; ``anchor`` is the fragment that links to it, for ever the same."""

    anchor: str
    item: Item
    day: str
    machine_day: str
    facts: tuple[str, ...]
    lead: str
    paragraphs: tuple[tuple[tuple[wording.Piece, ...], ...], ...]
    sources: str
    claims: tuple[Claim, ...]
    repairs: tuple[Repair, ...]
    more_repairs: int
    link: str | None
    audio: str | None
    image: str | None
    transcript: str | None


class Line(Struct, frozen=True):
    """One item of the many that the page lists by title and day alone."""

    anchor: str
    title: str
    link: str | None
    day: str


class SourceLine(Struct, frozen=True):
    """One source as the page names it: where it is, how it stands, how many items it lists."""

    name: str
    kind: str
    url: str | None
    standing: str
    items: str


def entry(item: Item) -> Entry:
    """One item made ready for the page."""
    text = item.description or item.summary or ""
    lead = wording.lead(text)
    whole = lead == " ".join(text.split())
    notes = tuple(note for claim in item.provenance for note in claim.notes)
    return Entry(
        anchor=anchor(item.guid or item.title),
        item=item,
        day=wording.day(item.published) if item.published else "",
        machine_day=wording.machine_day(item.published) if item.published else "",
        facts=facts(item),
        lead="" if whole else lead,
        paragraphs=wording.paragraphs(text),
        sources=wording.listed(sources(item)),
        claims=tuple(sorted(map(claim, item.provenance), key=by_order)),
        repairs=tuple(repair(note, name(note.field)) for note in notes[:REPAIRS]),
        more_repairs=max(0, len(notes) - REPAIRS),
        link=links.web(item.link),
        audio=links.web(item.enclosure.url) if item.enclosure else None,
        image=links.web(item.image),
        transcript=extras.transcript(item),
    )


def line(item: Item) -> Line:
    """One item as a line."""
    day = wording.day(item.published) if item.published else ""
    return Line(anchor(item.guid or item.title), item.title, links.web(item.link), day)


def facts(item: Item) -> tuple[str, ...]:
    """What stands under the title beside the day: length, size, numbers, kind."""
    number = item.number or (str(item.episode) if item.episode is not None else None)
    said = (
        wording.length(item.duration) if item.duration else "",
        wording.size(item.enclosure.length) if item.enclosure and item.enclosure.length else "",
        f"season {item.season}" if item.season is not None else "",
        f"episode {number}" if number else "",
        f"part {item.part}" if item.part else "",
        _kind(item),
        "explicit" if item.explicit else "",
        f"by {author}" if (author := person(item.author)) and item.genre == "post" else "",
        extras.people(item),
    )
    return tuple(fact for fact in said if fact)


def _kind(item: Item) -> str:
    """What sort of episode it is, where it is not an ordinary one: its source's word, else what its title says."""
    return item.episode_type if item.episode_type in ("trailer", "bonus") else item.tag or ""


def claim(provenance: Provenance) -> Claim:
    """One field's provenance in words."""
    return Claim(
        field=name(provenance.field),
        witness=provenance.witness,
        agreeing=wording.listed(provenance.agreeing),
        dissent=tuple((each.source, wording.short(_told(provenance, each))) for each in provenance.dissent),
        percent=round(provenance.confidence * 100),
    )


def _told(provenance: Provenance, dissent: Dissent) -> str:
    """What a source said otherwise; of authors the name alone."""
    return (person(dissent.value) or "") if provenance.field == "author" else dissent.value


def by_order(each: Claim) -> tuple[int, str]:
    """Where a claim stands among the others."""
    return (ORDER.index(each.field) if each.field in ORDER else len(ORDER), each.field)


def source_line(source_result: SourceResult) -> SourceLine:
    """One source in words."""
    source = source_result.source
    return SourceLine(
        source.name,
        source.kind,
        links.public(source.url),
        STANDING[source_result.state],
        wording.count(source_result.entries, "item"),
    )


def name(field: str) -> str:
    """A field's name as people say it.

    >>> name("enclosure"), name("title")
    ('audio', 'title')
    """
    return FIELDS.get(field, field.replace("_", " "))


def sources(item: Item) -> tuple[str, ...]:
    """The names of the sources that list an item, sorted; an entry is named ``source/key``."""
    return tuple(sorted({entry.partition("/")[0] for entry in item.entries}))


def anchor(guid: str) -> str:
    """The fragment of an item on its page: 48 bits of its guid's hash, so that 10,000 items do not collide.

    >>> anchor("a")
    'i-ca978112ca1b'
    """
    return "i-" + hashlib.sha256(guid.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def cover(feed: Feed) -> Cover:
    """What the list of all feeds says of the feed."""
    episodes = sum(item.genre == "episode" for item in feed.items)
    return Cover(
        channel=feed.channel,
        address=subscription(feed),
        updated=feed.updated,
        episodes=episodes,
        posts=len(feed.items) - episodes,
        newest=feed.items[0].published if feed.items else None,
    )


def subscription(feed: Feed) -> str:
    """The address to subscribe to: the episodes where there are any, else everything."""
    heard = any(item.enclosure for item in feed.items)
    return f"{feed.channel.base_url}/{'podcast.xml' if heard else 'feed.xml'}"
