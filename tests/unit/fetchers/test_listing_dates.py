"""Dates of pages and JSON: what one value leaves open, its listing decides; dates count from the poll."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from aggregator.fetchers import parse
from aggregator.fetchers.directories import json_proposals
from aggregator.model.entry import Entry
from aggregator.model.source import Document, Source

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)


def read_page(texts: list[str], lang: str = "", **options: str) -> tuple[Entry, ...]:
    rows = "".join(f"<li><h3>Knot {chr(65 + at)}</h3><b>{text}</b></li>" for at, text in enumerate(texts))
    source = Source("p", "page", url="https://k.example/", options=(("items", "li"), ("date", "b"), *options.items()))
    body = f"<html{lang and f' lang={lang}'}><body><ul>{rows}</ul></body></html>".encode()
    return parse.read(Document(source, "https://k.example/", body, polled=NOW)).entries


def read_json(values: list[object], field: str = "date", **options: str) -> tuple[Entry, ...]:
    paths = {"items": "@", field: "v", **options}
    source = Source("j", "json", url="https://k.example/", options=tuple(paths.items()))
    rows = [{"title": f"Knot {chr(65 + at)}", "v": value} for at, value in enumerate(values)]
    return parse.read(Document(source, "https://k.example/", json.dumps(rows).encode(), polled=NOW)).entries


def days(entries: tuple[Entry, ...]) -> list[str]:
    return [f"{entry.published.at:%m-%d}" if entry.published else "" for entry in entries]


@pytest.mark.parametrize(
    ("texts", "lang", "options", "expected"),
    [
        (["02/03/2026", "14/02/2026"], "", {}, ["03-02", "02-14"]),  # no month 14: the day stands first in all
        (["02/03/2026", "02/14/2026"], "it", {}, ["02-03", "02-14"]),  # also against the language
        (["02/03/2026", "01/03/2026"], "pt-BR", {}, ["03-02", "03-01"]),
        (["02/03/2026", "01/03/2026"], "en-AU", {}, ["03-02", "03-01"]),
        (["02/03/2026", "01/03/2026"], "en", {}, ["02-03", "01-03"]),
        (["02/03/2026", "14/02/2026"], "it", {"day_first": "no"}, ["02-03", "02-14"]),  # the config decides first
        (["vor 2 Tagen", "gestern"], "de", {}, ["03-02", "03-03"]),
    ],
)
def test_a_page(texts: list[str], lang: str, options: dict[str, str], expected: list[str]) -> None:
    assert days(read_page(texts, lang, **options)) == expected


def test_years_that_a_page_does_not_write() -> None:
    texts = ["Mar 2", "Feb 23 · 12 min", "Posted on Feb 9", "Jan 5", "Dec 29", "December 15"]
    found = read_page(texts, "en")
    assert [f"{each.published.at:%Y-%m-%d}" if each.published else "" for each in found] == [
        *("2026-03-02", "2026-02-23", "2026-02-09", "2026-01-05", "2025-12-29", "2025-12-15")
    ]
    assert [each.key for each in found] == [f"knot-{letter}" for letter in "abcdef"], "keys do not move with the clock"
    assert days(read_page(["Mar 2", "Dec 15", "Feb 9", "Jan 5", "Dec 29", "Feb 23"], "en")) == [""] * 6
    rows = [[f"{month}月{day}日", "Knot"] for month, day in ((3, 2), (2, 23), (2, 9), (1, 5), (12, 29))]
    assert days(read_json([row[0] for row in rows])) == ["03-02", "02-23", "02-09", "01-05", "12-29"]


def test_years_in_headings_of_a_page() -> None:
    lists = "".join(
        f"<h2>{year}</h2><ul><li><h3>Knot {year} a</h3><b>9. Mai</b></li>"
        f"<li><h3>Knot {year} b</h3><b>3. Mai</b></li></ul>"
        for year in (2025, 2023, 2020)
    )
    source = Source("p", "page", url="https://k.example/", options=(("items", "li"), ("date", "b"), ("title", "h3")))
    body = f"<html lang=de><body>{lists}</body></html>".encode()
    found = parse.read(Document(source, "https://k.example/", body, polled=NOW)).entries
    assert [each.published.at.year if each.published else 0 for each in found] == [2025, 2025, 2023, 2023, 2020, 2020]


def test_years_that_the_front_page_of_a_blog_does_not_write() -> None:
    posts = [("/a", "2. März"), ("/b", "23. Februar"), ("/c", "9. Februar"), ("/d", "29. Dezember 2025")]
    rows = "".join(f"<article><h2><a href={link}>Knot</a></h2><time>{text}</time></article>" for link, text in posts)
    source = Source("b", "blog", url="https://k.example/")
    document = Document(source, "https://k.example/", f"<html lang=de>{rows}</html>".encode(), polled=NOW)
    assert days(parse.read(document).entries) == ["03-02", "02-23", "02-09", "12-29"]


def test_the_front_page_of_a_blog() -> None:
    posts = [("/a", "02/03/2026"), ("/b", "01/03/2026"), ("/c", "il y a 2 jours")]
    rows = "".join(f"<article><h2><a href={link}>Knot</a></h2><time>{text}</time></article>" for link, text in posts)
    source = Source("b", "blog", url="https://k.example/")
    document = Document(source, "https://k.example/", f"<html lang=fr>{rows}</html>".encode(), polled=NOW)
    assert days(parse.read(document).entries) == ["03-02", "03-01", "03-02"]


def test_a_blog_as_text() -> None:
    source = Source("b", "blog", url="https://k.example/")
    text = "".join(
        f"Knot {letter}\nA bend.\n• {date}\n\n" for letter, date in (("A", "02/03/2026"), ("B", "14/02/2026"))
    )
    assert days(parse.read(Document(source, "https://k.example/", text.encode())).entries) == ["03-02", "02-14"]


def test_the_key_of_an_entry_does_not_move_with_the_clock() -> None:
    assert [entry.key for entry in read_page(["2 days ago", "March 1, 2026"])] == ["knot-a", "knot-b@2026-03-01"]


def test_the_key_of_an_entry_does_not_move_with_a_campaign_or_a_visit() -> None:
    keys = set()
    for more in ("?n=7", "?n=7&utm_campaign=may", "?utm_source=a&n=7&PHPSESSID=9", ";jsessionid=5F?n=7"):
        rows = f"<li><h3><a href='/knot/a/{more}'>Knot</a></h3></li>"
        source = Source("p", "page", url="https://k.example/", options=(("items", "li"), ("link", "a@href")))
        (entry,) = parse.read(Document(source, "https://k.example/", f"<html><body>{rows}".encode())).entries
        assert entry.link == f"https://k.example/knot/a/{more}"
        keys.add(entry.key)
    assert keys == {"https://k.example/knot/a/?n=7"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["02/03/2026", "14/02/2026"], ["03-02", "02-14"]),
        (["/Date(1772442000000)/", "/Date(1772442000000-0500)/"], ["03-02", "03-02"]),
        (["1772442000.75", "1772442000000000"], ["03-02", "03-02"]),
        ([[2026, 3, 2], [2026, 3, 2, 9, 0, 0, 250]], ["03-02", "03-02"]),
        ([[None, "2026-03-02"], ["2026-03-02", 7, 7]], ["03-02", "03-02"]),  # lists of other things
        (["2 giorni fa", "ieri"], ["03-02", "03-03"]),
    ],
)
def test_json(values: list[object], expected: list[str]) -> None:
    assert days(read_json(values)) == expected


@pytest.mark.parametrize(
    ("values", "options", "seconds"),
    [
        (["40", "25.5"], {"unit": "minutes"}, [2400, 1530]),
        (["2400000", "1530000"], {}, [2400000 // 1000, 1530]),  # milliseconds as text
        (["2400", "1530"], {}, [2400, 1530]),
        (["40 min", "PT25M"], {"unit": "minutes"}, [2400, 1500]),
    ],
)
def test_lengths_of_json(values: list[object], options: dict[str, str], seconds: list[int]) -> None:
    found = read_json(values, "length", **options)
    assert [entry.duration.seconds if entry.duration else None for entry in found] == seconds


def test_the_date_of_wordpress_is_that_with_a_known_zone() -> None:
    rows = [
        {"title": f"Knot {n}", "date": f"2026-03-0{n}T09:00:00", "date_gmt": f"2026-03-0{n}T08:00:00"} for n in (1, 2)
    ]
    assert dict(json_proposals.propose(rows)[0])["date"] == "date_gmt"
