"""Titles and texts that speak of markup keep every word; real markup is still taken for what it is."""

from __future__ import annotations

import base64
import re
from html import escape

import pytest

from aggregator.fetchers.feeds import feed
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry
from aggregator.model.source import Document, Source
from aggregator.text.html import to_text
from tests.support.rss import make_rss
from tests.support.workspace import NOON, Workspace, make_item

WORDS = {  # as it is meant; none of it is markup
    "a lone block": "History of the <dialog> tag",
    "German": "Wozu <section> und <nav> gut sind",
    "Spanish": "¿Qué hace <details> sin </summary>?",
    "at an end": "Hello <table>",
    "alone": "The <b> of old",
    "code": "Folge 12: vector<int> & if a<b and c>d",
    "paragraphs": "Use of <p> in lists: <li>",
    "a script": "<script> tags considered harmful",
    "unknown": "The <blink-182> reunion",
    "mail": "Ask <ann@example.org> anything",
    "an end alone": "Chiuso da </b> alla fine",
}
MARKED = {
    "pair": ("All about <b>bold</b> moves", "All about bold moves"),
    "German": ("Ein <i>sehr</i> kurzer <em>Text</em>", "Ein sehr kurzer Text"),
    "void": ("Eins<br/>zwei", "Eins zwei"),
    "no end": ("<p>Vorwort", "Vorwort"),
    "an end of a word": ("Ein <span>guter</b></span> Anfang", "Ein guter Anfang"),
    "image": ("Foto <img src='a.png'> del día", "Foto del día"),
}
ATOM = "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><id>f</id><entry><id>1</id>{}</entry></feed>"
ATOM03 = "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title>T</title><entry><id>1</id>{}</entry></feed>"
RSS = "<rss version='2.0'><channel><title>T</title><item><guid>1</guid>{}</item></channel></rss>"


def written(said: str, element: str) -> dict[str, str]:
    """Return documents that say the same in one element of an item, in every form that plain text has."""
    packed = base64.b64encode(escape(said, quote=False).encode()).decode()
    name = {"title": "title", "description": "content"}[element]
    other = "<title>Another title</title>" if element == "description" else ""
    return {
        "RSS, escaped": RSS.format(f"{other}<{element}>{escape(said, quote=False)}</{element}>"),
        "RSS, section": RSS.format(f"{other}<{element}><![CDATA[{said}]]></{element}>"),
        "Atom, text": ATOM.format(f"{other}<{name} type='text'>{escape(said, quote=False)}</{name}>"),
        "Atom, no type": ATOM.format(f"{other}<{name}>{escape(said, quote=False)}</{name}>"),
        "Atom, html": ATOM.format(f"{other}<{name} type='html'>{escape(escape(said, quote=False))}</{name}>"),
        "Atom, xhtml": ATOM.format(
            f"{other}<{name} type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>"
            f"{escape(said, quote=False)}</div></{name}>"
        ),
        "Base64": ATOM03.format(f"{other}<{name} type='text/html' mode='base64'>{packed}</{name}>"),
    }


def repaired(body: str) -> Entry:
    return repair(feed.read(Document(Source("x", "feed"), "https://example.org/", body.encode())).entries[0])


@pytest.mark.parametrize("said", WORDS.values(), ids=WORDS)
def test_words_in_angle_brackets_stay(said: str) -> None:
    for form, body in written(said, "title").items():
        assert repaired(body).title == said, form
    for form, body in written(said, "description").items():
        assert repaired(body).description == said, form


@pytest.mark.parametrize("form", ["Atom, text", "Atom, no type"])
@pytest.mark.parametrize("said", [said for said, _ in MARKED.values()], ids=MARKED)
def test_a_plain_title_keeps_pairs_of_tags(said: str, form: str) -> None:
    body = written(said, "title")[form]
    assert repaired(body).title == said
    assert repaired(body.replace("</feed>", "</feeds>")).title == said, "not well-formed: read by feedparser"


def test_a_plain_title_is_published_with_its_tags(workspace: Workspace) -> None:
    said = [*(said for said, _ in MARKED.values()), "Wie <section>Kapitel</section> &amp; Listen gehen"]
    entries = "".join(
        f"<entry><id>{at}</id><updated>2024-05-0{at + 1}T08:00:00Z</updated><title>{escape(title)}</title>"
        f"<link rel='enclosure' type='audio/mpeg' length='100' href='https://example.org/{at}.mp3'/></entry>"
        for at, title in enumerate(said)
    )
    workspace.serve("/a", f"<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><id>f</id>{entries}</feed>")
    workspace.config(more={"host": workspace.source("/a")})
    assert workspace.refresh(NOON).returncode == 0
    said[-1] = said[-1].replace("&amp;", "&")
    given, said = (
        said,
        [" ".join(re.sub(r"<\w+ [^>]*>", "", title).split()) for title in said],
    )  # a tag with attributes is no word
    assert {entry["title"] for entry in workspace.items()} == set(said)
    for name in ("feed.xml", "podcast.xml", "feed.atom", "index.html"):
        body = (workspace.output / "show" / name).read_text("utf-8").replace("&#39;", "'")
        shown = given if name == "index.html" else said  # a page shows all that the source wrote, escaped
        assert all(escape(title, quote=False) in body for title in shown), name


@pytest.mark.parametrize(("said", "meant"), MARKED.values(), ids=MARKED)
def test_pairs_of_tags_and_void_tags_are_markup(said: str, meant: str) -> None:
    for form, body in written(said, "title").items():
        if form.startswith(("RSS", "Base64")):
            assert repaired(body).title == meant, form


def test_published_feeds_and_pages_show_the_words_and_run_nothing(workspace: Workspace) -> None:
    said = list(WORDS.values())
    workspace.serve("/a", make_rss(*(make_item(at, name=text, text=text) for at, text in enumerate(said))))
    workspace.config(more={"host": workspace.source("/a")})
    assert workspace.refresh(NOON).returncode == 0
    published = {entry["title"]: entry for entry in workspace.items()}
    assert set(published) == set(said)
    page = (workspace.output / "show" / "index.html").read_text("utf-8")
    for text in said:
        assert escape(text, quote=False) in page, text
    for name in ("feed.xml", "podcast.xml", "feed.atom"):
        body = (workspace.output / "show" / name).read_text("utf-8")
        assert all(escape(text, quote=False) in body for text in said), name
    for entry in workspace.items():
        assert not re.search(r"<(?!/?(?:p|br)\b)", str(entry.get("content_html", ""))), entry
    assert "<script> tags" not in page


MIXED = {
    "a block": ("The <summary> tag, at <b>length</b>.", "The <summary> tag, at length."),
    "formatting": ("<p>Wozu ist <b> da?</p>", "Wozu ist <b> da?"),
    "a name": ("<p>The <blink-182> reunion, and <Pair>s</Pair>.</p>", "The <blink-182> reunion, and s."),
    "an end": ("¿Qué hace </details>? <i>Nada</i>.", "¿Qué hace </details>? Nada."),
    "old paragraphs": ("<b>Eins</b> <p> zwei <br> drei <hr> vier", "Eins\n\nzwei\ndrei\n\nvier"),
    "a truncated pair": ("<p>One <section><header>two</p>", "One\ntwo"),
}


@pytest.mark.parametrize(("said", "meant"), MIXED.values(), ids=MIXED)
def test_words_in_angle_brackets_stay_beside_markup(said: str, meant: str) -> None:
    for form, body in written(said, "description").items():
        if form.startswith("RSS"):
            read = repaired(body)
            assert read.description == meant, form
            assert to_text(read.html or "") == meant, form
