"""A page as a browser shows it: base address, lazy images, JSON in scripts; and what is none of these."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.fetchers import parse
from aggregator.fetchers.directories import json_proposals, proposals
from aggregator.fetchers.parsing.html_page import find_assigned, load_script, show_lazy_images
from aggregator.model.entry import Entry
from aggregator.model.source import Document, Source

URL = "https://radio.example/sendungen/9/liste"
DAYS = (3, 10, 17, 24)
ITEM = '<li class="s"><h3><a href="f/{0}">Folge vom {0}.</a></h3><time datetime="2026-02-{0:02}">x</time>{1}</li>'


def read(body: str, kind: str = "page", **options: str) -> tuple[Entry, ...]:
    source = Source("seite", kind, url=URL, options=tuple(sorted(options.items())))
    return parse.read(Document(source, URL, f"<!doctype html><html>{body}</html>".encode(), "text/html")).entries


def read_first_proposal(body: str) -> tuple[Entry, ...]:
    document = Document(Source("seite", "page", url=URL), URL, f"<!doctype html><html>{body}</html>".encode())
    first = proposals.propose(document).sources[0]
    return read(body, first.kind, **dict(first.options))


BASES = [
    ('<base href="https://archiv.example/a/">', "https://archiv.example/a/"),
    ('<base target="_blank"><base href="/a/b.html"><base href="/zwei/">', "https://radio.example/a/"),
    ('<base href="javascript:x">', "https://radio.example/sendungen/9/"),
    ("", "https://radio.example/sendungen/9/"),
]


@pytest.mark.parametrize(("head", "base"), BASES)
def test_the_base_of_a_page_counts_for_all_of_its_links(head: str, base: str) -> None:
    rows = "".join(ITEM.format(day, f'<audio src="t/{day}.mp3"></audio><img src="b/{day}.png">') for day in DAYS)
    entry = read(f"<head>{head}</head><body><ul>{rows}</ul>", items="li.s")[0]
    assert entry.enclosure is not None
    assert (entry.link, entry.enclosure.url, entry.image) == (f"{base}f/3", f"{base}t/3.mp3", f"{base}b/3.png")
    data = json.dumps([{"title": "Eins", "audio": "t/1.mp3", "link": "f/1"}])
    body = f'<head>{head}</head><body><script type="application/json">{data}</script>'
    (entry,) = read(body, "json", items="[0]", script="script", audio="audio", link="link")
    assert entry.link == f"{base}f/1"
    article = '<article><h2><a href="f/1">Eins</a></h2><p>Text</p></article>'
    (entry,) = read(f"<head>{head}</head><body>{article}", "blog")
    assert entry.link == f"{base}f/1"
    named = (
        f'<head>{head}<link rel="alternate" type="application/rss+xml" href="rss"></head><body><a href="x.rss">RSS</a>'
    )
    page = Document(Source("seite", "feed", url=URL), URL, f"<html>{named}".encode(), "text/html")
    assert parse.discover(page) == (f"{base}rss",)
    assert [each.url for each in proposals.propose(page).sources] == [f"{base}x.rss"]


@pytest.mark.parametrize(
    ("content", "url"),
    [
        ("0; url=/neu.xml", "https://radio.example/neu.xml"),
        ("3;URL='https://neu.example/rss'", "https://neu.example/rss"),
        ("0;url=#oben", None),
        ("300; url=/neu.xml", None),
        ("5", None),
        ("0; url=javascript:alert(1)", None),
    ],
)
def test_a_page_that_sends_its_visitors_on_names_the_next_address(content: str, url: str | None) -> None:
    body = f'<html><head><meta http-equiv="Refresh" content="{content}"></head><body>Umgezogen</body></html>'
    page = Document(Source("alt", "feed", url=URL), "https://radio.example/alt", body.encode(), "text/html")
    assert parse.discover(page) == ((url,) if url else ())
    named = body.replace("</head>", '<link rel="alternate" type="application/rss+xml" href="/rss"></head>')
    assert parse.discover(replace(page, body=named.encode())) == ("https://radio.example/rss",)


SHOWN = "https://radio.example/echt.jpg"
IMAGES = [
    ('<img src="data:image/gif;base64,R0l" data-src="/echt.jpg">', SHOWN),
    ('<img src="/assets/blank.gif" data-original="/echt.jpg">', SHOWN),
    ('<img data-srcset="/klein.jpg 320w, /echt.jpg 1200w, /mittel.jpg 640w">', SHOWN),
    ('<img src="/1x1.png" srcset="/klein.jpg 1x,/echt.jpg 2x">', SHOWN),
    ('<picture><source srcset="/echt.jpg"><img src="data:,"></picture>', SHOWN),
    ('<img src="data:image/svg+xml,x"><noscript><img src="/echt.jpg"></noscript>', SHOWN),
    ('<img src="/echt.jpg" srcset="/klein.jpg 320w, /gross.jpg 1200w">', SHOWN),
    ('<img src="/pixel-art.png">', "https://radio.example/pixel-art.png"),
    ('<img src="/spacer.gif">', None),
    ('<img src="data:image/gif;base64,R0l">', None),
]


@pytest.mark.parametrize(("image", "shown"), IMAGES)
def test_an_image_that_a_script_loads_is_found(image: str, shown: str | None) -> None:
    assert [entry.image for entry in read(f"<body>{ITEM.format(3, image)}", items="li")] == [shown]


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        (
            "<p><IMG class=x src='data:,' data-lazy-src=\"/echt.jpg?a=1&amp;b=2\"/> und</p>",
            '<p><img src="/echt.jpg?a=1&amp;b=2" class=x data-lazy-src="/echt.jpg?a=1&amp;b=2"/> und</p>',
        ),
        ('<img data-srcset="/k.jpg 1x, /g.jpg 2x">', '<img src="/g.jpg" data-srcset="/k.jpg 1x, /g.jpg 2x">'),
        ('<img src="/echt.jpg" data-id="7">', '<img src="/echt.jpg" data-id="7">'),
        ("<p data-src='/x'>a < b</p>", "<p data-src='/x'>a < b</p>"),
        ("<img data-src='/x", "<img data-src='/x"),
    ],
)
def test_a_lazy_image_in_a_text_has_its_address(markup: str, shown: str) -> None:
    assert show_lazy_images(markup) == shown


def test_the_address_of_a_lazy_image_in_a_text_is_resolved() -> None:
    notes = "&lt;img src=&quot;data:,&quot; data-src=&quot;bilder/echt.jpg&quot;&gt;"
    item = f"<item><title>Echt</title><link>https://kai.example/e/7</link><description>{notes}</description></item>"
    body = f"<rss><channel><title>Kai</title>{item}</channel></rss>".encode()
    (entry,) = parse.read(Document(Source("x", "feed"), URL, body)).entries
    assert entry.html == '<img src="https://kai.example/e/bilder/echt.jpg" data-src="bilder/echt.jpg">'


TEXT = '{"@type": "PodcastSeries", "name": "Le\\u00e7on", "text": "a <!-- b --> c"}'
VALUE = json.loads(TEXT)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (TEXT, VALUE),
        (f"\ufeff\n{TEXT};\n", VALUE),
        (f"//<![CDATA[\n{TEXT}\n//]]>", VALUE),
        (f"/* <![CDATA[ */ {TEXT} /* ]]> */", VALUE),
        (f"<![CDATA[{TEXT}]]>", VALUE),
        (f"<!--\n{TEXT}\n//-->", VALUE),
        (f"<!-- Yoast -->\n{TEXT}", VALUE),
        (f"// made by a plug-in\n{TEXT}\n// end", VALUE),
        ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}),
        ("[1, 2];", [1, 2]),
        (f"{TEXT}{TEXT}", None),
        (f"var data = {TEXT}", None),
        ('{"a": 1', {"a": 1}),
        ('{"a": [{"b": "one"}, {"b": "two",}, {"b": "th', {"a": [{"b": "one"}, {"b": "two"}]}),
        ('{"a": NaN};', None),
        ("words", None),
        ("", None),
    ],
)
def test_json_of_a_script_is_read_with_what_stands_around_it(text: str, value: object) -> None:
    assert load_script(text) == value


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.sampled_from("/*<![CDATA-> \n;"), max_size=3000) | st.text(max_size=50),
    st.text(st.sampled_from("/*]>-; \nx"), max_size=3000),
)
def test_no_script_takes_long_or_raises(before: str, behind: str) -> None:
    load_script(f'{before}{{"a": "\n"}}{behind}')


EPISODES = [
    {
        "@type": "PodcastEpisode",
        "name": f"Avsnitt {day}",
        "datePublished": f"2026-02-{day:02}",
        "associatedMedia": {"contentUrl": f"https://ljud.example/{day}.mp3"},
    }
    for day in DAYS
]


@pytest.mark.parametrize(("begins", "ends"), [("[", "]"), ('{"a":', "}")])
def test_json_of_any_depth_is_read_or_not_there(begins: str, ends: str) -> None:
    values = [f"{begins * depth}1{ends * depth}" for depth in (*range(900, 1100), 100_000)]
    read = [load_script(f"{value};") for value in values]
    assigned = [find_assigned(f"var x = {value};") for value in values]
    assert read[0] is not None and assigned[0] is not None  # noqa: PT018 - one fact of two functions
    assert read[-1] is None and not (assigned[-1] and assigned[-1][1])  # noqa: PT018


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("application/ld+json; charset=utf-8", json.dumps({"episode": EPISODES})),
        ("Application/LD+JSON", json.dumps({"episode": EPISODES})),
        ("application/ld+json", json.dumps(EPISODES)),
        ("application/ld+json", json.dumps([{"@type": "WebSite"}, *EPISODES])),
    ],
)
def test_json_ld_is_proposed_whatever_the_writing_of_its_type(media_type: str, body: str) -> None:
    entries = read_first_proposal(f'<head><script type="{media_type}">{body}</script></head><body><p>Radio</p>')
    assert [entry.title for entry in entries] == [f"Avsnitt {day}" for day in DAYS]
    assert all(entry.enclosure for entry in entries)


@pytest.mark.parametrize(
    ("fields", "audio"),
    [
        ({"audioUrl": "https://play.example/stream/{}"}, "audioUrl"),
        ({"audio": {"url": "https://play.example/{}?sig=a"}}, "audio.url"),
        ({"enclosure": "/media/{}"}, "enclosure"),
        ({"url": "https://play.example/{}"}, None),
        ({"displayUrl": "https://play.example/{}"}, None),
        ({"mediaImageUrl": "https://play.example/{}"}, None),
        ({"audioUrl": "https://play.example/{}.html"}, None),
        ({"audioUrl": "https://play.example/the-same"}, None),
        ({"audioUrl": "https://play.example/a/{}", "file": {"mp3": "https://play.example/{}.mp3"}}, "file.mp3"),
    ],
)
def test_audio_without_an_ending_is_found_where_its_name_says_so(fields: dict[str, object], audio: str | None) -> None:
    rows = [
        {
            "title": f"Oddaja {day}",
            "date": f"2026-02-{day:02}",
            **json.loads(json.dumps(fields).replace("{}", str(day))),
        }
        for day in DAYS
    ]
    (options, *_) = json_proposals.propose(rows)
    assert dict(options).get("audio") == audio


def test_a_player_without_an_ending_is_found() -> None:
    rows = "".join(f'<div class="e"><h4>Díl {day}</h4><audio src="/prehraj/{day}"></audio></div>' for day in DAYS)
    urls = [entry.enclosure and entry.enclosure.url for entry in read_first_proposal(f"<body>{rows}")]
    assert urls == [f"https://radio.example/prehraj/{day}" for day in DAYS]


HEADINGS = [
    ("<dl>{}</dl>", '<dt>Teil {0}</dt><dd>{0}. Februar 2026, <a href="/{0}.mp3">hören</a></dd>', "<dt>Teil 17</dt>"),
    (
        "{}",
        '<h2>Teil {0}</h2><p>{0}. Februar 2026</p><p>Worte.</p><p>Mehr.</p><div><a href="/{0}.mp3">hören</a></div>',
        "<h2>Teil 17</h2><p>kommt noch</p>",
    ),
    (
        "{}",
        '<h4>Teil {0}</h4><audio controls><source src="/{0}.mp3"></audio><p>Worte ohne Datum.</p><hr>',
        "<h4>Teil 17</h4>",
    ),
]


@pytest.mark.parametrize(("around", "item", "silent"), HEADINGS)
def test_audio_behind_a_heading_is_found_and_never_that_of_the_next(around: str, item: str, silent: str) -> None:
    rows = [silent if day == 17 else item.format(day) for day in (*DAYS, 28)]
    entries = read_first_proposal(f"<body>{around.format(''.join(rows))}")
    found = {entry.title: entry.enclosure and entry.enclosure.url for entry in entries}
    audio = {f"Teil {day}": f"https://radio.example/{day}.mp3" for day in (*DAYS, 28)}
    assert found == audio | {"Teil 17": None}


@pytest.mark.parametrize("name", ["sr-only", "a screen-reader-text", "visually-hidden b"])
@pytest.mark.parametrize("kind", ["page", "blog"])
def test_words_for_screen_readers_are_no_part_of_a_title(kind: str, name: str) -> None:
    titles = (
        f"<a href=/1>Folge eins<span class='{name}'>(neu)</span></a>",
        f"<span class='{name}'>Lies: </span><a href=/2>Folge zwei</a>",
        f"<a href=/3><span class='{name}'>Folge drei</span><img alt=3></a>",
    )
    body = "".join(f"<article><h2>{title}</h2></article>" for title in titles)
    options = {"items": "article"} if kind == "page" else {}
    assert [each.title for each in read(f"<body>{body}", kind, **options)] == ["Folge eins", "Folge zwei", "Folge drei"]
