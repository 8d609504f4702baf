"""Render the HTML pages: one for each feed, and the list of all feeds.

A page loads nothing from other hosts until its reader asks for it: audio when it is played, artwork when it is opened.
Style and script are in the page, allowed by their hashes. Texts of sources are shown as plain text, and the template
engine escapes every value.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import chain
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from aggregator.generator.content import links
from aggregator.generator.content.prepared import PreparedFeed
from aggregator.generator.content.sanitize import clean_person
from aggregator.generator.kept import Document
from aggregator.generator.pages import subscribe, view, wording
from aggregator.generator.storage.names import PRIVATE_MARK
from aggregator.model.feed import Cover, Feed
from aggregator.text.times.zones import format_time

_TEMPLATES = resources.files("aggregator.generator.pages") / "templates"
_STYLE = (_TEMPLATES / "page.css").read_text(encoding="utf-8").strip()
_SCRIPT = (_TEMPLATES / "page.js").read_text(encoding="utf-8").strip()


def _make_environment() -> Environment:
    """Make the template engine: values are escaped, and an undefined name is an error."""
    made = Environment(
        loader=PackageLoader("aggregator.generator.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "line": view.view_line,
        "person": clean_person,
        "tile": subscribe.draw_tile,
        "count": wording.format_count,
        "public_url": links.clean_public_url,
        "direction": wording.find_direction,
        "within": wording.isolate_english,
    }
    made.globals.update(
        style=Markup(_STYLE),  # noqa: S704 - a file of this package
        script=Markup(_SCRIPT),  # noqa: S704 - a file of this package
        style_hash=_make_csp_hash(_STYLE),
        script_hash=_make_csp_hash(_SCRIPT),
        private_mark=PRIVATE_MARK,
    )
    return made


def _make_csp_hash(text: str) -> str:
    """Return the CSP source that allows this inline style or script (CSP level 3, section 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_ENVIRONMENT = _make_environment()


def compile_templates() -> None:
    """Compile the templates now, so that forks of this process need not do it."""
    for name in _ENVIRONMENT.list_templates(extensions=["j2"]):
        _ENVIRONMENT.get_template(name)


# Items above this number are listed by title and day only: a page of 500 players opens at once, one of 5,000 not.
_MOST_PLAYERS = 500
_CARD = Markup(f"<!--{secrets.token_hex(16)}-->")  # noqa: S704 - stands for an item until the page is laid out
_FORMATS = (
    ("podcast.xml", "Episodes", "RSS", "application/rss+xml"),
    ("feed.xml", "All items", "RSS", "application/rss+xml"),
    ("feed.atom", "All items", "Atom", "application/atom+xml"),
    ("feed.json", "All items", "JSON Feed", "application/feed+json"),
)

FEED_STYLESHEET = (_TEMPLATES / "feed.css").read_bytes()
"""``feed.css``, with which a browser shows the XML of a feed as a page (``<?xml-stylesheet type="text/css" …?>``).

Browsers drop XSLT. Chromium applies CSS to files and to ``application/xml`` only, and shows ``application/rss+xml`` as
its source (156, November 2026).
"""


def lay_out_feed_page(feed: Feed, *, changes: bool = False) -> Document:
    """Return the page of one feed, ``index.html``: how to subscribe, its episodes and posts, and their sources.

    ``changes`` says whether the changes page is published beside it, so that it is linked.
    """
    episodes, posts = (
        [index for index, item in enumerate(feed.items) if item.genre == genre] for genre in ("episode", "post")
    )
    shown = (episodes[:_MOST_PLAYERS], posts[:_MOST_PLAYERS])
    earlier = [[feed.items[index] for index in indices[_MOST_PLAYERS:]] for indices in (episodes, posts)]
    channel = feed.channel
    url = view.subscription_url(feed)
    written = render_template(
        "feed.html.j2",
        feed=feed,
        changes=changes,
        channel=channel,
        url=url,
        playable=url.endswith("/podcast.xml"),
        links=subscribe.make_links(url, has_audio=bool(episodes) or not posts),
        formats=_FORMATS if episodes or not posts else _FORMATS[1:],
        public=subscribe.is_public(url),
        qr="" if subscribe.is_loopback(url) else subscribe.make_qr_code(url),
        artwork=links.clean_url(channel.image),
        home=links.clean_url(channel.link),
        listings=[
            ("episodes", "Episodes", "an episode", [_CARD] * len(shown[0]), earlier[0]),
            ("posts", "Posts", "a post", [_CARD] * len(shown[1]), earlier[1]),
        ],
        counts=wording.join_names(
            [wording.format_count(len(episodes), "episode")] * bool(episodes)
            + [wording.format_count(len(posts), "post")] * bool(posts)
        )
        or "no items yet",
        text=wording.split_paragraphs(channel.description or ""),
        updated=format_time(feed.updated, channel.timezone),
    )
    before, *between = written.split(_CARD.encode())
    cards = zip(chain(*shown), between, strict=True)
    return (before, *(part for card in cards for part in card))


def render_cards(feed: PreparedFeed, indices: Sequence[int]) -> list[bytes]:
    """Return these items as they stand in the page of their feed."""
    render, channel = _load_macros().entry, feed.source.channel
    views = (view.view_item(feed.source.items[index], channel.timezone) for index in indices)
    return [render(each, channel.language, channel.shows_sources).encode("utf-8", "replace") for each in views]


@cache
def _load_macros() -> Any:
    return _ENVIRONMENT.get_template("parts.html.j2").module


def render_index_page(covers: Sequence[Cover]) -> bytes:
    """Render the list of all feeds, sorted by title, with relative links."""
    ordered = sorted(covers, key=lambda cover: (cover.channel.title.casefold(), cover.channel.name))
    return render_template("index.html.j2", cards=[(cover, _list_facts(cover)) for cover in ordered])


def _list_facts(cover: Cover) -> tuple[str, ...]:
    """Return the facts under a feed's title in the list: counts, and the day of the newest item."""
    facts = (
        wording.format_count(cover.episodes, "episode") if cover.episodes else "",
        wording.format_count(cover.posts, "post") if cover.posts else "",
        f"newest {wording.format_day(cover.newest, cover.channel.timezone)}" if cover.newest else "",
    )
    return tuple(filter(None, facts))


def render_template(template: str, **values: object) -> bytes:
    """Return a template filled in, as UTF-8; raise UndefinedError for a name that was not given."""
    return f"{_ENVIRONMENT.get_template(template).render(values)}\n".encode("utf-8", "replace")
