"""The pages for people: one for each feed, and the one that lists them all.

A page asks no other host for anything until its reader does: audio is loaded when it is played, artwork when it is
opened, and the style and the small script stand in the page itself, allowed by their hashes alone. Text of sources
is shown as plain text, so no markup of a source reaches the page; the template engine escapes every value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from markupsafe import Markup

from aggregator.generator.pages import picture, subscribe, view, wording
from aggregator.generator.pages.environment import ENVIRONMENT, TEMPLATES
from aggregator.model.feed import Channel, Cover, Feed
from aggregator.model.item import Item

# Items above this number are listed by title and day only: a page of 500 players opens at once, one of 5,000 not.
PLAYERS = 500
BUFFERED = 1_000  # what the template engine gives at once: 100 kB of lines
FORMATS = (
    ("podcast.xml", "Episodes", "RSS", "application/rss+xml"),
    ("feed.xml", "Everything", "RSS", "application/rss+xml"),
    ("feed.atom", "Everything", "Atom", "application/atom+xml"),
    ("feed.json", "Everything", "JSON Feed", "application/feed+json"),
)

FEED_STYLE = (TEMPLATES / "feed.css").read_bytes()


def render(feed: Feed, *, changes: bool = False, cards: Iterable[str] | None = None) -> bytes:
    """The page of one feed, ``index.html``: how to subscribe, its episodes and posts, and where each came from.

    ``changes`` says whether the changes page is published beside it, so that it is linked. ``cards`` are those of the
    items that are ``shown``, episodes first, where the caller has them.
    """
    return b"".join(stream(feed, changes=changes, cards=cards))


def stream(feed: Feed, *, changes: bool = False, cards: Iterable[str] | None = None) -> Iterator[bytes]:
    """The same page in pieces: the lines of a long feed are never held together."""
    episodes, posts = _by_genre(feed)
    language = feed.channel.language
    made = (card(item, language) for some in shown(feed) for item in some) if cards is None else map(Markup, cards)
    url = view.subscription(feed)
    heard, read = list(islice(made, len(episodes[:PLAYERS]))), list(made)  # to its end, where they are kept
    return pieces(
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
        artwork=view.web(feed.channel.image),
        home=view.web(feed.channel.link),
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
        voices=[view.voice(hearing) for hearing in feed.hearings],
    )


def shown(feed: Feed) -> tuple[Sequence[Item], Sequence[Item]]:
    """The episodes and the posts that the page shows as cards; all others are lines."""
    episodes, posts = _by_genre(feed)
    return episodes[:PLAYERS], posts[:PLAYERS]


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
    """One template filled in, as UTF-8; a name that the template asks for and nobody gave is a defect."""
    return b"".join(pieces(template, **values))


def pieces(template: str, **values: object) -> Iterator[bytes]:
    """The same, some lines at a time."""
    filled = ENVIRONMENT.get_template(template).stream(values)
    filled.enable_buffering(BUFFERED)
    for piece in filled:
        yield piece.encode("utf-8", "replace")
    yield b"\n"
