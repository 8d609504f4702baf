"""The show's own elements in RSS: itunes and podcast namespace, and what an item says of where it came from."""

from __future__ import annotations

from aggregator.generator.content.feed_channel import FeedChannel
from aggregator.generator.content.feed_item import FeedItem
from aggregator.generator.content.podcast_tags import Row, rows
from aggregator.model.entry import Tag


def rows_of(head: FeedChannel) -> tuple[Row, ...]:
    """The channel's rows after feedgen's own elements, in the order in which directories document them."""
    plain: tuple[tuple[str, str | None], ...] = (
        ("itunes:author", head.author),
        ("itunes:explicit", "true" if head.explicit else "false"),
        ("itunes:type", head.type),
        ("itunes:complete", "Yes" if head.complete else None),
        ("itunes:block", "Yes" if head.block else None),
        ("itunes:new-feed-url", head.new_feed_url),
    )
    spoken: tuple[Row, ...] = tuple((name, value, {}, ()) for name, value in plain if value)
    return spoken + _picture(head) + _owner(head) + _categories(head) + rows(_tags(head), "channel")


def origin(said: FeedItem, head: FeedChannel) -> tuple[str, str] | None:
    """The source that the item is credited to, by name and address; ``None`` where it has no address to give."""
    return next((known for known in head.origins if known[0] == said.origin), None)


def _picture(head: FeedChannel) -> tuple[Row, ...]:
    return (("itunes:image", None, {"href": head.image}, ()),) if head.image else ()


def _owner(head: FeedChannel) -> tuple[Row, ...]:
    """Only the address that the config gives: a source's owner never agreed to be written to about this feed."""
    if not head.owner_email:
        return ()
    name: Row = ("itunes:name", head.author or head.title, {}, ())
    return (("itunes:owner", None, {}, (name, ("itunes:email", head.owner_email, {}, ()))),)


def _categories(head: FeedChannel) -> tuple[Row, ...]:
    """Each top category once, its subcategories within it."""
    tops: dict[str, list[str]] = {}
    for top, *subs in head.categories:
        tops.setdefault(top, []).extend(subs)
    return tuple(
        ("itunes:category", None, {"text": top}, tuple(("itunes:category", None, {"text": sub}, ()) for sub in subs))
        for top, subs in tops.items()
    )


def _tags(head: FeedChannel) -> tuple[Tag, ...]:
    """Our own elements first: of those that may stand once, a source's copy then has no place left."""
    owner = (("owner", head.owner_email),) if head.owner_email else ()
    own = [
        Tag("podcast:guid", head.guid),
        Tag("podcast:locked", "yes" if head.locked else "no", owner),
        Tag("podcast:medium", head.medium),
    ]
    if head.block:
        own.append(Tag("podcast:block", "yes"))
    if head.license:
        text, address = head.license
        own.append(Tag("podcast:license", text, (("url", address),) if address else ()))
    return (*own, *head.tags)
