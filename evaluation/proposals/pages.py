"""Pages of made-up shows in the shapes in which real sites list their entries, with what is to be read of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

POLLED = datetime(2024, 6, 28, tzinfo=UTC)
BASE = "https://site.example/"
TITLES: Mapping[str, tuple[str, ...]] = {
    "en": ("How lifts stop", "The night ferry", "A pound of salt", "Ropes and knots", "Maps of nowhere", "Cold tea"),
    "de": (
        "Wie Aufzüge halten",
        "Die Nachtfähre",
        "Ein Pfund Salz",
        "Seile, Knoten",
        "Karten von nirgendwo",
        "Kalter Tee",
    ),
    "fr": ("L'ascenseur s'arrête", "Le ferry de nuit", "Une livre de sel", "Cordes et nœuds", "Cartes", "Thé froid"),
    "es": ("Cómo paran", "El ferry nocturno", "Una libra de sal", "Cuerdas y nudos", "Mapas de nada", "Té frío"),
    "it": ("L'ascensore", "Il traghetto di notte", "Un chilo di sale", "Corde e nodi", "Mappe del nulla", "Tè freddo"),
    "pt": ("O elevador", "A balsa noturna", "Um quilo de sal", "Cordas e nós", "Mapas do nada", "Chá frio"),
    "nl": ("Hoe liften stoppen", "De nachtboot", "Een pond zout", "Touwen en knopen", "Kaarten", "Koude thee"),
    "sv": ("Hur hissar stannar", "Nattfärjan", "Ett kilo salt", "Rep och knopar", "Kartor", "Kallt te"),
    "ja": ("エレベーターの話", "夜のフェリー", "塩の話", "縄と結び目", "どこにもない地図", "冷たいお茶"),
    "ru": ("Как стоят лифты", "Ночной паром", "Фунт соли", "Верёвки и узлы", "Карты ниоткуда", "Холодный чай"),
    "ar": ("كيف تتوقف المصاعد", "العبارة الليلية", "رطل من الملح", "حبال وعقد", "خرائط", "شاي بارد"),
    "pl": ("Jak stają windy", "Nocny prom", "Funt soli", "Liny i węzły", "Mapy znikąd", "Zimna herbata"),
}
MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
}


class Made(NamedTuple):
    """One entry of a page; ``seconds`` and ``audio`` are ``None`` where the page does not give them."""

    title: str
    at: datetime
    seconds: int | None
    audio: str | None
    text: str
    link: str


class Page(NamedTuple):
    """One page, its shape in some words, and what is to be read of it."""

    shape: str
    language: str
    body: str
    entries: tuple[Made, ...]


def make_entries(language: str, *, audio: bool = True, seconds: bool = True) -> tuple[Made, ...]:
    """Return the entries of a show, newest first, a fortnight apart."""
    found = []
    for number, title in enumerate(TITLES[language]):
        at = datetime(2024, 6, 25, 8, 30, tzinfo=UTC) - timedelta(days=13 * number)
        text = f"{title}: {' '.join(TITLES[language])}. " * 2
        file = f"{BASE}audio/{60 - number}.mp3" if audio else None
        found.append(Made(title, at, 1500 + 61 * number if seconds else None, file, text, f"{BASE}e/{60 - number}"))
    return tuple(found)


def wrap(language: str, body: str, head: str = "") -> str:
    """Return a page with what stands round a list on real sites: menus, newest posts, links in the foot."""
    menu = "".join(
        f'<li><a href="/m{n}">{word}</a></li>' for n, word in enumerate(("Home", "About", "Shop", "Team", "RSS?"))
    )
    recent = "".join(f'<li><a href="{one.link}">{one.title}</a></li>' for one in make_entries(language)[:4])
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>A show</title>{head}</head><body>'
        f'<header><nav><ul class="menu">{menu}</ul></nav><h1>A show</h1></header><main>{body}</main>'
        f'<div class="widget"><h3>Recent</h3><ul class="recent">{recent}</ul></div>'
        '<div class="partners"><div><a href="/p1">One</a></div><div><a href="/p2">Two</a></div>'
        f'<div><a href="/p3">Three</a></div></div><footer><ul>{menu}</ul><p>© 2019–2024</p></footer></body></html>'
    )


def format_clock(seconds: int | None) -> str:
    """Return minutes and seconds with a colon."""
    minutes, rest = divmod(seconds or 0, 60)
    return f"{minutes}:{rest:02}"


def format_day(at: datetime, language: str, form: str) -> str:
    """Return a date in words; ``form`` has places for day, month and year."""
    return form.format(day=at.day, month=MONTHS[language].split()[at.month - 1], year=at.year)


def _articles(language: str) -> Page:
    found = make_entries(language, audio=False, seconds=False)
    rows = (
        f'<article><h2><a href="{one.link}">{one.title}</a></h2><time datetime="{one.at.isoformat()}">then</time>'
        f"<p>{one.text}</p><a href='{one.link}#more'>More</a></article>"
        for one in found
    )
    return Page("articles with headings", language, wrap(language, "".join(rows)), found)


def _plain_list(language: str) -> Page:
    found = make_entries(language, audio=False, seconds=False)
    form = "{day}. {month} {year}" if language == "de" else "{day} {month} {year}"
    rows = (
        f'<li><a href="{one.link}">{one.title}</a> <span class="when">{format_day(one.at, language, form)}</span></li>'
        for one in found
    )
    return Page(
        "a list of links with dates", language, wrap(language, f'<ul class="archive">{"".join(rows)}</ul>'), found
    )


def _cards(language: str) -> Page:
    found = make_entries(language)
    rows = (
        f'<div class="Card_root__x3Fz1"><img src="/i.png"><h3 class="Card_title__a9">{one.title}</h3>'
        f'<span class="Card_meta__k2">{one.at:%B} {one.at.day}, {one.at.year} · {(one.seconds or 0) // 60} min</span>'
        f'<p>{one.text}</p><audio controls><source src="{one.audio}" type="audio/mpeg"></audio>'
        f'<a class="Card_link__q1" href="{one.link}">→</a></div>'
        for one in found
    )
    rounded = tuple(one._replace(seconds=(one.seconds or 0) // 60 * 60) for one in found)
    return Page("cards with date and length in one line", language, wrap(language, "".join(rows)), rounded)


def _table(language: str) -> Page:
    found = make_entries(language)
    rows = (
        f'<tr><td>{one.at:%d/%m/%Y}</td><td><a href="{one.link}">{one.title}</a></td>'
        f'<td>{format_clock(one.seconds)}</td><td><a href="{one.audio}">MP3</a></td></tr>'
        for one in found
    )
    head = "<tr><th>Fecha</th><th>Título</th><th>Duración</th><th>Audio</th></tr>"
    return Page("a table", language, wrap(language, f"<table>{head}{''.join(rows)}</table>"), found)


def _linked_data(one: Made, kind: str = "PodcastEpisode") -> dict[str, object]:
    value: dict[str, object] = {"@type": kind, "name": one.title, "datePublished": one.at.isoformat(), "url": one.link}
    value["description"] = one.text
    if one.audio:
        value["associatedMedia"] = {"@type": "MediaObject", "contentUrl": one.audio}
        value["timeRequired"] = f"PT{one.seconds}S"
    return value


def _scripts(language: str) -> Page:
    found = make_entries(language)
    site = {"@context": "https://schema.org", "@type": "WebSite", "name": "A show", "url": BASE}
    scripts = "".join(
        f'<script type="application/ld+json">{json.dumps(value)}</script>'
        for value in (site, *({"@context": "https://schema.org", **_linked_data(one)} for one in found))
    )
    body = "".join(f"<div><div><b>{one.title}</b></div></div>" for one in found)
    return Page("JSON-LD, a script for each episode", language, wrap(language, body, scripts), found)


def _graph(language: str) -> Page:
    found = make_entries(language, audio=False, seconds=False)
    posts = [_linked_data(one, "BlogPosting") | {"headline": one.title, "author": {"name": "Ann"}} for one in found]
    blog = {"@type": "Blog", "name": "A show", "blogPost": posts}
    value = {"@context": "https://schema.org", "@graph": [{"@type": "Person", "name": "Ann"}, blog]}
    script = f'<script type="application/ld+json">{json.dumps(value, ensure_ascii=False)}</script>'
    return Page("JSON-LD, a graph with a blog", language, wrap(language, "<div id=app></div>", script), found)


def _microdata(language: str) -> Page:
    found = make_entries(language)
    rows = (
        f'<div itemscope itemtype="https://schema.org/PodcastEpisode"><meta itemprop="datePublished" '
        f'content="{one.at:%Y-%m-%d}"><a itemprop="url" href="{one.link}"><span itemprop="name">{one.title}</span></a>'
        f'<meta itemprop="duration" content="PT{one.seconds}S"><div itemprop="description">{one.text}</div>'
        f'<div itemprop="associatedMedia" itemscope itemtype="https://schema.org/MediaObject">'
        f'<link itemprop="contentUrl" href="{one.audio}"></div></div>'
        for one in found
    )
    return Page("microdata", language, wrap(language, "".join(rows)), found)


def _microformats(language: str) -> Page:
    found = make_entries(language, audio=False, seconds=False)
    rows = (
        f'<div class="h-entry"><a class="u-url" href="{one.link}"><span class="p-name">{one.title}</span></a> '
        f'<time class="dt-published" datetime="{one.at:%Y-%m-%d}">then</time><p class="p-summary">{one.text}</p></div>'
        for one in found
    )
    return Page("microformats", language, wrap(language, "".join(rows)), found)


def _program_data(language: str) -> Page:
    found = make_entries(language)
    rows = [
        {
            "id": f"e{number}", "slug": one.link[len(BASE) :], "title": one.title, "publishedAt": one.at.isoformat(),
            "audio": {"url": one.audio, "durationMs": (one.seconds or 0) * 1000}, "summary": one.text,
        }
        for number, one in enumerate(found)
    ]  # fmt: skip
    state = {
        "props": {"pageProps": {"menu": [{"title": "Home", "path": "/"}], "show": {"name": "A", "episodes": rows}}}
    }
    script = f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script>'
    return Page("data of the site's program", language, wrap(language, "<div id=__next></div>" + script), found)


def _theme(language: str) -> Page:
    found = make_entries(language, audio=False, seconds=False)
    rows = (
        f'<article id="post-{n}" class="post-{n} post type-post hentry"><header><h2 class="entry-title">'
        f'<a href="{one.link}" rel="bookmark">{one.title}</a></h2><div class="entry-meta">Posted on '
        f'{one.at:%B} {one.at.day}, {one.at.year} by <a href="/author/ann">Ann</a></div></header>'
        f'<div class="entry-content"><p>{one.text}</p></div></article>'
        for n, one in enumerate(found)
    )
    return Page("a theme that writes dates into sentences", language, wrap(language, "".join(rows)), found)


def _anchors(language: str) -> Page:
    found = make_entries(language, audio=False)
    rows = (
        f'<a class="card" href="{one.link}"><h4>{one.title}</h4><div class="meta"><span>{one.at:%d/%m/%Y}</span>'
        f"<span>{format_clock(one.seconds)}</span></div><p>{one.text}</p></a>"
        for one in found
    )
    return Page("cards that are links", language, wrap(language, f'<div class="grid">{"".join(rows)}</div>'), found)


def _bare(language: str) -> Page:
    found = make_entries(language, audio=False, seconds=False)
    rows = (
        f"<div><strong>{one.title}</strong><small>{one.at:%Y-%m-%d}</small><p>{one.text}</p>"
        f"<a href='{one.link}'>→</a></div>"
        for one in found
    )
    return Page(
        "elements without classes", language, wrap(language, f'<section id="avsnitt">{"".join(rows)}</section>'), found
    )


def _players(language: str) -> Page:
    found = make_entries(language)
    rows = (
        f'<li class="track" data-src="{one.audio}" data-date="{one.at.isoformat()}"><button class="play">▶</button>'
        f'<span class="track-name">{one.title}</span><span class="track-time">{format_clock(one.seconds)}</span></li>'
        for one in found
    )
    bare = tuple(one._replace(link="") for one in found)
    return Page(
        "players with data attributes", language, wrap(language, f'<ol class="tracks">{"".join(rows)}</ol>'), bare
    )


def _ideographs(language: str) -> Page:
    found = make_entries(language, seconds=False)
    rows = (
        f'<div class="ep-item"><p class="ep-date">{one.at.year}年{one.at.month}月{one.at.day}日</p>'
        f'<p class="ep-title"><a href="{one.link}">{one.title}</a></p><a class="dl" href="{one.audio}">再生</a></div>'
        for one in found
    )
    return Page("paragraphs with dates in ideographs", language, wrap(language, "".join(rows)), found)


def _flat(language: str) -> Page:
    found = make_entries(language, audio=False, seconds=False)
    rows = (
        f'<h3><a href="{one.link}">{one.title}</a></h3><p class="date">{one.at:%Y-%m-%d}</p><p>{one.text}</p>'
        for one in found
    )
    return Page("headings and texts without an element round them", language, wrap(language, "".join(rows)), found)


def _years(language: str) -> Page:
    found = make_entries(language, seconds=False)
    rows = "".join(
        f"<li><time>{format_day(one.at, language, '{day} {month} {year}')}</time> "
        f'<a class="t" href="{one.link}">{one.title}</a> <a href="{one.audio}">mp3</a></li>'
        for one in found
    )
    return Page("a list of a year", language, wrap(language, f"<h2>2024</h2><ul>{rows}</ul>"), found)


def _right_to_left(language: str) -> Page:
    found = make_entries(language)
    rows = (
        f'<section class="episode"><h2>{one.title}</h2><time datetime="{one.at:%Y-%m-%d}">…</time>'
        f'<span class="duration">{format_clock(one.seconds)}</span><p>{one.text}</p><audio src="{one.audio}"></audio>'
        f'<a href="{one.link}">…</a></section>'
        for one in found
    )
    return Page("sections from right to left", language, wrap(language, "".join(rows)), found)


def _details(language: str) -> Page:
    found = make_entries(language)
    rows = (
        f"<details><summary>{one.title}</summary><p>{one.at:%d.%m.%Y}, {(one.seconds or 0) // 60} min</p>"
        f'<p>{one.text}</p><a href="{one.audio}">↓</a></details>'
        for one in found
    )
    rounded = tuple(one._replace(seconds=(one.seconds or 0) // 60 * 60, link="") for one in found)
    return Page("details that open", language, wrap(language, "".join(rows)), rounded)


def _interface(language: str) -> Page:
    found = make_entries(language)
    rows = [
        {
            "uuid": f"u{number}", "attributes": {"trackName": one.title, "aired": int(one.at.timestamp() * 1000)},
            "media": [{"src": one.audio, "length_ms": (one.seconds or 0) * 1000}], "web_url": one.link,
        }
        for number, one in enumerate(found)
    ]  # fmt: skip
    value = {"status": "ok", "genres": [{"name": "Talk"}], "data": {"show": {"name": "A show", "episodes": rows}}}
    return Page("an API", language, json.dumps(value), found)


_SHAPES: Sequence[tuple[Callable[[str], Page], Sequence[str]]] = (
    (_articles, ("en", "ru")),
    (_plain_list, ("de", "es")),
    (_cards, ("en", "de")),
    (_table, ("es", "pt")),
    (_scripts, ("fr", "ja")),
    (_graph, ("it", "ar")),
    (_microdata, ("pt", "pl")),
    (_microformats, ("nl", "sv")),
    (_program_data, ("en", "ja")),
    (_theme, ("en", "sv")),
    (_anchors, ("fr", "it")),
    (_bare, ("sv", "nl")),
    (_players, ("en", "ar")),
    (_ideographs, ("ja",)),
    (_flat, ("en", "fr")),
    (_years, ("ru", "pl", "nl")),
    (_right_to_left, ("ar",)),
    (_details, ("de", "pl")),
    (_interface, ("en", "ru")),
)


def make_pages() -> tuple[Page, ...]:
    """Return every shape in its languages."""
    return tuple(make(language) for make, languages in _SHAPES for language in languages)
