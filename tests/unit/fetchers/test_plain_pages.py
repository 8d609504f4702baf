"""Pages with little markup: indexes of files, links between line breaks, texts without elements of their own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from msgspec.structs import replace

from aggregator.fetchers import parse
from aggregator.fetchers.directories import proposals
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Source

BIRDS = ("Wren", "Heron", "Siskin", "Plover", "Dunnock")
HEAD = (
    "<!doctype html><html><head><title>Birds</title></head><body><nav><a href=/>Home</a><a href=/about>About</a></nav>"
)
INDEX = "<a href='?C=N;O=D'>Name</a>", "<a href='/'>Parent Directory</a>"


def make_day(number: int) -> str:
    return f"March {20 - number}, 2026"


def write(row: str, around: str = "{}", between: str = "") -> str:
    rows = (
        row.format(n=number, bird=bird, day=make_day(number), iso=f"2026-03-{20 - number:02}", min=31 + number)
        for number, bird in enumerate(BIRDS)
    )
    return HEAD + around.format(between.join(rows))


def read(body: str, kind: str = "") -> Listing:
    page = Document(Source("p", kind or "page"), "https://b.example/", body.encode(), "text/html")
    return parse.read(page if kind else replace(page, source=proposals.propose(page).sources[0]))


PAGES: dict[str, str] = {
    "Apache": write(
        "<tr><td></td><td><a href='/{n}.mp3'>{bird}</a></td><td>{iso} 06:00 </td><td> {min}M</td></tr>",
        f"<table><tr><th></th><th>{INDEX[0]}</th></tr><tr><td></td><td>{INDEX[1]}</td><td>&nbsp;</td></tr>{{}}",
    ),
    "nginx": write("<a href='/{n}.mp3'>{bird}</a>     {iso} 06:00     {min}123456\n", f"<pre>{INDEX[1]}\n{{}}</pre>"),
    "dates before": write("{day}: <a href='/{n}.mp3'>{bird}</a>", "<p>{}</p>", "<br>\n"),
    "dates before, one line": write("{day}: <a href='/{n}.mp3'>{bird}</a> ", "<p>{}</p>"),
    "dates behind": write("<a href='/{n}.mp3'>{bird}</a> ({day})", "<div>{}</div>", "<br>"),
    "lines": write("<p><b>{bird}</b><br>{day}<br><a href='/{n}.mp3'>Listen</a></p>"),
    "own words": write("<li>{bird} <a href='/{n}.mp3'>MP3</a> (<a href='/{n}.pdf'>PDF</a>, {day})</li>", "<ul>{}</ul>"),
    "day in the file": write("<li>{bird} <audio src='/{iso}/{n}.mp3'></audio></li>", "<ul>{}</ul>"),
    "advertisement": write(
        "<li class='row r{n}'><h4>{bird}</h4><i>{day}</i><audio src='/{n}.mp3'></audio></li>",
        "<ul>{}<li class='row promo'><h4>Buy seeds</h4><i>Sponsored</i></li></ul>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", PAGES)
def test_a_plain_page_is_read(shape: str) -> None:
    entries = read(PAGES[shape]).entries
    assert [each.title for each in entries] == list(BIRDS)
    assert [each.published and each.published.at.date() for each in entries] == [
        date(2026, 3, 20 - n) for n in range(5)
    ]
    assert [each.enclosure and each.enclosure.url[-6:] for each in entries] == [f"/{n}.mp3" for n in range(5)]
    assert not [each.link for each in entries if each.link and each.link.endswith(".mp3")]
    assert not any(each.duration or each.description for each in entries if shape != "lines")


def test_names_of_files_are_titles_without_their_endings() -> None:
    row = "<a href='/The%20{bird}%20in%20a%20wood.mp3'>{bird}</a>   {iso} 06:00   1\n"
    names = [
        row.format(bird=bird, iso="2026-03-01").replace(">Wren", ">The Wren in..&gt;") for bird in ("Wren", "Heron.mp3")
    ]
    entries = read(f"{HEAD}<pre>{''.join(names)}</pre>").entries
    assert [each.title for each in entries] == ["The Wren in a wood", "Heron"]


@pytest.mark.parametrize("kind", ["", "blog"])
def test_a_day_in_the_link_is_the_date_where_there_is_no_other(kind: str) -> None:
    body = write("<article><h2><a href='/2026/03/{min}/{bird}'>{bird}</a></h2></article>").replace("/3", "/1")
    days = [each.published and (each.published.at.day, each.published.precision) for each in read(body, kind).entries]
    assert days == [(11 + n, "day") for n in range(5)]


def test_two_elements_with_dates_and_audio_are_a_list() -> None:
    row = "<div class=e><b>{}</b><i>March {}, 2026</i><audio src=/{}.mp3></audio></div>"
    entries = read(HEAD + row.format("Wren", 2, 2) + row.format("Heron", 1, 1)).entries
    assert [each.title for each in entries] == ["Wren", "Heron"]


TABLE = "<tr><td><a href=/birds>Birds</a></td><td><a href=/{n}>{bird}</a></td><td>{day}</td></tr>"


def test_the_link_of_a_row_is_that_of_its_title() -> None:
    entries = read(write(TABLE, "<table>{}</table>")).entries
    assert [each.link for each in entries] == [f"https://b.example/{n}" for n in range(5)]


def test_a_link_that_all_rows_have_is_not_that_of_an_entry() -> None:
    entries = read(write(TABLE.replace("<a href=/{n}>{bird}</a>", "{bird}"), "<table>{}</table>")).entries
    assert not any(each.link for each in entries)
    assert len({each.key for each in entries}) == len(BIRDS)


def test_words_around_a_line_break_are_two() -> None:
    assert [each.title for each in read(write("<li><h3>{bird}<br>Part 1</h3><i>{day}</i></li>")).entries] == [
        f"{bird} Part 1" for bird in BIRDS
    ]


@pytest.mark.parametrize("line", [lambda bird, day: f"{bird} - {day}", lambda bird, day: f"{bird} - {day} - 5 min"])
def test_lines_that_each_have_a_title_and_a_date_are_no_listing_of_a_directory(line: Callable[[str, str], str]) -> None:
    text = "\n".join(["Birds", *(line(bird, make_day(number)) for number, bird in enumerate(BIRDS))])
    with pytest.raises(parse.ReadError):
        parse.read(Document(Source("d", "listing"), "https://b.example/", text.encode(), "text/plain"))
