"""One mistake in one item of a feed damages no other item, whatever the mistake and the format."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.feeds import feed
from aggregator.fetchers.parsing.well_formed import make_well_formed
from aggregator.fetchers.parsing.xml import find_mistake
from aggregator.model.entry import Entry
from aggregator.model.source import Document, Source

MISTAKES = {
    "a bare ampersand": "Salz & Sand",
    "an ampersand before a word": "Q&A mit Jo",
    "an unknown entity": "Möwe&nbsp;&hellip; und Boot",
    "an entity of nothing": "Leine &schot; Tau",
    "a control character": "Ebbe \x0b und Flut",
    "a reference to a control character": "Ebbe &#11; und Flut",
    "an unclosed tag": "Ebbe<br>Flut",
    "unclosed paragraphs": "<p>Ebbe<p>Flut",
    "tags that cross": "<b>Ebbe <i>und</b> Flut</i>",
    "an end tag alone": "Ebbe</p> Flut",
    "a stray bracket": "3 < 5, und <3",
    "a section that does not end": "<![CDATA[Ebbe und <b>Flut</b>",
    "an end of a section alone": "Ebbe ]]> Flut",
    "an attribute without quotes": "<a href=https://mole.example/?a=1&b=2>Ebbe</a>",
    "an attribute twice": '<img src="a" src="b"> Ebbe',
    "a comment in a comment": "Ebbe <!-- a -- b --> Flut",
    "a prefix that is not declared": "<o:p>Ebbe</o:p>",
    "half of an instruction": "Ebbe <?und> Flut",
    "a declaration inside": "<?xml version='1.0'?>Ebbe",
    "a name with a sign": "Ebbe <m²> Flut",
}
BESIDE = {
    "a prefix that is not declared": "<merk:mal>Ebbe</merk:mal>",
    "an attribute with such a prefix": "<mal merk:mal='Ebbe'/>",
    "a prefix that another element declares": "<merk:mal xmlns:merk='urn:merk'/><merk:mal/>",
    "a prefix that is declared as nothing": "<mal xmlns:merk=''/>",
    "a prefix that is declared as no address": "<mal xmlns:merk='Ebbe und Flut'/>",
    "a prefix beyond ASCII": "<ämter:mal/>",
}
HEADS = {
    "rss": '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:podcast="https://podcastindex.org/namespace/1.0">'
    "<channel><title>Mole &amp; Meer</title><link>https://mole.example/</link>{}</channel></rss>",
    "atom": '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:podcast="https://podcastindex.org/namespace/1.0">'
    "<title>Mole &amp; Meer</title><id>urn:mole</id>{}</feed>",
}
NOTES = (
    "&lt;p&gt;Zoë &amp;amp; Ján: &lt;a href=&quot;https://mole.example/?a=1&amp;amp;b=2&quot;&gt;塩&lt;/a&gt;&lt;/p&gt;"
)


def item(kind: str, number: int, title: str = "", notes: str = NOTES) -> str:
    title = title or f"Nº {number} &#8211; „Salz“ &amp; Sand"
    more = (
        f'<podcast:transcript url="https://mole.example/{number}.vtt?a=1&amp;b=2" type="text/vtt"/>'
        "<podcast:person>Ann &amp; Tom</podcast:person>"
    )
    if kind == "atom":
        return (
            f'<entry><title>{title}</title><id>urn:{number}&amp;x</id><link href="https://mole.example/{number}?a&amp;b"/>'
            f'<content type="html">{notes}</content>{more}<updated>2026-05-0{number}T05:00:00Z</updated></entry>'
        )
    return (
        f"<item><title>{title}</title><guid isPermaLink='false'>g{number}&amp;x</guid>"
        f"<link>https://mole.example/{number}?a=1&amp;lang=pt</link><description>Kurz {number} &amp; gut</description>"
        f"<content:encoded>{notes}</content:encoded><itunes:summary>Lang {number} &lt;3</itunes:summary>{more}"
        f'<enclosure url="https://mole.example/{number}.mp3?a=1&amp;b=2" type="audio/mpeg" length="5"/></item>'
    )


def read(body: str) -> list[Entry]:
    document = Document(Source("x", "feed"), "https://mole.example/feed", body.encode("utf-8", "surrogatepass"))
    return [replace(entry, position=0) for entry in feed.read(document).entries]


@pytest.mark.parametrize("place", ["title", "notes"])
@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_the_other_items_are_read_as_without_it(kind: str, mistake: str, place: str) -> None:
    sound = read(HEADS[kind].format("".join(item(kind, number) for number in (1, 2, 3, 4))))
    wrong = {place: mistake}
    broken = [item(kind, number, **(wrong if number == 2 else {})) for number in (1, 2, 3, 4)]
    found = read(HEADS[kind].format("".join(broken)))
    assert len(found) == 4
    assert [found[at] for at in (0, 2, 3)] == [sound[at] for at in (0, 2, 3)]
    assert (found[1].guid, found[1].link, found[1].tags) == (sound[1].guid, sound[1].link, sound[1].tags)
    if place == "title":
        assert (found[1].html, found[1].enclosure) == (sound[1].html, sound[1].enclosure)
        assert "Ebbe" in found[1].title or "Ebbe" not in mistake


IN_SECTION = "<![CDATA[<p>Zoë &amp; Ján: <a href='https://mole.example/?a=1&amp;b=2'>塩</a></p>]]>"


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("kept", [len("<![CDATA[<p>Zoë"), -4, -3, -1])
def test_a_section_that_lacks_its_end_hides_no_other_item(kind: str, kept: int) -> None:
    """The end of the next item's section ends it, too, so that the document is well-formed."""
    items = [item(kind, number, notes=IN_SECTION) for number in (1, 2, 3, 4)]
    sound = read(HEADS[kind].format("".join(items)))
    items[1] = item(kind, 2, notes=IN_SECTION[:kept])
    found = read(HEADS[kind].format("".join(items)))
    assert [found[at] for at in (0, 2, 3)] == [sound[at] for at in (0, 2, 3)]
    assert (found[1].title, found[1].guid, found[1].tags) == (sound[1].title, sound[1].guid, sound[1].tags)
    assert "Zoë" in (found[1].html or found[1].description or "")


