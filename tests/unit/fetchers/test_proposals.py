"""Proposals for unknown pages: right on nearly all shapes, and a list of sound sources whatever the bytes."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.errors import ConfigError, ReadError
from aggregator.fetchers import parse
from aggregator.fetchers.addresses import normalize
from aggregator.fetchers.directories import json_proposals, proposals
from aggregator.model.source import Document, Source
from aggregator.text.times.lines import find_date, find_duration
from evaluation.proposals.__main__ import LEAST, find_faults
from evaluation.proposals.pages import make_pages

PAGES = {page.shape: page for page in make_pages()}
PIECES = st.sampled_from(
    ["<ul>", "<li class=a>", "<li class='b-1 %'>", "</li>", "</ul>", "<a href=/1>One</a>", "<a href='/1.mp3'>", "<b>",
     "<time datetime=2024-05-01>", "1. Mai 2024", "12:30", "<tr><td>", "<h3>Two</h3>", "<p>", "<div id=x>", "</div>",
     "<script type=application/ld+json>", '[{"name":"a","datePublished":"2024-05-01"},', "1]", "</script>", "\0", "<a",
     '<link rel="https://api.w.org/" href="//[">', "<x itemtype='s/Article' itemprop=name>", "<article>", "é", "<!--"]
)  # fmt: skip


WORDS = ("Pain", "Bac", "Neige")


def test_the_date_alone_is_proposed_before_a_block_with_other_text() -> None:
    rows = "".join(
        f"<li><h3><a href=/{n}>Knots {chr(64 + n)}</a></h3>"
        f"<div class=meta-date>Part {n} <span>March {n}, 2026</span></div></li>"
        for n in range(1, 6)
    )
    found = proposals.propose(Document(Source("p", "page"), "https://k.example/", f"<ul>{rows}</ul>".encode()))
    assert dict(found.sources[0].options)["date"] == "span"


@pytest.mark.parametrize(
    "row",
    [
        "<li><h3><a href=/{n}>Knots {word}</a></h3><i>vor {n} Tagen</i></li>",
        "<dt>Knots {word}</dt><dd><span class=date>vor {n} Tagen</span> We tie one.</dd>",
        "<dt>Knots {word}</dt><dd><span class=date>vor {n} Tagen</span>" + " and {n} more" * 20 + "</dd>",
        "<h3>Knots {word}</h3><i>vor {n} Tagen</i>",
    ],
)
def test_dates_that_count_from_the_poll_are_proposed(row: str) -> None:
    body = "<!DOCTYPE html>" + "".join(row.format(n=n, word=chr(64 + n)) for n in range(2, 7))
    page = Document(Source("p", "page"), "https://k.example/", body.encode(), polled=datetime(2026, 3, 20, tzinfo=UTC))
    listing = parse.read(replace(page, source=proposals.propose(page).sources[0]))
    assert [(each.title, each.published and each.published.at.day) for each in listing.entries] == [
        (f"Knots {word}", day) for word, day in zip("BCDEF", range(18, 13, -1), strict=True)
    ]


SEASONS = (1, 2, 3, 4, 1, 2, 3, 4)
MARKUP = {
    "li": "<ul>{rows}</ul>",
    "a": "<table>{rows}</table>",
    "dt": "<dl>{rows}</dl>",
}
ROWS = {
    "li": "<li class=e><h3><a href=/{n}>{title}</a></h3> <time>{day}</time><p>{text}</p></li>",
    "a": "<tr><td>{day}</td><td><a href=/{n}>{title}</a></td><td>34 min</td></tr>",
    "dt": "<dt><a href=/{n}>{title}</a></dt><dd><span class=date>{day}</span> {text}</dd>",
}


@pytest.mark.parametrize("markup", MARKUP)
@pytest.mark.parametrize("title", ["Tagesschau {n}.10.2026", "Folge {season}", "Knoten {word}"])
@pytest.mark.parametrize("length", [20, 400])
def test_titles_with_dates_and_repeated_ones_are_read_without_what_stands_beside_them(
    markup: str, title: str, length: int
) -> None:
    told = [
        (title.format(n=20 - n, season=season, word=chr(64 + n)), f"{20 - n}. Oktober 2026")
        for n, season in enumerate(SEASONS, 1)
    ]
    rows = "".join(
        ROWS[markup].format(n=n, title=name, day=day, text=f"{n} Worte " * (length // 8))
        for n, (name, day) in enumerate(told)
    )
    body = f"<!DOCTYPE html>{MARKUP[markup].format(rows=rows)}".encode()
    page = Document(Source("p", "page"), "https://k.example/", body)
    listing = parse.read(replace(page, source=proposals.propose(page).sources[0]))
    assert [(each.title, each.published and f"{each.published.at:%-d}") for each in listing.entries] == [
        (name, day.partition(".")[0]) for name, day in told
    ]


@pytest.mark.parametrize("title", ["Folge {season}", "Knoten {n}"])
def test_a_show_that_lists_its_episodes_is_no_episode(title: str) -> None:
    episodes = [
        {"@type": "PodcastEpisode", "name": title.format(season=season, n=n), "datePublished": f"2026-10-{20 - n}"}
        for n, season in enumerate(SEASONS, 1)
    ]
    show = {"@context": "https://schema.org", "@type": "PodcastSeries", "name": "Knoten", "episode": episodes}
    found = [dict(options)["items"] for options in json_proposals.propose([show])]
    assert found
    assert all("episode" in items for items in found)


def test_nearly_all_shapes_are_read_right_at_once() -> None:
    right = sum(not find_faults(page) for page in PAGES.values())
    assert right >= LEAST * len(PAGES)


@settings(deadline=None, max_examples=60)
@given(st.lists(PIECES, max_size=40))
def test_whatever_the_page_a_proposal_is_read_or_refused(pieces: list[str]) -> None:
    document = Document(Source("x", "page"), "https://example.org/x", ("<html><body>" + "".join(pieces)).encode())
    refused = []
    for proposal in proposals.propose(document).sources:
        try:
            parse.read(Document(proposal, document.url, document.body))
        except ReadError as error:
            refused.append(str(error))
    assert not [each for each in refused if "is no CSS selector" in each or "is no path" in each]


def test_fields_of_an_api_are_found_by_their_values_where_their_names_are_unknown() -> None:
    rows = [
        {
            "tunnus": f"jakso-{number}",
            "luokka": "Liikenne",
            "julkaistu": f"2026-10-{number}T05:00:00Z",
            "otsikko": title,
            "kuvaus": f"Jaksossa {number} puhumme asiasta: {title.lower()}.",
            "tiedosto": {"osoite": f"https://cdn.example/{number}.mp3"},
        }
        for number, title in ((26, "Viimeinen bussi"), (19, "Päätepysäkki"), (12, "Lumi"))
    ]
    (options, *_) = json_proposals.propose({"ohjelma": {"jaksot": rows}})
    assert dict(options) == {
        "items": "ohjelma.jaksot",
        "title": "otsikko",
        "date": "julkaistu",
        "audio": "tiedosto.osoite",
        "text": "kuvaus",
    }


def test_names_with_quotes_and_backslashes_are_quoted_in_paths() -> None:
    rows = [
        {'the "title"': word, "a\\date": f"2024-05-0{day}"} for day, word in enumerate(("Bread", "Ferry", "Snow"), 1)
    ]
    (options, *_) = json_proposals.propose({'all "new"': rows})
    body = json.dumps({'all "new"': rows}).encode()
    listing = parse.read(Document(Source("x", "json", options=options), "https://example.org/x", body))
    assert [entry.title for entry in listing.entries] == ["Bread", "Ferry", "Snow"]


@pytest.mark.parametrize("head", ["window.__DATA__ =", "var player={};const data=", "self.store.shows = "])
def test_what_the_code_of_a_page_keeps_is_proposed_and_read(head: str) -> None:
    rows = [{"titre": word, "date": f"2024-05-0{day}", "mp3": f"/{day}.mp3"} for day, word in enumerate(WORDS, 1)]
    other = "<script>render(window.__DATA__, self.store.shows, data); var sizes = [1, 2, 3]</script>"
    code = f"{head}{json.dumps({'liste': rows})};\nrender({{a: 1}});"
    page = Document(Source("p", "page"), "https://k.example/", f"<html>{other}<script>{code}</script>".encode())
    listing = parse.read(replace(page, source=proposals.propose(page).sources[0]))
    assert [(each.title, each.enclosure and each.enclosure.url) for each in listing.entries] == [
        (word, f"https://k.example/{day}.mp3") for day, word in enumerate(WORDS, 1)
    ]
    assert not proposals.propose(replace(page, body=b"<html><script>var data = [broken, {'a': 1}];</script>")).sources


@pytest.mark.parametrize(
    ("pasted", "url"),
    [
        ("example.com/show", "https://example.com/show"),
        (" <https://example.com/show> ", "https://example.com/show"),
        ("localhost:8000/feed", "http://localhost:8000/feed"),
        ("192.168.1.20:8080/rss.xml", "http://192.168.1.20:8080/rss.xml"),
        ("feed:https://example.com/rss", "https://example.com/rss"),
        ("pcast://example.com/rss", "https://example.com/rss"),
        ("https://overcast.fm/itunes1566080008/pytorch", "https://podcasts.apple.com/us/podcast/id1566080008"),
        ("pca.st/itunes/1566080008", "https://podcasts.apple.com/us/podcast/id1566080008"),
        ("https://podcastaddict.com/feed/https%3A%2F%2Fexample.com%2Frss", "https://example.com/rss"),
        ("feedly.com/i/subscription/feed%2Fhttp%3A%2F%2Fexample.com%2Frss", "http://example.com/rss"),
        ("https://feedly.com/i/subscription/feed/https://example.com/rss", "https://example.com/rss"),
        (
            "https://antennapod.org/deeplink/subscribe?url=https%3A%2F%2Fexample.com%2Frss&title=x",
            "https://example.com/rss",
        ),
        ("antennapod-subscribe://example.com/rss", "https://example.com/rss"),
        ("https://subscribeonandroid.com/example.com/rss", "https://example.com/rss"),
        ("https://subscribeonandroid.com/http://example.com/rss", "https://example.com/rss"),
        ("view-source:https://example.com/show", "https://example.com/show"),
        ("'https://example.com/a(b)'", "https://example.com/a(b)"),
        ("https:example.com/show", "https://example.com/show"),
        ("http:/example.com/show", "http://example.com/show"),
        ("https//example.com/show", "https://example.com/show"),
        ("itms://itunes.apple.com/de/podcast/id12", "https://itunes.apple.com/de/podcast/id12"),
        ("https://itunes.apple.com/podcast?mt=2&id=12", "https://podcasts.apple.com/us/podcast/id12"),
        ("https://embed.podcasts.apple.com/us/podcast/x/id12", "https://podcasts.apple.com/us/podcast/x/id12"),
        (
            "youtube.com/channel/UCabcdefghijklmnopqrstuv/videos",
            "https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv",
        ),
        (
            "https://www.youtube.com/watch?v=x&list=PL123",
            "https://www.youtube.com/feeds/videos.xml?playlist_id=PL123",
        ),
        ("https://www.youtube.com/@handle", "https://www.youtube.com/@handle"),
    ],
)
def test_what_people_paste_becomes_an_address(pasted: str, url: str) -> None:
    assert normalize(pasted) == url


@pytest.mark.parametrize("pasted", ["", "a show", "ftp://example.org/x", "https:///feed", "open.spotify.com/show/1"])
def test_what_cannot_be_asked_is_refused(pasted: str) -> None:
    with pytest.raises(ConfigError):
        normalize(pasted)


@pytest.mark.parametrize(
    ("text", "day", "seconds"),
    [
        ("Posted on May 1, 2024 by Ann", "2024-05-01", None),
        ("Folge 12 | 01.05.2024 | 34 Min.", "2024-05-01", 2040),
        ("2024年5月1日", "2024-05-01", None),
        ("12 sierpnia 2024", "2024-08-12", None),
        ("1 мая 2024", "2024-05-01", None),
        ("In 2024 we met 12 people", None, None),
        ("60", None, 60),
    ],
)
def test_dates_and_lengths_are_found_in_lines(text: str, day: str | None, seconds: int | None) -> None:
    date, length = find_date(text), find_duration(text)
    precise = date if date and date.precision not in ("guess", "year") else None
    assert (precise and f"{precise.at:%Y-%m-%d}") == day
    assert (length and length.seconds) == seconds
