"""Render the HTML pages: one for each feed, and the list of all feeds.

A page loads nothing from other hosts until its reader asks for it: audio when it is played, artwork when it is opened.
Style and script are in the page, allowed by their hashes. Texts of sources are shown as plain text, and the template
engine escapes every value.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterator, Sequence
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
from aggregator.generator.pages import languages, subscribe, view, wording
from aggregator.generator.pages.languages import LanguageEdition
from aggregator.generator.storage.names import PRIVATE_MARK
from aggregator.model.feed import Channel, Cover, Feed
from aggregator.translation.locale import Locale
from aggregator.translation.marks import N_

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
        "public_url": links.clean_public_url,
        "direction": wording.find_direction,
        "foreign": languages.find_foreign,
        "within": wording.isolate_words,
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
_LISTINGS = (("episodes", N_("Episodes"), N_("Find an episode")), ("posts", N_("Posts"), N_("Find a post")))
_FORMATS = (
    ("podcast.xml", N_("Episodes"), "RSS", "application/rss+xml"),
    ("feed.xml", N_("All items"), "RSS", "application/rss+xml"),
    ("feed.atom", "All items", "Atom", "application/atom+xml"),
    ("feed.json", "All items", "JSON Feed", "application/feed+json"),
)

FEED_STYLESHEET = (_TEMPLATES / "feed.css").read_bytes()
"""``feed.css``, with which a browser shows the XML of a feed as a page (``<?xml-stylesheet type="text/css" …?>``).

Browsers drop XSLT. Chromium applies CSS to files and to ``application/xml`` only, and shows ``application/rss+xml`` as
its source (156, November 2026).
"""


def lay_out_feed_page(feed: Feed, language: str | None = None, *, changes: bool = False) -> Document:
    """Return the page of one feed, ``index.html``: how to subscribe, its episodes and posts, and their sources.

    It is in the main language, or another one in which it is published. ``changes`` says whether the changes page is
    published beside it, so that it is linked.
    """
    episodes, posts = (
        [index for index, item in enumerate(feed.items) if item.genre == genre] for genre in ("episode", "post")
    )
    shown = (episodes[:_MOST_PLAYERS], posts[:_MOST_PLAYERS])
    earlier = [[feed.items[index] for index in indices[_MOST_PLAYERS:]] for indices in (episodes, posts)]
    channel, locale = feed.channel, languages.make_locale(feed.channel, language)
    url, known = view.subscription_url(feed), languages.list_languages(channel)
    written = render_template(
        "feed.html.j2",
        locale,
        languages.list_editions("index.html", known),
        feed=feed,
        feeds=name_index(channel, locale.language),
        changes=languages.name_file("changes.html", locale.language, known) if changes else "",
        channel=channel,
        url=url,
        playable=url.endswith("/podcast.xml"),
        links=subscribe.make_links(url, has_audio=bool(episodes) or not posts),
        formats=_FORMATS if episodes or not posts else _FORMATS[1:],
        public=subscribe.is_public(url),
        qr="" if subscribe.is_loopback(url) else subscribe.make_qr_code(url, locale.gettext("QR code")),
        artwork=links.clean_url(channel.image),
        home=links.clean_url(channel.link),
        listings=[
            (*words, [_CARD] * len(some), more) for words, some, more in zip(_LISTINGS, shown, earlier, strict=True)
        ],
        counts=locale.join(wording.count_items(len(episodes), len(posts), locale)) or locale.gettext("no items yet"),
        text=wording.split_paragraphs(channel.description or ""),
    )
    before, *between = written.split(_CARD.encode())
    cards = zip(chain(*shown), between, strict=True)
    return (before, *(part for card in cards for part in card))


def render_cards(feed: PreparedFeed, indices: Sequence[int], language: str | None = None) -> list[bytes]:
    """Return these items as they stand in the page of their feed."""
    channel = feed.source.channel
    locale = languages.make_locale(channel, language)
    render = _load_macros(locale).entry
    views = (view.view_item(feed.source.items[index], locale) for index in indices)
    return [render(each, channel.language, channel.shows_sources).encode("utf-8", "replace") for each in views]


@cache
def _load_macros(locale: Locale) -> Any:
    return _ENVIRONMENT.get_template("parts.html.j2").make_module(locale.make_words())


def render_index_pages(covers: Sequence[Cover]) -> Iterator[tuple[str, bytes]]:
    """Yield the file and the content of the list of all feeds in each language, sorted by title."""
    ordered = sorted(covers, key=lambda cover: (cover.channel.title.casefold(), cover.channel.name))
    editions = languages.list_editions("index.html", languages.list_index_languages(covers))
    for each in editions:
        cards = [_make_card(cover, each.language) for cover in ordered]
        yield each.file, render_template("index.html.j2", Locale(each.language), editions, cards=cards)


def _make_card(cover: Cover, language: str) -> tuple[Cover, str, list[str]]:
    """Return a feed in the list: its page, and the facts under its title: counts, and the day of the newest item."""
    locale = languages.make_locale(cover.channel, language)
    facts = wording.count_items(cover.episodes, cover.posts, locale)
    if cover.newest:
        facts.append(locale.gettext("newest %(day)s", day=locale.format_day(cover.newest)))
    page = languages.name_file("index.html", language, languages.list_languages(cover.channel))
    return cover, page, facts


def name_index(channel: Channel, language: str) -> str:
    """Return the file of the list of all feeds to which the pages of a feed link."""
    return languages.name_file("index.html", language, channel.languages)


def render_template(template: str, locale: Locale, editions: Sequence[LanguageEdition], **values: object) -> bytes:
    """Return a template filled in, as UTF-8; raise UndefinedError for a name that was not given."""
    given = {**locale.make_words(), "editions": editions if len(editions) > 1 else (), **values}
    return f"{_ENVIRONMENT.get_template(template).render(given)}\n".encode("utf-8", "replace")