def test_a_section_that_shows_how_a_feed_is_written_stays_whole() -> None:
    shown = "<![CDATA[<pre><item><title>a</title></item>\n<item><title>b</title></item></pre>]]>"
    entries = read(HEADS["rss"].format("".join(item("rss", number, notes=shown) for number in (1, 2))))
    assert [entry.html for entry in entries] == [shown[9:-3]] * 2


ENDS = {"rss": ["</channel>", "</rss>", "</channel></rss>"], "atom": ["</feed>"]}


@pytest.mark.parametrize("place", ["title", "notes", "between"])
@pytest.mark.parametrize(("kind", "end"), [(kind, end) for kind, ends in ENDS.items() for end in ends])
def test_an_end_of_the_feed_before_its_last_item_loses_none(kind: str, end: str, place: str) -> None:
    items = [item(kind, number) for number in (1, 2, 3, 4)]
    sound = read(HEADS[kind].format("".join(items)))
    items[1] = item(kind, 2, **{place: f"Ebbe {end} Flut"}) if place != "between" else items[1] + end
    found = read(HEADS[kind].format("".join(items)))
    assert [found[at] for at in (0, 2, 3)] == [sound[at] for at in (0, 2, 3)]
    assert found[1].guid == sound[1].guid


def test_a_feed_that_is_printed_twice_is_read_once() -> None:
    whole = HEADS["rss"].format("".join(item("rss", number) for number in (1, 2)))
    assert read(whole + whole) == read(whole)


@pytest.mark.parametrize("begin", ["<item>", "<entry>"])
@pytest.mark.parametrize("kind", HEADS)
def test_an_item_that_is_mentioned_begins_none(kind: str, begin: str) -> None:
    items = [item(kind, number) for number in (1, 2, 3, 4)]
    sound = read(HEADS[kind].format("".join(items)))
    for place in ("title", "notes"):
        items[1] = item(kind, 2, **{place: f"Ebbe und {begin} in XML"})
        found = read(HEADS[kind].format("".join(items)))
        assert [found[at] for at in (0, 2, 3)] == [sound[at] for at in (0, 2, 3)]
        assert (found[1].guid, found[1].link, found[1].tags) == (sound[1].guid, sound[1].link, sound[1].tags)


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("mistake", BESIDE.values(), ids=BESIDE.keys())
def test_an_element_that_is_wrong_costs_nothing(kind: str, mistake: str) -> None:
    items = [item(kind, number) for number in (1, 2, 3, 4)]
    sound = read(HEADS[kind].format("".join(items)))
    items[1] = items[1].replace("<title>", f"{mistake}<title>")
    assert read(HEADS[kind].format("".join(items))) == sound


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Q&A", "Q&A"),
        ("Q&amp;A", "Q&A"),
        ("caf&eacute;&nbsp;&amp;&nbsp;bar", "café\xa0&\xa0bar"),
        ("3 < 5", "3 < 5"),
        ("Ebbe&#x1F; und&#0; Flut", "Ebbe und Flut"),
        ("&lt;b&gt; & <i>", "<b> & <i>"),
    ],
)
def test_the_mistake_itself_is_read_as_it_was_meant(written: str, title: str) -> None:
    assert read(HEADS["rss"].format(item("rss", 1, title=written)))[0].title == title


