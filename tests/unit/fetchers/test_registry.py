"""The registry: the module of each kind, what is kept of a listing, and what is read of local files."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import parse, registry, snapshot
from aggregator.model.source import Conditions, Document, Filter, Request, Source

FEED = b"""<rss version="2.0"><channel><title>T</title>%s</channel></rss>"""
ITEM = b"<item><title>%s</title><guid>%s</guid><category>%s</category></item>"


def source(kind: str = "feed", **keys: object) -> Source:
    return Source(name="here", kind=kind, **keys)  # type: ignore[arg-type]  # the test's own keys


def only(*shows: str) -> Filter:
    return Filter(Conditions(show=shows))


def titles(body: bytes, **keys: object) -> list[str]:
    document = Document(source(**keys), "https://example.org/feed", body)  # type: ignore[arg-type]  # as above
    return [entry.title for entry in parse.read(document).entries]


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_module_locates_and_reads(kind: str) -> None:
    requests = {
        "url": (source(kind, url="https://example.org/x"), (Request("https://example.org/x"),)),
        "path": (source(kind, path="/tmp/x"), ()),  # noqa: S108 -- never opened
    }
    for place in registry.KINDS[kind].places:
        if place in requests:
            assert registry.locate(requests[place][0]) == requests[place][1]
    with pytest.raises(ReadError, match="here: "):
        parse.read(Document(source(kind), "https://example.org/x", b"nothing that anybody understands"))
    with pytest.raises(ReadError, match="empty"):
        parse.read(Document(source(kind), "https://example.org/x", b" \n"))
    assert parse.discover(Document(source(kind), "https://example.org/x", b"nothing")) == ()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (
            {"show": "77"},
            (
                "https://itunes.apple.com/lookup?id=77&country=us&media=podcast&entity=podcastEpisode&limit=200",
                "https://podcasts.apple.com/us/podcast/id77",
            ),
        ),
        (
            {"url": "https://podcasts.apple.com/gb/podcast/quiet-machines/id77"},
            (
                "https://itunes.apple.com/lookup?id=77&country=gb&media=podcast&entity=podcastEpisode&limit=200",
                "https://podcasts.apple.com/gb/podcast/quiet-machines/id77",
            ),
        ),
        (
            {"show": "77", "options": (("country", "de"),)},
            (
                "https://itunes.apple.com/lookup?id=77&country=de&media=podcast&entity=podcastEpisode&limit=200",
                "https://podcasts.apple.com/de/podcast/id77",
            ),
        ),
        ({"url": "https://itunes.apple.com/lookup?id=77"}, ("https://itunes.apple.com/lookup?id=77",)),
    ],
)
def test_apple_is_asked_twice(keys: dict[str, object], expected: tuple[str, ...]) -> None:
    assert registry.locate(source("apple", **keys)) == tuple(map(Request, expected))


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(ReadError, match='"gopher" is not a kind of source; the kinds are simplecast, feed'):
        registry.locate(source("gopher"))


def test_a_package_adds_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    real = metadata.entry_points
    point = metadata.EntryPoint("gopher", "aggregator.fetchers.feeds.feed", registry.ENTRY_POINTS)
    monkeypatch.setattr(metadata, "entry_points", lambda **_: metadata.EntryPoints([point, *real(group="none")]))
    assert registry.names()[-1] == "gopher"
    assert titles(FEED % (ITEM % (b"a", b"1", b"x")), kind="gopher") == ["a"]


def test_only_the_show_that_the_config_names_is_read() -> None:
    body = FEED % b"".join(ITEM % words for words in [(b"One", b"1", b"Lifts"), (b"Two", b"2", b"Stairs")])
    assert titles(body, filter=only("t")) == ["One", "Two"]
    assert titles(body, filter=only("u", "T")) == ["One", "Two"]
    assert titles(body, filter=Filter(exclude=Conditions(show=("T",)))) == []
    listing = parse.read(Document(source(filter=only("U")), "https://example.org/feed", body))
    assert listing.entries == ()
    assert listing.remarks == ("none of the 2 entries is of the show that the config asks for",)


def test_keys_are_unique_and_the_oldest_keeps_its_own() -> None:
    grown = [(b"New", b"1", b""), (b"Old", b"1", b""), (b"Old", b"1", b""), (b"Other", b"2", b"")]

    def keys(items: list[tuple[bytes, bytes, bytes]]) -> dict[str, tuple[str, str | None]]:
        body = FEED % b"".join(ITEM % words for words in items)
        listing = parse.read(Document(source(), "https://example.org/feed", body))
        return {entry.title: (entry.key, entry.guid) for entry in listing.entries}

    before, after = keys(grown[2:]), keys(grown)
    assert before == {title: after[title] for title in before} == {"Old": ("1", "1"), "Other": ("2", "2")}
    assert after["New"][0].startswith("1#")
    assert after["New"][1] is None


def test_one_item_published_twice_keeps_its_guid() -> None:
    dated = b"<item><title>Same</title><guid>1</guid><pubDate>%s Mar 2026 06:00:00 GMT</pubDate></item>"
    body = FEED % (dated % b"05" + dated % b"04")
    found = parse.read(Document(source(), "https://example.org/feed", body)).entries
    assert [entry.guid for entry in found] == ["1", "1"]
    assert [entry.key == "1" for entry in found] == [False, True]


def test_one_audio_under_two_titles_keeps_its_guid() -> None:
    item = b'<item><title>%s</title><guid>1</guid><enclosure url="https://a.example/1.mp3" type="audio/mpeg"/></item>'
    found = parse.read(Document(source(), "https://example.org/feed", FEED % (item % b"New" + item % b"Old"))).entries
    assert [entry.guid for entry in found] == ["1", "1"]


def test_two_shows_may_publish_one_title_on_one_day() -> None:
    entry = "%s artwork\n\nMail\n\n%s - March 4, 2026 06:00 - 12 minutes\nLetters.\n\n"
    body = "".join(entry % (show, show) for show in ("Quiet", "Loud")).encode()
    listing = parse.read(Document(source("listing"), "https://example.org/", body))
    assert sorted(entry.show or "" for entry in listing.entries) == ["Loud", "Quiet"]
    alone = parse.read(Document(source("listing", filter=only("Quiet")), "https://example.org/", body))
    assert [entry.key for entry in alone.entries] == ["mail@2026-03-04"]


def test_a_feed_without_items_is_an_empty_listing() -> None:
    assert titles(FEED % b"") == []


def test_local_files(tmp_path: Path) -> None:
    file = tmp_path / "feed.xml"
    file.write_bytes(FEED % b"")
    as_path = snapshot.read_file(source(path=str(file)))
    as_snapshot = snapshot.read_file(source(snapshot=str(file)))
    assert as_path.body == as_snapshot.body == FEED % b""
    assert as_path.url == file.as_uri()


def test_unreadable_local_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FetchError, match=r"here: .*/missing.xml cannot be read: no such file or directory"):
        snapshot.read_file(source(path=str(tmp_path / "missing.xml")))
    with pytest.raises(FetchError, match="is not a file"):
        snapshot.read_file(source(path=str(tmp_path)))
    with pytest.raises(FetchError, match="cannot be read"):
        snapshot.read_file(source(path="a\0b"))
    (tmp_path / "empty.xml").touch()
    with pytest.raises(ReadError, match=r"empty.xml is empty \(0 bytes\)"):
        snapshot.read_file(source(snapshot=str(tmp_path / "empty.xml")))
    monkeypatch.setattr(snapshot, "_MOST_BYTES", 2)
    (tmp_path / "large.xml").write_bytes(b"abc")
    with pytest.raises(ReadError, match="larger than"):
        snapshot.read_file(source(path=str(tmp_path / "large.xml")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "needs the option items"),
        ((("items", "li"), ("colour", "red")), "has no option colour"),
        ((("items", "li["),), "option items: .* is no CSS selector"),
        ((("items", "//li["),), "option items: .* is no selector"),
        ((("items", "li"), ("title", "h9")), "items finds 1 elements on the page and no title in them"),
    ],
)
def test_selectors_that_do_not_work(options: tuple[tuple[str, str], ...], message: str) -> None:
    body = b"<!DOCTYPE html><ul><li><h2>One</h2></li></ul>"
    with pytest.raises(ReadError, match=message):
        parse.read(Document(source("page", options=options), "https://example.org/", body))


@pytest.mark.parametrize(
    ("kind", "options", "body"),
    [
        ("feed", (), FEED % b"<item><title>One</title><guid>1</guid></item>"),
        ("jsonfeed", (), b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "title": "One"}]}'),
        ("page", (("items", "li"),), b"<!DOCTYPE html><ul><li><h2>One</h2></li></ul>"),
        ("json", (("items", "shows"), ("title", "name")), b'{"shows": [{"name": "One"}]}'),
    ],
)
@pytest.mark.parametrize("genre", ["episode", "post"])
def test_the_config_says_what_the_entries_of_any_kind_are(
    kind: str, options: tuple[tuple[str, str], ...], body: bytes, genre: str
) -> None:
    named = source(kind, options=(*options, ("genre", genre)))
    assert [each.genre for each in parse.read(Document(named, "https://example.org/", body)).entries] == [genre]


def test_an_html_page_is_no_feed() -> None:
    body = b"<!DOCTYPE html><html><body><h1>Not found</h1></body></html>"
    with pytest.raises(ReadError, match=r"here: an HTML page where a feed was expected \(https://example.org/feed\)"):
        titles(body)


def test_a_feed_that_breaks_off_is_said_to_be_one() -> None:
    body = "<rss><channel>".encode("utf-16") + bytes(range(256)) * 20
    with pytest.raises(ReadError, match=r"here: the feed breaks off before its first item"):
        titles(body)


def test_twenty_thousand_items() -> None:
    item = (
        b"<item><title>Item %d</title><guid>%d</guid><enclosure url='https://a.example/%d' type='audio/mpeg'/></item>"
    )
    body = FEED % b"".join(item % (number, number, number) for number in range(20_000))
    listing = parse.read(Document(source(), "https://example.org/feed", body))
    assert len(listing.entries) == 20_000
    assert listing.entries[-1].title == "Item 19999"
    assert listing.remarks == ()


@pytest.mark.parametrize("charset", ["utf-7", "punycode", "rot13", "a\0b", "nonsense", "latin-1"])
def test_a_charset_that_cannot_be_meant_is_passed_over(charset: str) -> None:
    body = b"1) Caf\xc3\xa9\nIt opens early.\n"
    document = Document(source("listing"), "https://example.org/", body, charset=charset)
    expected = "CafÃ©" if charset == "latin-1" else "Café"
    assert [entry.title for entry in parse.read(document).entries] == [expected]


def test_a_feed_in_a_charset_that_cannot_be_meant_is_read() -> None:
    document = Document(source(), "https://example.org/feed", FEED % b"<item><title>A</title></item>", charset="a\0b")
    assert [entry.title for entry in parse.read(document).entries] == ["A"]


def test_pages_of_nothing() -> None:
    for body in (b"<!DOCTYPE html>", b"<html>", b"<p>\x00</p>"):
        document = Document(source("blog"), "https://example.org/", body)
        assert parse.discover(document) == ()
        with pytest.raises(ReadError, match="where a blog's feed or front page was expected"):
            parse.read(document)
