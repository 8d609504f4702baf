"""Prepare the values of the pages for the templates: words, links and numbers."""

from __future__ import annotations

import hashlib
from typing import Final

from msgspec import Struct

from aggregator.generator.content import links
from aggregator.generator.content.feed_item import find_media
from aggregator.generator.content.sanitize import clean_field, clean_person
from aggregator.generator.pages import wording
from aggregator.generator.pages.wording import Repair, describe_repair
from aggregator.model.entry import Moment
from aggregator.model.feed import Feed
from aggregator.model.item import Item, Provenance
from aggregator.translation.locale import Locale

# The page's own names for fields; a field that is not here is shown under its own name.
_FIELDS = {
    "description": "text",
    "duration": "length",
    "enclosure": "audio",
    "episode_type": "kind of episode",
    "html": "text",
    "image": "picture",
    "published": "date",
}
# The order in which a reader wonders; other fields follow by name.
_ORDER = ("title", "date", "length", "audio", "text", "summary", "link")
# A text repaired in more places than this is summed up; report.json lists all.
_MOST_REPAIRS = 6


class _FieldView(Struct, frozen=True):
    """One field: the source of its value, sources that agree and differ, and the confidence in percent."""

    field: str
    source: str
    agreeing: str
    dissent: tuple[tuple[str, str], ...]
    percent: int


class _ItemView(Struct, frozen=True):
    """One item as the page shows it; ``anchor`` is its permanent fragment, ``player`` the element for its ``media``."""

    anchor: str
    item: Item
    day: str
    machine_day: str
    facts: tuple[str, ...]
    lead: str
    paragraphs: tuple[tuple[tuple[wording.TextPiece, ...], ...], ...]
    sources: str
    claims: tuple[_FieldView, ...]
    repairs: tuple[Repair, ...]
    more_repairs: int
    link: str | None
    media: str | None
    player: str
    image: str | None
    transcript: str | None


def view_item(item: Item, locale: Locale) -> _ItemView:
    """Prepare an item for the page."""
    text = item.description or item.summary or ""
    lead = wording.make_lead(text)
    whole = lead == " ".join(text.split())
    notes = tuple(note for each in item.provenance for note in each.notes)
    return _ItemView(
        anchor=make_anchor(item.guid or item.title),
        item=item,
        day=locale.format_day(item.published) if item.published else "",
        machine_day=_format_machine_day(item.published) if item.published else "",
        facts=_list_facts(item, locale),
        lead="" if whole else lead,
        paragraphs=wording.split_paragraphs(text),
        sources=locale.join(item.sources),
        claims=tuple(_view_field(each, locale) for each in sorted(item.provenance, key=_rank)),
        repairs=tuple(
            describe_repair(note, _translate_field(note.field, locale), locale) for note in notes[:_MOST_REPAIRS]
        ),
        more_repairs=max(0, len(notes) - _MOST_REPAIRS),
        link=links.clean_url(item.link),
        media=links.clean_url(item.enclosure.url) if item.enclosure else None,
        player="video" if item.enclosure and (item.enclosure.type or "").startswith("video/") else "audio",
        image=links.clean_url(item.image),
        transcript=_find_transcript(item),
    )


def _format_machine_day(moment: Moment) -> str:
    """Format the value of ``<time datetime>`` (HTML, section 4.5.14) at the known precision."""
    if moment.precision in {"guess", "year"}:
        return f"{moment.at.year:04d}"
    return moment.at.date().isoformat() if moment.precision == "day" else moment.at.strftime("%Y-%m-%dT%H:%M:%SZ")


def view_line(item: Item, locale: Locale) -> tuple[str, str, str | None, str]:
    """Return anchor, title, link and day of an item, for the list of earlier items."""
    day = locale.format_day(item.published) if item.published else ""
    return make_anchor(item.guid or item.title), item.title, links.clean_url(item.link), day


def _list_facts(item: Item, locale: Locale) -> tuple[str, ...]:
    """Return the facts under an item's title: length, size, numbers, kind."""
    number = item.number or (str(item.episode) if item.episode is not None else None)
    facts = (
        wording.format_length(item.duration, locale) if item.duration else "",
        wording.format_size(item.enclosure.length, locale) if item.enclosure and item.enclosure.length else "",
        locale.gettext("season %(number)s", number=item.season) if item.season is not None else "",
        locale.gettext("episode %(number)s", number=number) if number else "",
        locale.gettext("part %(number)s", number=item.part) if item.part else "",
        locale.gettext(item.episode_type) if item.episode_type in ("trailer", "bonus") else item.tag or "",
        locale.gettext("explicit") if item.explicit else "",
        locale.gettext("by %(author)s", author=author)
        if (author := clean_person(item.author)) and item.genre == "post"
        else "",
        _list_people(item, locale),
    )
    return tuple(fact for fact in facts if fact)


def _view_field(provenance: Provenance, locale: Locale) -> _FieldView:
    return _FieldView(
        field=_translate_field(provenance.field, locale),
        source=provenance.source,
        agreeing=locale.join(provenance.agreeing),
        dissent=tuple(
            (each.source, wording.shorten(clean_field(provenance.field, each.value))) for each in provenance.dissent
        ),
        percent=round(provenance.confidence * 100),
    )


def _rank(provenance: Provenance) -> tuple[int, str]:
    name = _name_field(provenance.field)
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _name_field(field: str) -> str:
    """Return a field's everyday name.

    >>> _name_field("enclosure"), _name_field("title")
    ('audio', 'title')
    """
    return _FIELDS.get(field, field.replace("_", " "))


def _translate_field(field: str, locale: Locale) -> str:
    name, _, element = _name_field(field).partition(" ")
    if name == "tags" and element:
        return locale.gettext("tags %(element)s", element=element)
    return locale.gettext(_name_field(field))


def make_anchor(guid: str) -> str:
    """Return the fragment of an item on its page: 48 bits of its guid's hash.

    >>> make_anchor("a")
    'i-ca978112ca1b'
    """
    return "i-" + hashlib.sha256(guid.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def subscription_url(feed: Feed) -> str:
    """Return the URL to subscribe to: podcast.xml if it has items, else feed.xml."""
    playable = any((media := find_media(item)) and media.playable for item in feed.items)
    return f"{feed.channel.base_url}/{'podcast.xml' if playable else 'feed.xml'}"


# The transcript that a person reads most easily stands first (podcast namespace, "transcript").
_TRANSCRIPTS: Final = ("text/html", "text/plain", "text/vtt", "application/x-subrip", "application/srt")
# So many people fit on a line of a phone.
_MOST_PEOPLE: Final = 4


def _find_transcript(item: Item) -> str | None:
    """Return the URL of the most readable transcript; ``None`` if there is none for people."""
    given = [dict(tag.attributes) for tag in item.tags if tag.name == "podcast:transcript"]
    found = {each.get("type", "").lower(): links.clean_url(each.get("url")) for each in reversed(given)}
    return next((found[kind] for kind in _TRANSCRIPTS if found.get(kind)), None)


def _list_people(item: Item, locale: Locale) -> str:
    """Return the people of an item as "with A, B and C"; empty if there are none."""
    named = dict.fromkeys(
        name for tag in item.tags if tag.name == "podcast:person" and (name := clean_person(tag.text)) is not None
    )
    if not named:
        return ""
    shown, more = list(named)[:_MOST_PEOPLE], len(named) - _MOST_PEOPLE
    others = [locale.ngettext("%(count)s more", "%(count)s more", more)] if more > 0 else []
    return locale.gettext("with %(names)s", names=locale.join([*shown, *others]))