def test_markup_that_closes_stays_markup() -> None:
    xhtml = (
        '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>塩 &amp; <b>Sand</b></p></div></content>'
    )
    other = item("atom", 2).replace("<content", "<summary/><content")
    entries = (f"<entry><title>{title}</title><id>u</id>{xhtml}</entry>{other}" for title in ("A & B", "A &amp; B"))
    broken, sound = (read(HEADS["atom"].format(each)) for each in entries)
    assert broken == sound


@pytest.mark.parametrize(("kind", "begin", "end"), [("rss", "<item>", "</item>"), ("atom", "<entry>", "</entry>")])
def test_an_item_that_breaks_off_is_read_whole_or_not_at_all(kind: str, begin: str, end: str) -> None:
    """Half of an item would be published beside what other sources list of it, or take its place."""
    whole = HEADS[kind].format("".join(item(kind, number) for number in (1, 2)))
    first, second = read(whole)
    for at in range(whole.rindex(begin), len(whole)):
        assert read(whole[:at]) in ([first], [first, second])
    assert read(whole[: whole.rindex(end)]) == [first, second], "only the ends are lacking"


def test_the_only_item_of_a_feed_that_breaks_off_has_no_half_of_an_element() -> None:
    whole = HEADS["rss"].format(item("rss", 1))
    (first,) = read(whole)
    for end in ("</guid>", "</link>", "</podcast:person>"):
        (entry,) = read(whole[: whole.rindex(end) + len(end)])
        assert (entry.title, entry.guid) == (first.title, first.guid)
        with pytest.raises(ReadError, match="breaks off before its first item"):
            read(whole[: whole.rindex(end)])
    assert read(whole[: whole.rindex("</item>")]) == [first]


def test_a_feed_that_breaks_off_before_its_first_item_is_an_error() -> None:
    with pytest.raises(ReadError, match="breaks off before its first item"):
        read(HEADS["rss"].format("")[:-20] + "<item><title>Half a ti")


def test_a_document_of_any_depth_is_repaired() -> None:
    repaired = make_well_formed(f"<rss><channel>{'<item><b><title><![CDATA[' * 2000}</channel></rss>")
    assert etree.fromstring(repaired.encode()).tag == "rss"


PIECES = st.sampled_from([
    "<item>", "</item>", "<title>", "</title>", "<b>", "</b>", "<br/>", "&", "&amp;", "&nbsp;", "&#0;", "<", ">", "]]>",
    "<![CDATA[", "<!--", "-->", "<?x y?>", "<?", '<a b="c"', "<a b=c>", "<a:b x:y='1'>", "<rss>", "</rss>", "<channel>",
    "</channel>", '"', "'", "/>", "<!DOCTYPE x [<!ENTITY y 'z'>]>", "&y;", "\ufffe", " ", "<i:j>", "<guid>", "塩", "x",
    "<?a:b ?>", "<?xml version='1.0'?>", "<a²>", "<×>", "<塩>", "<é:b>", "<a xmlns:q=''>", "<a xmlns:xml='u'>",
    "<a :b='1'>",
])  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
@settings(max_examples=100)
def test_whatever_is_repaired_is_well_formed(inside: str) -> None:
    repaired = make_well_formed(f"<rss><channel>{inside}</channel></rss>")
    parser = etree.XMLParser(resolve_entities=False, huge_tree=True)
    assert etree.fromstring(repaired.encode(), parser).tag == "rss"
    assert not find_mistake(repaired)


@given(
    st.lists(st.sampled_from(["<b>塩</b>", "&amp;", "<br/>", "<!-- a -->", "<![CDATA[&]]>", " x ", "&#8211;"])).map(
        "".join
    )
)
def test_what_is_well_formed_stays_as_it_is(inside: str) -> None:
    document = f"<rss a='1'><channel><item><description>{inside}</description></item></channel></rss>"
    assert make_well_formed(document) == document
