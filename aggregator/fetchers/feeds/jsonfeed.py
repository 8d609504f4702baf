"""JSON Feed 1 and 1.1 (jsonfeed.org/version/1.1): items with HTML or plain text, and attachments for podcasts."""

from __future__ import annotations

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import decoding, enclosures
from aggregator.fetchers.parsing.entries import make_key, make_title
from aggregator.fetchers.parsing.json_fields import JsonObject
from aggregator.model.entry import Entry, Listing, Show
from aggregator.model.source import Document
from aggregator.text.html import to_text
from aggregator.text.times import dates, durations
from aggregator.text.times.lines import Dating, learn_dating
from aggregator.translation.marks import N_

_VERSION = "jsonfeed.org/version/1"


def read(document: Document) -> Listing:
    """Return the items in the feed's order; ReadError if the document is no JSON Feed."""
    value, mistake = decoding.load_document(document)
    feed = JsonObject(value)
    if _VERSION not in (feed.text("version") or ""):
        raise decoding.unexpected_type(document, N_("a JSON Feed"))
    listed = feed.get("items")
    if isinstance(listed, dict):  # as PHP writes a list from which one was removed
        listed = list(listed.values())
    if not isinstance(listed, list):
        raise ReadError(f"{document.source.name}: the JSON Feed has no list of items")
    items = [JsonObject(each) for each in listed if isinstance(each, dict)]
    base = enclosures.find_base(document)
    texts = (item.text(name) for item in items for name in ("date_published", "date_modified"))
    dating = learn_dating(texts, language=feed.text("language"))
    found = [_make_entry(document.source.name, base, item, at, dating) for at, item in enumerate(items)]
    count = found.count(None)
    next_url = enclosures.resolve_url(enclosures.find_base(document), feed.get("next_url"))
    return Listing(
        entries=tuple(entry for entry in found if entry),
        show=_make_show(base, feed),
        partial=document.partial or next_url is not None,
        remarks=(
            *([N_(f"not well-formed: {mistake}")] if mistake else ()),
            *([N_(f"{count} items say nothing and are left out")] if count else ()),
        ),
        next_url=next_url,
        hub=next((each.text("url") for each in feed.objects("hubs") if each.text("type") == "WebSub"), None),
    )


def _make_entry(name: str, base: str, item: JsonObject, position: int, dating: Dating) -> Entry | None:
    """Return one item; ``None`` without title, text, file and address."""
    attached = (
        enclosures.Offer(
            enclosures.resolve_url(base, one.get("url")),
            one.get("mime_type"),
            one.get("size_in_bytes"),
            one.number("duration_in_seconds"),
            enclosed=True,
        )
        for one in item.objects("attachments")
    )
    file = enclosures.choose(*attached)
    markup, plain = item.text("content_html"), item.text("content_text")
    guid, link = item.id("id"), enclosures.resolve_url(base, item.text("url", "external_url"))
    text = plain or (to_text(markup) if markup else None) or item.text("summary") or ""
    title = item.text("title") or make_title(text, file.enclosure.url if file.enclosure else None, link)
    if not title:
        return None
    published, updated = (
        dates.parse(item.text(name), day_first=dating.day_first, language=dating.language)
        for name in ("date_published", "date_modified")
    )
    published = published or updated
    summary = item.text("summary")
    return Entry(
        source=name, key=guid or link or make_key(title, published), title=title, position=position, guid=guid,
        link=link,
        genre="episode" if file.enclosure else "post", ids=file.ids,
        html=markup and enclosures.resolve_markup(link or base, markup),
        description=None if markup else plain, summary=summary if summary != plain else None,
        published=published, updated=updated, duration=durations.parse(file.duration),
        enclosure=file.enclosure,
        image=enclosures.resolve_url(base, item.text("image", "banner_image")),
        author=_find_author(item),
        language=item.text("language"), categories=item.texts("tags"),
    )  # fmt: skip


def _find_author(fields: JsonObject) -> str | None:
    """Return the names of the authors, or that of version 1's single author."""
    return ", ".join(fields.texts("authors")) or fields.inner("author").text("name") or fields.text("author")


def _make_show(base: str, feed: JsonObject) -> Show:
    return Show(
        title=feed.text("title") or "",
        link=enclosures.resolve_url(base, feed.get("home_page_url")),
        description=feed.text("description"),
        author=_find_author(feed),
        image=enclosures.resolve_url(base, feed.text("icon")),
        language=feed.text("language"),
        complete=feed.get("expired") is True,
        feed_url=enclosures.clean_url(feed.get("feed_url")),
    )
