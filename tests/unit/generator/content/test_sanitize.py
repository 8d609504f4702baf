"""What a reader is given of a source's text: bounded, safe, escaped once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.generator.content import feed_item, sanitize
from aggregator.merger.repair.fixers import repair_text
from aggregator.model.item import Item
from aggregator.text.characters import remove_forbidden

BARE = Item(title="Bare", entries=("a/1",), guid="bare")


def test_a_short_text_ends_at_a_word_within_4000_bytes() -> None:
    said = feed_item.make_feed_item(replace(BARE, description="Flüsse " * 1000)).short
    assert 3980 < len(said.encode()) <= 4000
    assert said.endswith(" Flüsse…")


def test_bytes_are_counted_and_not_letters() -> None:
    said = feed_item.make_feed_item(replace(BARE, description="ü" * 3000)).short
    assert said == "ü" * 1998 + "…"


def test_the_longest_text_is_cut_between_tags_and_stays_sound() -> None:
    said = feed_item.make_feed_item(replace(BARE, html="<p>" + "<b>water</b> " * 60_000)).html
    assert 195_000 < len(said) < 210_000
    assert said.endswith(("…</b></p>", "…</p>"))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("<p onclick=x>a<script>b</script></p>", "<p>a</p>"),
        ("<a href='javascript:x'>a</a>", '<a rel="noopener noreferrer">a</a>'),
        ("<a href=/b>a</a>", '<a href="https://example.org/b" rel="noopener noreferrer">a</a>'),
        ("<a href=mailto:a@b.example>a</a>", '<a href="mailto:a@b.example" rel="noopener noreferrer">a</a>'),
        ("<iframe src=https://x></iframe><form><input></form>a", "a"),
        ("<a href='data:text/html,x'>a</a>", '<a rel="noopener noreferrer">a</a>'),
        ("<img src='data:image/png;base64,AA' alt=a>", '<img alt="a">'),
        (
            "<a style=c href=https://b.example/ title=t>a</a>",
            '<a href="https://b.example/" title="t" rel="noopener noreferrer">a</a>',
        ),
        ("<img src=https://b.example/a.png srcset=x onerror=x style=c>", '<img src="https://b.example/a.png">'),
        ("<style>p{}</style><p id=a class=b style=c>a", "<p>a</p>"),
        ("a&amp;amp;b", "a&amp;b"),
        ("<code>&amp;lt;</code>", "<code>&amp;lt;</code>"),
        ("a\x00b&#0;c\ud800", "abc"),
    ],
)
def test_markup_is_made_safe(given: str, meant: str) -> None:
    assert feed_item.make_feed_item(replace(BARE, html=given, link="https://example.org/a")).html == meant


def test_relative_links_without_a_page_to_start_from_are_dropped() -> None:
    assert feed_item.make_feed_item(replace(BARE, html="<a href=/b>a</a>")).html == '<a rel="noopener noreferrer">a</a>'


def test_a_plain_text_that_holds_markup_is_taken_for_what_it_is() -> None:
    said = feed_item.make_feed_item(replace(BARE, description="<p>One</p><p>Two &amp; three</p>"))
    assert (said.short, said.html) == ("One\n\nTwo & three", "<p>One</p><p>Two &amp; three</p>")
    kept = feed_item.make_feed_item(replace(BARE, description="a vector<int> && b"))
    assert (kept.short, kept.html) == ("a vector<int> && b", "<p>a vector&lt;int&gt; &amp;&amp; b</p>")


@given(st.text(st.characters(exclude_categories=())))
def test_cleaning_twice_is_cleaning_once(value: str) -> None:
    for washed in (
        sanitize.clean_text,
        sanitize.clean_line,
        sanitize.clean_title,
        sanitize.clean_prose,
        sanitize.shorten,
        sanitize.clean_html,
    ):
        assert washed(washed(value)) == washed(value)
        assert remove_forbidden(washed(value)) == washed(value)


TURNING = {
    "an override": ("photo\u202egpj.exe", "photogpj.exe"),
    "an override that ends": ("a\u202dbc\u202cd", "abcd"),
    "an override beside Hebrew": ("\u05d0\u202e\u05d1\u200f!", "\u05d0\u05d1\u200f!"),
    "an isolate left open": ("\u2067\u05d0 and so on", "\u05d0 and so on"),
    "an end without a beginning": ("\u05d0\u2069\u202c", "\u05d0"),
    "crossed": ("\u202b\u05d0\u2067\u05d1\u202c\u2069", "\u05d0\u05d1"),
    "marks": ("\u05de\u05d4 \u05d6\u05d4 C++\u200e? \u061c\u0639\u200f!", None),
    "an embedded title": ("\u202b\u0627\u0644\u062d\u0644\u0642\u0629 12\u202c", None),
    "an isolated name": ("\u05e2\u05dd \u2066Python 3.12\u2069 \u05d5\u05e2\u05d5\u05d3", None),
}


@pytest.mark.parametrize(("given", "meant"), TURNING.values(), ids=TURNING.keys())
def test_what_turns_other_text_goes_and_what_a_script_needs_stays(given: str, meant: str | None) -> None:
    expected = given if meant is None else meant
    made = feed_item.make_feed_item(replace(BARE, title=given, description=given))
    assert (made.title, made.short) == (expected, expected)
    assert sanitize.clean_html(f"<p>{given}</p>") == f"<p>{expected}</p>"
    assert repair_text(given).text == expected


def test_a_title_that_is_cut_leaves_nothing_open() -> None:
    cut = sanitize.clean_title("\u2067" + "\u05d0\u05d1 " * 200 + "\u2069")
    assert cut.endswith("…")
    assert "\u2067" not in cut


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(
    ("given", "published"),
    [
        ("Tide <script>alert(1)</script>tables", "Tide tables"),
        ("Tide &lt;SCRIPT src=//a.example&gt;x&lt;/script &gt; tables", "Tide tables"),
        ("Tide <style>b{}</style>tables", "Tide tables"),
        ("<iframe src='//a.example'>old</iframe> tables", "old tables"),
        ("<svg/onload=alert(1)>Tides", "Tides"),
        ("<svg><embed><object><form>Tides", "Tides"),
        ("<a href='//a.example'>Tides</a>", "Tides"),
        ("<x-y onclick=a()>Tides</x-y>", "Tides"),
        ("Tides <scr<script>x</script>ipt>alert(1)</script>", "Tides"),
        ("Tides <img src=x onerror=alert(1)", "Tides"),
        ("Tides &lt;img alt='a'onerror=alert(1) now", "Tides"),
        ("<iframe src=//a.example x <i>Tides", "<i>Tides"),
        ("Tides <script>alert(1)</script", "Tides"),
        ("Why <script> comes last", "Why <script> comes last"),
        ("if a <b and c = d", "if a <b and c = d"),
        ("I <3 the <b", "I <3 the <b"),
        ("A vector<int> and a List<T extends Tide>", "A vector<int> and a List<T extends Tide>"),
        ("a < b = c > d", "a < b = c > d"),
    ],
)
def test_a_title_has_no_active_element(given: str, published: str, *, plain: bool) -> None:
    assert sanitize.clean_title(given, plain=plain) == published


@pytest.mark.parametrize(
    ("given", "published"),
    [
        ("https://me:word@a.example/x", "https://a.example/x"),
        ("HTTPS://me@a.example", "HTTPS://a.example"),
        ("https:/me:word@a.example/x", "https:/a.example/x"),
        ("https:\\\\me:word@a.example/x", "https:\\\\a.example/x"),
        ("https://me:wo%40rd@b@a.example/?c", "https://a.example/?c"),
        ("https://a.example/@me", "https://a.example/@me"),
        ("https://a.example/?to=me@b.example", "https://a.example/?to=me@b.example"),
    ],
)
def test_no_text_has_a_login_in_an_address(given: str, published: str) -> None:
    assert sanitize.clean_prose(f"See {given} now") == f"See {published} now"
    assert f'"{published}"' in sanitize.clean_html(f"<p><a href='{given}'>here</a>")
    assert sanitize.clean_html(f"<p>{given.replace('@', '&#64;')}</p>") == f"<p>{published}</p>"
    made = feed_item.make_feed_item(replace(BARE, description=f"See {given} now"))
    assert "word" not in made.html + made.short


def test_a_mail_address_is_no_login() -> None:
    assert sanitize.clean_prose("Write to http or me@a.example: https://a.example") == (
        "Write to http or me@a.example: https://a.example"
    )
