"""Pages in shapes that were made after the rules, for an honest figure: 8 of 17 were read right at first."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from evaluation.proposals.pages import Made, Page, format_clock, format_day, make_entries, wrap


class _Shape(NamedTuple):
    """How each entry is written, what stands round them, and what is known of an entry."""

    name: str
    languages: tuple[str, ...]
    write: Callable[[int, Made, str], str]
    around: str = "{}"
    audio: bool = True
    seconds: bool = True
    rounded: bool = False
    link: bool = True


def _write_block(number: int, one: Made, _: str) -> str:
    return (
        '<div class="episode-block clearfix"><div class="row"><div class="col-md-2"><img src="/x.png"></div>'
        f'<div class="col-md-10"><p class="episode-number">#{60 - number}</p><h5 class="mb-0"><a href="{one.link}">'
        f'{one.title}</a></h5><div class="text-muted small">{one.at:%b} {one.at.day}, {one.at.year} &bull; '
        f'{(one.seconds or 0) // 60} minutes</div><div class="episode-description">{one.text}</div>'
        f'<button data-url="{one.audio}">Play</button></div></div></div>'
    )


def _write_dated_post(_number: int, one: Made, language: str) -> str:
    day = format_day(one.at, language, "{day} {month} {year}")
    return (
        f'<div class="date-outer"><h2 class="date-header"><span>{day}</span></h2><div class="post-outer">'
        f'<h3 class="post-title entry-title"><a href="{one.link}">{one.title}</a></h3><div class="post-body">{one.text}'
        '</div><div class="post-footer">0 comments</div></div></div>'
    )


def _write_utilities(_number: int, one: Made, _: str) -> str:
    return (
        f'<li class="flex py-4 md:gap-2"><span class="font-bold text-lg">{one.title}</span>'
        f'<span class="text-sm text-gray-500">{one.at:%Y-%m-%d}</span><span class="text-sm text-gray-500">'
        f'{format_clock(one.seconds)}</span><a class="btn" href="{one.audio}">Download</a>'
        f'<a class="btn" href="{one.link}">Notes</a></li>'
    )


def _write_teaser(_number: int, one: Made, _: str) -> str:
    return (
        f'<div class="blog-roll-item"><div class="thumb"><a href="{one.link}"><img alt="" src="/i.jpg"></a></div>'
        f'<div class="info"><span class="cat"><a href="/c/talk">Talk</a></span><div class="ttl"><a href="{one.link}">'
        f'{one.title}</a></div><span class="byline">Ann | {one.at:%d/%m/%Y}</span></div></div>'
    )


def _write_article(_number: int, one: Made, language: str) -> str:
    day = format_day(one.at, language, "{day} {month} {year}")
    return (
        f'<article class="ep"><header><time>{day}</time><h3>{one.title}</h3></header><p>{one.text}</p><footer>'
        f'<a href="{one.audio}" download>MP3</a> <span>{format_clock(one.seconds)}</span> <a href="{one.link}">…</a>'
        "</footer></article>"
    )


def _write_stripe(number: int, one: Made, language: str) -> str:
    day = format_day(one.at, language, "{day}. {month} {year}")
    return (
        f'<tr class="{"odd" if number % 2 else "even"}"><td class="nr">{60 - number}</td><td class="name">{one.title}'
        f'</td><td class="laenge">{(one.seconds or 0) // 60} Min.</td><td class="wann">{day}</td>'
        f'<td><audio controls src="{one.audio}"></audio></td></tr>'
    )


def _write_short_year(_number: int, one: Made, _: str) -> str:
    return (
        f'<div class="item"><a href="{one.link}" class="item__link"><span class="item__date">{one.at:%d.%m.%y}</span>'
        f'<span class="item__text"><em>{one.title}</em></span></a></div>'
    )


def _write_paragraph(_number: int, one: Made, _: str) -> str:
    return f'<p><a href="{one.audio}">{one.title}</a> ({one.at:%d.%m.%Y})</p>'


def _write_definition(_number: int, one: Made, _: str) -> str:
    return f'<dt><a href="{one.link}">{one.title}</a></dt><dd>{one.at:%Y-%m-%d}</dd>'


def _write_two_numbers(_number: int, one: Made, _: str) -> str:
    return (
        f'<li class="ep"><b><a href="{one.link}">{one.title}</a></b><i>{one.at:%d/%m}</i>'
        f"<span>{(one.seconds or 0) // 60} min</span></li>"
    )


def _write_without_year(_number: int, one: Made, language: str) -> str:
    day = f"{one.at.month}月{one.at.day}日" if language == "ja" else format_day(one.at, language, "{day}. {month}")
    return (
        f'<div class="folge"><a class="titel" href="{one.link}">{one.title}</a><span class="meta">{day} · '
        f"{(one.seconds or 0) // 60} min</span></div>"
    )


_SHAPES = (
    _Shape("blocks of a framework", ("en", "sv"), _write_block, '<div class="container">{}</div>', rounded=True),
    _Shape("dates above posts", ("es", "fr"), _write_dated_post, audio=False, seconds=False),
    _Shape("classes that say how it looks", ("it", "ja"), _write_utilities, '<ul class="divide-y">{}</ul>'),
    _Shape("links to files in paragraphs", ("pl",), _write_paragraph, seconds=False, link=False),
    _Shape("a category before the title", ("fr", "ar"), _write_teaser, audio=False, seconds=False),
    _Shape("articles with head and foot", ("ru", "nl"), _write_article),
    _Shape("a list of definitions", ("sv",), _write_definition, "<dl>{}</dl>", audio=False, seconds=False),
    _Shape(
        "a table in stripes", ("de",), _write_stripe,
        '<table class="folgen"><thead><tr><th>#</th></tr></thead><tbody>{}</tbody></table>', rounded=True, link=False,
    ),
    _Shape(
        "days without a year", ("de", "fr", "ru", "pl", "ja"), _write_without_year, audio=False, rounded=True,
    ),
    _Shape(
        "two numbers without a year", ("it", "pt"), _write_two_numbers, "<ul>{}</ul>", audio=False, rounded=True,
    ),
    _Shape("years of two digits", ("de",), _write_short_year, audio=False, seconds=False),
)  # fmt: skip


def _make_page(shape: _Shape, language: str) -> Page:
    found = make_entries(language, audio=shape.audio, seconds=shape.seconds)
    rows = "".join(shape.write(number, one, language) for number, one in enumerate(found))
    wanted = (one if shape.link else one._replace(link="") for one in found)
    rounded = (one._replace(seconds=(one.seconds or 0) // 60 * 60) if shape.rounded else one for one in wanted)
    return Page(shape.name, language, wrap(language, shape.around.format(rows)), tuple(rounded))


def _make_ordered_list() -> Page:
    found = make_entries("pt")
    items = [
        {
            "@type": "ListItem", "position": number,
            "item": {
                "@type": "PodcastEpisode", "name": one.title, "datePublished": one.at.isoformat(), "url": one.link,
                "audio": {"@type": "AudioObject", "contentUrl": one.audio, "duration": f"PT{one.seconds}S"},
            },
        }
        for number, one in enumerate(found)
    ]  # fmt: skip
    value = {"@context": "https://schema.org", "@type": "ItemList", "itemListElement": items}
    script = f'<script type="application/ld+json">{json.dumps(value)}</script>'
    return Page("JSON-LD, an ordered list", "pt", wrap("pt", "<div></div>", script), found)


def _make_bare_list() -> Page:
    found = make_entries("nl")
    rows = [
        {
            "episode_title": one.title, "pub_date": f"{one.at:%a, %d %b %Y %H:%M:%S} GMT", "page": one.link,
            "enclosure": {"url": one.audio, "length": 123456}, "itunes_duration": format_clock(one.seconds),
        }
        for one in found
    ]  # fmt: skip
    return Page("an API with a bare list", "nl", json.dumps(rows), found)


def _make_objects_by_id() -> Page:
    found = make_entries("en")
    by_id = {
        f"e{number}": {
            "name": one.title, "releasedAt": int(one.at.timestamp()), "stream": {"url": one.audio},
            "seconds": one.seconds, "permalink": one.link,
        }
        for number, one in enumerate(found)
    }  # fmt: skip
    state = json.dumps({"state": {"entities": {"byId": by_id}}})
    body = f'<div id="root"></div><script type="application/json">{state}</script>'
    return Page("data of the site's program, by ids", "en", wrap("en", body), found)


def make_later_pages() -> tuple[Page, ...]:
    """Return every shape in its languages."""
    pages = (_make_page(shape, language) for shape in _SHAPES for language in shape.languages)
    return (*pages, _make_ordered_list(), _make_bare_list(), _make_objects_by_id())
