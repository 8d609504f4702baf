"""JSON Feed 1 and 1.1 (jsonfeed.org/version/1.1): items with HTML or plain text, and attachments for podcasts."""

from __future__ import annotations

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import decoding, enclosures, json_fields
from aggregator.fetchers.parsing.decoding import decode
from aggregator.fetchers.parsing.entries import make_title, make_title_key
from aggregator.fetchers.parsing.json_fields import Record
from aggregator.model.entry import Duration, Entry, Listing, Moment, Show
from aggregator.model.source import Document
from aggregator.text import dates, durations
from aggregator.text.html import to_text
from aggregator.text.urls import audio_id

VERSION = "jsonfeed.org/version/1"
_SECONDS = "duration_in_seconds"


def read(document: Document) -> Listing:
    """Return the items in the feed's order; ReadError if the document is no JSON Feed."""
    feed = json_fields.get_record(decoding.load_json(decode(document)))
    if VERSION not in (json_fields.get_text(feed, "version") or ""):
        raise decoding.unexpected_type(document, "a JSON Feed")
    if not isinstance(feed.get("items"), list):
        raise ReadError(f"{document.source.name}: the JSON Feed has no list of items")
    items = json_fields.get_records(feed, "items")
    found = [_entry(document.source.name, item, at) for at, item in enumerate(items)]
    empty = found.count(None)
    return Listing(
        entries=tuple(entry for entry in found if entry),
        show=_show(feed),
        partial=document.partial or json_fields.get_text(feed, "next_url") is not None,
        remarks=(f"{empty} items say nothing and are left out",) if empty else (),
    )


def _entry(name: str, item: Record, position: int) -> Entry | None:
    """Return one item; ``None`` without title, text, file and address."""
    file = enclosures.choose(
        enclosures.Offer(
            one.get("url"), one.get("mime_type"), one.get("size_in_bytes"), json_fields.get_number(one, _SECONDS)
        )
        for one in json_fields.get_records(item, "attachments")
    )
    length = durations.parse(str(file[1].duration or "")) if file else None
    markup, plain = json_fields.get_text(item, "content_html"), json_fields.get_text(item, "content_text")
    guid, link = json_fields.get_id(item, "id"), enclosures.clean_url(json_fields.get_text(item, "url", "external_url"))
    text = plain or (to_text(markup) if markup else None) or json_fields.get_text(item, "summary") or ""
    title = json_fields.get_text(item, "title") or make_title(text, file[0].url if file else None, link)
    if not title:
        return None
    published = _moment(item, "date_published") or _moment(item, "date_modified")
    host = audio_id(file[0].url) if file else None
    return Entry(
        source=name, key=guid or link or make_title_key(title, published), title=title, position=position, guid=guid,
        link=link,
        genre="episode" if file else "post", ids=(("simplecast", host),) if host else (),
        html=markup, description=None if markup else plain, summary=_summary(item, plain),
        published=published, updated=_moment(item, "date_modified"), duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None,
        image=enclosures.clean_url(json_fields.get_text(item, "image", "banner_image")),
        author=_author(item),
        language=json_fields.get_text(item, "language"), categories=json_fields.get_texts(item.get("tags")),
    )  # fmt: skip


def _summary(item: Record, plain: str | None) -> str | None:
    summary = json_fields.get_text(item, "summary")
    return summary if summary and summary != plain else None


def _moment(item: Record, name: str) -> Moment | None:
    parsed = dates.parse(json_fields.get_text(item, name) or "")
    return Moment(*parsed) if parsed else None


def _author(said: Record) -> str | None:
    """Return the names of the authors, or that of version 1's single author."""
    names = json_fields.get_texts(said.get("authors")) or json_fields.get_texts([said.get("author")])
    return ", ".join(names) or None


def _show(feed: Record) -> Show:
    return Show(
        title=json_fields.get_text(feed, "title") or "",
        link=enclosures.clean_url(feed.get("home_page_url")),
        description=json_fields.get_text(feed, "description"),
        author=_author(feed),
        image=enclosures.clean_url(json_fields.get_text(feed, "icon")),
        language=json_fields.get_text(feed, "language"),
        complete=feed.get("expired") is True,
        feed_url=enclosures.clean_url(feed.get("feed_url")),
    )
