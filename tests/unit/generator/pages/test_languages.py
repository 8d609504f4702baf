"""Pages in several languages: what is translated, what stays the show's, and which files there are."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator import publish
from aggregator.generator import files
from aggregator.generator.changes.changes import History
from aggregator.generator.changes.feed_state import take_state
from aggregator.generator.pages import languages
from aggregator.model.feed import Feed
from aggregator.publish import make_cover
from aggregator.translation.locale import NAMES
from tests.support import sample_feed as made

HOSTILE = '"><script>x</script>%(title)s %s & {shown}'


def in_languages(language: str | None, *others: str, episodes: int = 2, posts: int = 1) -> Feed:
    feed = made.feed(episodes, posts)
    return replace(feed, channel=replace(feed.channel, language=language, languages=others))


def render(feed: Feed) -> dict[str, str]:
    """The HTML pages of a feed, by file."""
    made_files = dict(publish.render(feed, history=History(take_state(feed))))
    return {name: body.decode() for name, body in made_files.items() if name.endswith(".html")}


def list_alternates(page: str) -> list[tuple[str, str]]:
    return re.findall(r'<link rel="alternate" hreflang="(\w+)" href="([^"]+)">', page)


def test_pages_are_in_the_language_of_the_show_alone_by_default() -> None:
    found = render(in_languages("de-AT"))
    assert set(found) == {"index.html", "changes.html"}
    assert all('<html lang="de">' in page and not list_alternates(page) for page in found.values())
    assert "Abonnieren" in found["index.html"]
    assert "2 Folgen und 1 Beitrag" in found["index.html"]
    assert "Änderungen an Quiet Machines" in found["changes.html"]


def test_a_page_in_several_languages_names_all_and_links_within_each() -> None:
    found = render(in_languages("fr", "de", "ja"))
    names = ["index.html", "index.de.html", "index.ja.html"]
    assert set(found) == {*names, *(name.replace("index", "changes") for name in names)}
    for language, name in zip(("fr", "de", "ja"), names, strict=True):
        page, changes = found[name], found[name.replace("index", "changes")]
        assert list_alternates(page) == list(zip(("fr", "de", "ja"), names, strict=True))
        assert f'<html lang="{language}">' in page
        assert f'<span aria-current="true">{NAMES[language]}</span>' in page
        assert f'href="{name.replace("index", "changes")}"' in page
        assert f'href="{name}"' in changes
    home = {"index.html": "index.html", "index.de.html": "index.html", "index.ja.html": "index.ja.html"}
    assert {name: re.findall(r'href="\.\./([^"]+)"', found[name]) for name in names} == {
        name: [link] for name, link in home.items()
    }


def test_a_show_in_another_language_has_english_pages_and_keeps_its_own_in_its_texts() -> None:
    page = render(in_languages("ar"))["index.html"]
    assert '<html lang="en">' in page
    assert '<header class="head" dir="rtl">' in page
    assert 'dir="auto" lang="ar"' in page
    german = render(in_languages("ar", "de"))["index.html"]
    assert '<html lang="de">' in german
    assert "\u2066etwa 15 min\u2069" in german or "\u206615 min\u2069" in german
    assert 'dir="auto" lang="ar"' in german


@pytest.mark.parametrize("language", NAMES)
def test_a_hostile_title_is_text_in_every_language(language: str) -> None:
    feed = in_languages(language)
    feed = replace(
        feed,
        channel=replace(feed.channel, title=HOSTILE, author=HOSTILE),
        items=tuple(replace(item, title=HOSTILE, author=HOSTILE) for item in feed.items),
    )
    for page in render(feed).values():
        assert page.count("<script>") == 1
        assert "&lt;script&gt;x&lt;/script&gt;%(title)s %s &amp; {shown}" in page


@pytest.mark.parametrize("language", [each for each in NAMES if each != "en"])
def test_no_english_is_left_in_a_page(language: str) -> None:
    english, channel = render(in_languages("en", episodes=12)), made.channel()
    own = [text for item in made.feed(12, 1).items for text in (item.title, item.description)]
    of_the_show = "\n".join(map(str, (*own, channel.title, channel.description, channel.author)))
    for name, page in render(in_languages(language, episodes=12)).items():
        both = list_texts(page) & list_texts(english[name])
        assert {text for text in both if text not in of_the_show and not NAMES_OF_OTHERS.search(text)} == set(), name


NAMES_OF_OTHERS = re.compile(
    r"AntennaPod|Apple|Overcast|Pocket|Castro|Podcast Addict|gPodder|iPhone|Android|Linux|Atom|JSON|http|…"
)
"""Apps and formats, and what is shown in pieces; sources are in small letters."""


def list_texts(page: str) -> set[str]:
    """The texts between tags that have a word, but those in small or great letters alone."""
    shown = re.sub(r"<(script|style)>.*?</\1>", "", page, flags=re.DOTALL)
    found = (unescape(text).strip() for text in re.findall(r">([^<>]*[a-z]{3}[^<>]*)<", shown))
    return {text for text in found if not text.islower()}


def test_the_list_of_all_feeds_is_in_the_languages_of_the_config_or_of_all_shows(tmp_path: Path) -> None:
    one, other = (make_cover(in_languages(language)) for language in ("de", "ja"))
    assert languages.list_index_languages([one, one]) == ("de",)
    assert languages.list_index_languages([one, other]) == languages.list_index_languages([]) == ("en",)
    covers = [make_cover(in_languages("fr", "de", "en"))]
    files.place(tmp_path, publish.stage_index(tmp_path, covers))
    assert {path.name for path in tmp_path.glob("index*.html")} == {"index.html", "index.en.html"}
    assert 'href="quiet-machines/index.de.html"' in (tmp_path / "index.html").read_text()
    assert 'href="quiet-machines/index.en.html"' in (tmp_path / "index.en.html").read_text()
    files.place(tmp_path, publish.stage_index(tmp_path, [one]))
    assert [path.name for path in tmp_path.glob("index*.html")] == ["index.html"]


def test_pages_in_a_language_that_is_asked_for_no_more_are_removed(tmp_path: Path) -> None:
    for others, expected in ((("de", "es"), {"index.de.html", "index.es.html"}), (("es",), {"index.es.html"})):
        files.place(tmp_path / "quiet-machines", publish.stage(tmp_path, in_languages("en", *others)))
        assert {path.name for path in (tmp_path / "quiet-machines").glob("index.*.html")} == expected
