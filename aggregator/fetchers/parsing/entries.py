"""Make keys unique within a listing, make titles for items without one, and limit lengths, for every kind of source."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b, sha256
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from aggregator.model.entry import Enclosure, Entry, Listing, Moment, Show, Tag
from aggregator.text.fold import fold
from aggregator.text.urls import bare_audio
from aggregator.translation.marks import N_

_TAIL = 8  # hex digits; a page would need 65,000 items under one key to expect one collision
_LONGEST_KEY_TITLE = 120  # characters of a folded title; a key is also a line in reports


def make_key(title: str, published: Moment | None = None, enclosure: Enclosure | None = None) -> str:
    """Return the key of an entry without an id: its audio's address, else its folded title and the day if known.

    The day is for shows that repeat titles: without it next week's "Listener mail" would be taken for a change of this
    week's. A title that is long or only punctuation ends in its hash.

    >>> make_key("TORCH_TRACE and tlparse")
    'torch-trace-and-tlparse'
    """
    if enclosure is not None:
        return bare_audio(enclosure.url)
    key = fold(title).replace(" ", "-")
    if not 0 < len(key) <= _LONGEST_KEY_TITLE:
        key = f"{key[:_LONGEST_KEY_TITLE]}~{_digest(title)}"
    return key if published is None or published.precision == "year" else f"{key}@{published.at:%Y-%m-%d}"


def make_keys_unique(entries: Iterable[Entry]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Return the entries under unique keys, equal ones once, with a remark for each key that was repeated.

    Of several under one key the oldest keeps it (by date, else the last listed: listings are newest first), so that
    an entry that comes later changes no key; the others get a hash of their fields. A guid that entries of different
    title and audio share is no identity and is removed from them.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.key, []).append(entry)
    found: list[Entry] = []
    remarks: list[str] = []
    for key, group in groups.items():
        kept = _remove_equal(group)
        found += kept
        if len(group) > 1:
            remarks.append(N_(f"{len(group)} entries under one key, {len(kept)} kept: {key}"))
    return tuple(sorted(found, key=lambda entry: entry.position)), tuple(remarks)


def _remove_equal(group: list[Entry]) -> list[Entry]:
    if len(group) == 1:
        return group
    oldest_first = sorted(group, key=_rank_by_age)
    keeper, taken = oldest_first[0], {_describe(oldest_first[0])}
    kept = [keeper]
    for entry in oldest_first[1:]:
        description = _describe(entry)
        if description in taken:
            continue
        taken.add(description)
        guid = entry.guid if _may_be_one(keeper, entry) else None
        kept.append(replace(entry, key=f"{entry.key}#{_digest(description)}", guid=guid, element=None))
    return kept


def _rank_by_age(entry: Entry) -> tuple[float, int]:
    return (entry.published.at.timestamp() if entry.published else 0.0, -entry.position)


def _describe(entry: Entry) -> str:
    audio = bare_audio(entry.enclosure.url) if entry.enclosure else ""
    when = entry.published.at.isoformat() if entry.published else ""
    return "\n".join((entry.title, entry.link or "", audio, when, entry.show or ""))


def _may_be_one(one: Entry, two: Entry) -> bool:
    if one.enclosure and two.enclosure and bare_audio(one.enclosure.url) == bare_audio(two.enclosure.url):
        return True
    return fold(one.title) == fold(two.title)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_TAIL // 2).hexdigest()


_LONGEST_MADE_TITLE = 80  # characters, the dots included; a line of any list


def make_title(text: str, *addresses: str | None) -> str:
    """Return the first words of the text, else the last part of the first address that has one, else "".

    >>> make_title("", "https://example.org/audio/A%20lift.mp3")
    'A lift.mp3'
    """
    line = " ".join(text.split())
    if line:
        start = line[: _LONGEST_MADE_TITLE - 1]
        return line if len(line) <= _LONGEST_MADE_TITLE else (start.rpartition(" ")[0] or start) + "…"
    parts = (_get_last_part(address) for address in addresses if address)
    return next((part for part in parts if part), "")


def _get_last_part(address: str) -> str:
    parts = urlsplit(address)
    return " ".join(unquote(parts.path.rstrip("/").rpartition("/")[2] or parts.netloc).split())[:_LONGEST_MADE_TITLE]


_ENTRY_TEXTS = {
    "title": 4_000,
    "description": 200_000,
    "html": 200_000,
    "summary": 50_000,
    "author": 4_000,
    "show": 4_000,
}
"""Characters that are taken of each text: of three hours of transcript, all."""

_LONGEST_WORD = 4_000
"""Characters of an address, id or word; longer ones are none. No browser takes 8,000 (``text.urls``)."""

_MOST_WORDS = 200
"""Categories, tags and further ids of one entry, remarks of one listing."""

_EMBEDDED = re.compile(r"\bdata:[^\s\"'<>]{4000,}+")
"""A picture that stands in the text itself: where a text is too long, these go first, so that the words stay."""

_LARGEST_TAG = 50_000
"""Characters of one tag with all that stands in it: 150 chapters with addresses of pages and pictures take 40,000."""

_LARGEST_TAGS = 200_000
"""Characters of all tags of one entry or show; those beyond are left out."""

_ENTRY_WORDS = ("guid", "link", "image", "language", "number")
_SHOW_TEXTS = {"title": 4_000, "description": 200_000, "author": 4_000, "copyright": 4_000}
_SHOW_WORDS = ("link", "image", "language", "feed_url", "new_feed_url", "guid")


def limit_lengths(listing: Listing, known: Collection[str] = ()) -> Listing:
    """Return the listing with long texts cut and long addresses left out, and a remark if there were any.

    Entries of ``known`` elements had their limits when they were read.
    """
    entries = tuple(entry if entry.element in known else _limit_entry(entry) for entry in listing.entries)
    show = _limit_show(listing.show)
    count = sum(new is not old for new, old in zip(entries, listing.entries, strict=True))
    remarks = tuple(remark[:_LONGEST_WORD] for remark in listing.remarks[:_MOST_WORDS])
    if count:
        remarks += (N_(f"{count} entries say more than is taken"),)
    elif show is not listing.show:
        remarks += (N_("the show says more than is taken"),)
    return replace(listing, entries=entries, show=show, remarks=remarks)


def _limit_entry(entry: Entry) -> Entry:
    """Return the same entry if nothing of it is too long."""
    changes = _limit_fields(entry, _ENTRY_TEXTS, _ENTRY_WORDS)
    if len(entry.key) > _LONGEST_WORD:
        changes["key"] = f"{entry.key[:100]}~{sha256(entry.key.encode('utf-8', 'replace')).hexdigest()}"
    if entry.enclosure is not None and len(entry.enclosure.url) > _LONGEST_WORD:
        changes["enclosure"] = None
    if len(entry.ids) > _MOST_WORDS or any(len(value) > _LONGEST_WORD for _, value in entry.ids):
        changes["ids"] = tuple(pair for pair in entry.ids[:_MOST_WORDS] if len(pair[1]) <= _LONGEST_WORD)
    if len(entry.categories) > _MOST_WORDS or any(len(each) > _LONGEST_WORD for each in entry.categories):
        changes["categories"] = tuple(each[:_LONGEST_WORD] for each in entry.categories[:_MOST_WORDS])
    if any(len(str(changes.get(name, ""))) == _ENTRY_TEXTS[name] for name in ("description", "html")):
        changes["cut"] = True
    return replace(entry, **changes, element=None) if changes else entry


def _limit_show(show: Show) -> Show:
    """Return the same show if nothing of it is too long."""
    changes = _limit_fields(show, _SHOW_TEXTS, _SHOW_WORDS)
    if len(show.categories) > _MOST_WORDS or any(
        len(word) > _LONGEST_WORD for each in show.categories for word in each
    ):
        changes["categories"] = tuple(
            tuple(word[:_LONGEST_WORD] for word in each[:_MOST_WORDS]) for each in show.categories[:_MOST_WORDS]
        )
    return replace(show, **changes) if changes else show


def _limit_fields(record: Entry | Show, texts: Mapping[str, int], words: Iterable[str]) -> dict[str, object]:
    """Return the fields that change: texts are cut, long words and tags left out."""
    changes: dict[str, object] = dict.fromkeys(
        name for name in words if len(getattr(record, name) or "") > _LONGEST_WORD
    )
    for name, longest in texts.items():
        if len(text := getattr(record, name) or "") > longest:
            changes[name] = _EMBEDDED.sub("", text)[:longest]
    tags = tuple(_limit_tags(record.tags[:_MOST_WORDS]))
    return changes if tags == record.tags else changes | {"tags": tags}


def _limit_tags(tags: Iterable[Tag]) -> Iterator[Tag]:
    """Yield the tags that are not too large, until there are too many characters."""
    left = _LARGEST_TAGS
    for tag in tags:
        size = _count_characters(tag)
        if size <= min(left, _LARGEST_TAG):
            left -= size
            yield tag


def _count_characters(tag: Tag) -> int:
    attributes = sum(len(name) + len(value) for name, value in tag.attributes)
    return len(tag.name) + len(tag.text or "") + attributes + sum(map(_count_characters, tag.children))
