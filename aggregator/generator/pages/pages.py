"""The pages for people: one for each feed, and the one that lists them all.

A page asks no other host for anything until its reader does: audio is loaded when it is played, artwork when it is
opened, and the style and the small script stand in the page itself, allowed by their hashes alone. Text of sources
is shown as plain text, so no markup of a source reaches the page; the template engine escapes every value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from markupsafe import Markup

from aggregator.generator.content import links
from aggregator.generator.pages import picture, subscribe, view, wording
from aggregator.generator.pages.environment import ENVIRONMENT, TEMPLATES
from aggregator.model.feed import Channel, Cover, Feed
from aggregator.model.item import Item

# Items above this number are listed by title and day only: a page of 500 players opens at once, one of 5,000 not.
PLAYERS = 500
FORMATS = (
    ("podcast.xml", "Episodes", "RSS", "application/rss+xml"),
    ("feed.xml", "Everything", "RSS", "application/rss+xml"),
    ("feed.atom", "Everything", "Atom", "application/atom+xml"),
    ("feed.json", "Everything", "JSON Feed", "application/feed+json"),
)

FEED_STYLE = (TEMPLATES / "feed.css").read_bytes()


def render(feed: Feed, *, changes: bool = False) -> bytes:
    """Return the page of one feed, ``index.html``: how to subscribe, its episodes and posts, and their sources.

    ``changes`` says whether the changes page is published beside it, so that it is linked.
    """
    episodes, posts = _by_genre(feed)
    language = feed.channel.language
    url = view.subscription(feed)
    heard, read = ([card(item, language) for item in some[:PLAYERS]] for some in (episodes, posts))
    return page(
        "feed.html.j2",
        feed=feed,
        changes=changes,
        channel=feed.channel,
        url=url,
        playable=url.endswith("/podcast.xml"),
        links=subscribe.links(url, heard=bool(episodes) or not posts),
        formats=FORMATS if episodes or not posts else FORMATS[1:],
        public=subscribe.public(url),
        qr=Markup(picture.qr(url)),  # noqa: S704 - drawn by us, no source's text in it
        tile=tile(feed.channel),
        artwork=links.web(feed.channel.image),
        home=links.web(feed.channel.link),
        listings=[
            ("episodes", "Episodes", "an episode", heard, episodes[PLAYERS:]),
            ("posts", "Posts", "a post", read, posts[PLAYERS:]),
        ],
        counts=wording.listed(
            [wording.count(len(episodes), "episode")] * bool(episodes)
            + [wording.count(len(posts), "post")] * bool(posts)
        )
        or "no items yet",
        text=wording.paragraphs(feed.channel.description or ""),
        sources=[view.source_line(source_result) for source_result in feed.source_results],
    )


def card(item: Item, language: str | None) -> str:
    """One item as the page shows it, in a show of this language; the same of both gives the same text."""
    return Markup(_parts().entry(view.entry(item), language))  # noqa: S704 - the macro escapes every value


@cache
def _parts() -> Any:
    """The macros of the parts of a page, read once."""
    return ENVIRONMENT.get_template("parts.html.j2").module


def _by_genre(feed: Feed) -> tuple[Sequence[Item], Sequence[Item]]:
    """The feed's episodes and its posts."""
    return (
        [item for item in feed.items if item.genre == "episode"],
        [item for item in feed.items if item.genre == "post"],
    )


def index(covers: Sequence[Cover]) -> bytes:
    """The page that lists every feed, sorted by title; links are relative, so it works wherever it is served."""
    ordered = sorted(covers, key=lambda cover: (cover.channel.title.casefold(), cover.channel.name))
    return page("index.html.j2", cards=[(cover, tile(cover.channel), card_facts(cover)) for cover in ordered])


def stylesheet() -> bytes:
    """``feed.css``, which lets a browser show the XML of a feed as a page.

    A feed names it by
    ``<?xml-stylesheet type="text/css" href="../feed.css"?>``; browsers drop XSLT. Chromium applies it
    to files and to ``application/xml`` only, and shows ``application/rss+xml`` as its source (156, November 2026).
    """
    return FEED_STYLE


def card_facts(cover: Cover) -> tuple[str, ...]:
    """What stands under a feed's title in the list: how much there is, and the day of the newest."""
    said = (
        wording.count(cover.episodes, "episode") if cover.episodes else "",
        wording.count(cover.posts, "post") if cover.posts else "",
        f"newest {wording.day(cover.newest)}" if cover.newest else "",
    )
    return tuple(fact for fact in said if fact)


def tile(channel: Channel) -> Markup:
    """The picture that stands for a feed."""
    return Markup(picture.tile(channel.name, channel.title))  # noqa: S704 - its one text is escaped there


def page(template: str, **values: object) -> bytes:
    """Return a template filled in, as UTF-8; raise UndefinedError for a name that was not given."""
    return f"{ENVIRONMENT.get_template(template).render(values)}\n".encode("utf-8", "replace")
