"""Pages as outlines: what is clicked becomes selectors that find it in each entry."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import parse
from aggregator.fetchers.directories import outline
from aggregator.model.outline import Piece
from aggregator.model.source import Document, Source
from evaluation.proposals.later_pages import make_later_pages
from evaluation.proposals.pages import BASE, Page, make_pages
from tests.unit.fetchers.test_proposals import PIECES

PAGES = [page for page in (*make_pages(), *make_later_pages()) if not page.shape.startswith(("JSON", "data", "an API"))]
"""Those whose entries stand in elements."""


def list_pieces(document: Document) -> list[Piece]:
    found: list[Piece] = []
    while len(found) < (shown := outline.make_outline(document, len(found))).total:
        found += shown.pieces
    return found


def choose(document: Document, field: str, text: str) -> Document:
    """The document as it is read once the text was clicked."""
    pieces = [each for each in list_pieces(document) if text in each.text]
    piece = min(pieces, key=lambda each: len(each.text))
    options = outline.pick(document, piece.number, field)
    return replace(document, source=replace(document.source, options=tuple(options.items())))


def read_after_clicks(page: Page) -> list[str]:
    document = Document(Source("page", "page", url=BASE), BASE, page.body.encode(), "text/html")
    title = page.entries[4].title
    document = choose(choose(document, "items", title), "title", title)
    return [entry.title for entry in parse.read(document).entries]


def test_two_clicks_find_the_titles_of_every_page() -> None:
    read = {(page.shape, page.language): read_after_clicks(page) for page in PAGES}
    assert read == {(page.shape, page.language): [entry.title for entry in page.entries] for page in PAGES}


ENTRY = """<div class="e"><h2><a href="/e/{n}">Part {n}</a></h2><span>{n} May 2024</span> <span>3{n} min</span>
<p>About <b>things</b> of {n}</p><audio src="/m/{n}.mp3"></audio><img src="/i/{n}.png"></div>"""
HTML = "<html><body><nav>Home</nav><h1>A show</h1>{}</body></html>"


def make_document() -> Document:
    text = HTML.format("".join(ENTRY.format(n=n) for n in range(1, 6)))
    return Document(Source("page", "page", url=BASE), BASE, text.encode(), "text/html")


@pytest.mark.parametrize(
    ("field", "text", "selector"),
    [
        ("title", "Part 2", "a"),
        ("date", "2 May 2024", "span"),
        ("length", "32 min", "span:nth-child(3)"),
        ("text", "things", "b"),
        ("audio", "2.mp3", "audio@src"),
        ("image", "2.png", "img@src"),
        ("link", "Part 2", "a@href"),
    ],
)
def test_each_field_is_clicked(field: str, text: str, selector: str) -> None:
    document = choose(make_document(), "items", "Part 3")
    options = dict(choose(document, field, text).source.options)
    assert options["items"] == "div.e"
    assert options[field] == selector


def test_lines_and_what_is_found_so_far_are_shown() -> None:
    pieces = list_pieces(choose(make_document(), "items", "Part 1"))
    assert "Home" not in [each.text for each in pieces]
    second = [(each.text, each.starts, each.field) for each in pieces if each.entry == 2]
    assert second == [
        ("Part 2", True, "title"),
        ("2 May 2024", True, "date"),
        ("32 min", False, "length"),
        ("About", True, "text"),
        ("things", False, "text"),
        ("of 2", False, "text"),
        ("2.mp3", True, "audio"),
        ("2.png", False, "image"),
    ]


def test_what_xpath_finds_is_shown_like_what_css_finds() -> None:
    options = {
        "items": "div.e",
        "date": ".//span[contains(., 'May')]",
        "audio": "./audio[1]/@src",
        "image": "./img/@src",
    }
    document = make_document()
    document = replace(document, source=replace(document.source, options=tuple(options.items())))
    second = {each.field: each.text for each in list_pieces(document) if each.entry == 2 and each.field}
    assert second == {"title": "Part 2", "date": "2 May 2024", "text": "of 2", "audio": "2.mp3", "image": "2.png"}


def test_what_stands_alone_or_in_no_entry_is_refused() -> None:
    with pytest.raises(ReadError, match="nothing like it repeats"):
        choose(make_document(), "items", "A show")
    document = choose(make_document(), "items", "Part 1")
    with pytest.raises(ReadError, match="is in no entry"):
        choose(document, "title", "A show")


@settings(deadline=None, max_examples=60)
@given(st.lists(PIECES, max_size=40), st.integers(0, 30), st.sampled_from(["items", "title", "audio"]))
def test_whatever_the_page_a_choice_is_made_or_refused(pieces: list[str], number: int, field: str) -> None:
    body = ("<html><body>" + "".join(pieces)).encode()
    document = Document(Source("x", "page", options=(("items", "li, h3"),)), BASE, body)
    try:
        list_pieces(document)
        assert field in outline.pick(document, number, field)
    except ReadError:
        pass
