"""Every element of docs/output.md, from a source's feed to the published one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lxml import etree

from tests.support.config import make_feed, write_config
from tests.support.origin import Site, serving
from tests.support.paths import ROOT
from tests.support.program import run_program

ROW = re.compile(r"^\| `([\w:]+)` \| (channel|item) \| (passed|generated|dropped) \|", re.MULTILINE)
TABLE = {(place, name): verdict for name, place, verdict in ROW.findall((ROOT / "docs/output.md").read_text("utf-8"))}
SPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "media": "http://search.yahoo.com/mrss/",
    "psc": "http://podlove.org/simple-chapters",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "wfw": "http://wellformedweb.org/CommentAPI/",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "georss": "http://www.georss.org/georss",
    "googleplay": "http://www.google.com/schemas/play-podcasts/1.0",
    "spotify": "http://www.spotify.com/ns/rss",
}
REMOTE = '<podcast:remoteItem feedGuid="917393e3-1b1e-5cef-ace4-edaa54e1f810" medium="podcast"/>'
VALUE = (
    '<podcast:value type="lightning" method="keysend">'
    '<podcast:valueRecipient type="node" address="03ae9f" split="100"/></podcast:value>'
)
LIVE = (
    '<podcast:liveItem status="live" start="2024-06-01T10:00:00Z" end="2024-06-01T14:00:00Z">'
    "<title>Sea Room live</title><guid>live-1</guid>"
    '<enclosure url="https://cdn.example/live.mp3" type="audio/mpeg" length="312"/>'
    '<podcast:contentLink href="https://show.example/live">Listen</podcast:contentLink></podcast:liveItem>'
)
CHAPTERS = (
    '<psc:chapters version="1.2"><psc:chapter start="0" title="Intro"/>'
    '<psc:chapter start="01:02:03.500" title="Ropes &amp; knots" href="https://show.example/ropes"/></psc:chapters>'
)
PAYMENT = '<atom:link rel="payment" href="https://show.example/give" title="Give" type="text/html"/>'
CHAT = '<podcast:chat server="irc.example" protocol="irc" space="#sea"/>'
SOCIAL = '<podcast:socialInteract protocol="activitypub" uri="https://social.example/1"/>'
PICTURES = '<podcast:images srcset="https://show.example/a.jpg 1500w, https://show.example/b.jpg 300w"/>'
PICTURE = '<podcast:image href="https://show.example/wide.jpg" purpose="social"/>'
# The samples by name; "{}" stands for each other element, with its name as its text.
CHANNEL = {
    "title": "Sea Room",
    "link": "https://show.example/",
    "description": "About the sea.",
    "language": "en",
    "copyright": "2024 Ann Tide",
    "image": "<image><url>https://show.example/a.jpg</url><title>Sea Room</title><link>https://show.example/</link></image>",
    "pubDate": "Sat, 01 Jun 2024 10:00:00 GMT",
    "lastBuildDate": "Sat, 01 Jun 2024 10:00:00 GMT",
    "cloud": '<cloud domain="rpc.example" port="80" path="/" registerProcedure="x" protocol="soap"/>',
    "textInput": "<textInput><title>a</title><link>http://e.example</link></textInput>",
    "ttl": "61",
    "skipHours": "<skipHours><hour>3</hour></skipHours>",
    "skipDays": "<skipDays><day>Monday</day></skipDays>",
    "sy:updatePeriod": "hourly",
    "atom:link": PAYMENT,
    "itunes:category": '<itunes:category text="Arts"/>',
    "itunes:explicit": "no",
    "itunes:image": '<itunes:image href="https://show.example/a.jpg"/>',
    "itunes:type": "episodic",
    "itunes:complete": "Yes",
    "itunes:block": "Yes",
    "itunes:new-feed-url": "https://other.example/feed",
    "itunes:owner": "<itunes:owner><itunes:email>ann@show.example</itunes:email></itunes:owner>",
    "podcast:guid": "917393e3-1b1e-5cef-ace4-edaa54e1f810",
    "podcast:locked": "yes",
    "podcast:medium": "podcast",
    "podcast:block": "yes",
    "podcast:podping": '<podcast:podping usesPodping="true"/>',
    "podcast:remoteItem": REMOTE,
    "podcast:person": '<podcast:person role="host" href="https://show.example/ann">Ann Tide</podcast:person>',
    "podcast:location": '<podcast:location geo="geo:48,-5">Ar-Men</podcast:location>',
    "podcast:license": "cc-by-4.0",
    "podcast:updateFrequency": '<podcast:updateFrequency rrule="FREQ=WEEKLY">weekly</podcast:updateFrequency>',
    "podcast:trailer": '<podcast:trailer url="https://cdn.example/t.mp3" pubdate="Sat, 01 Jun 2024 10:00:00 GMT"/>',
    "podcast:podroll": f"<podcast:podroll>{REMOTE}</podcast:podroll>",
    "podcast:publisher": f"<podcast:publisher>{REMOTE}</podcast:publisher>",
    "podcast:funding": '<podcast:funding url="https://show.example/give">Give</podcast:funding>',
    "podcast:value": VALUE,
    "podcast:txt": '<podcast:txt purpose="release">2024</podcast:txt>',
    "podcast:chat": CHAT,
    "podcast:socialInteract": SOCIAL,
    "podcast:image": PICTURE,
    "podcast:images": PICTURES,
    "podcast:liveItem": LIVE,
}
ITEM = {
    "title": "Rope work at sea",
    "link": "https://show.example/1",
    "description": "How ropes are made.",
    "content:encoded": "&lt;p&gt;How ropes are made, and of what.&lt;/p&gt;",
    "guid": '<guid isPermaLink="false">one</guid>',
    "pubDate": "Fri, 31 May 2024 10:00:00 GMT",
    "enclosure": '<enclosure url="https://cdn.example/1.mp3" length="1000" type="audio/mpeg"/>',
    "source": '<source url="https://other.example/feed">Other</source>',
    "dc:date": "2024-05-31T10:00:00Z",
    "comments": "https://show.example/1?a=1&amp;b=2#comments",
    "atom:link": PAYMENT,
    "feedburner:origLink": "https://show.example/1",
    "slash:comments": "12",
    "itunes:title": "Rope work",
    "itunes:duration": "1200",
    "itunes:episode": "1",
    "itunes:season": "2",
    "itunes:episodeType": "full",
    "itunes:explicit": "no",
    "itunes:image": '<itunes:image href="https://show.example/1.jpg"/>',
    "itunes:block": "Yes",
    "media:content": '<media:content url="https://cdn.example/1.mp4" type="video/mp4" medium="video" duration="1200"/>',
    "media:group": '<media:group><media:content url="https://cdn.example/1.webm" type="video/webm"/></media:group>',
    "media:thumbnail": '<media:thumbnail url="https://show.example/1s.jpg" width="75" height="50"/>',
    "media:player": '<media:player url="https://show.example/player/1"/>',
    "podcast:person": '<podcast:person role="guest">Bo Quay</podcast:person>',
    "podcast:location": '<podcast:location geo="geo:48,-5">Ar-Men</podcast:location>',
    "podcast:license": "cc-by-4.0",
    "podcast:season": '<podcast:season name="Knots">2</podcast:season>',
    "podcast:episode": '<podcast:episode display="One">1</podcast:episode>',
    "podcast:transcript": '<podcast:transcript url="https://show.example/1.vtt" type="text/vtt"/>',
    "podcast:soundbite": '<podcast:soundbite startTime="73.0" duration="60.0">Ropes</podcast:soundbite>',
    "podcast:alternateEnclosure": '<podcast:alternateEnclosure type="audio/opus" length="500">'
    '<podcast:source uri="https://cdn.example/1.opus"/></podcast:alternateEnclosure>',
    "podcast:contentLink": '<podcast:contentLink href="https://video.example/1">Watch</podcast:contentLink>',
    "podcast:funding": '<podcast:funding url="https://show.example/give/1">Give</podcast:funding>',
    "podcast:value": VALUE,
    "podcast:txt": "words",
    "podcast:chat": CHAT,
    "podcast:socialInteract": SOCIAL,
    "podcast:image": PICTURE,
    "podcast:images": PICTURES,
    "psc:chapters": CHAPTERS,
}
# A second item has what the first must not have beside its other elements.
SECOND = {
    **{name: ITEM[name] for name in ("description", "pubDate")},
    "guid": '<guid isPermaLink="false">two</guid>',
    "title": "Dead reckoning",
    "enclosure": '<enclosure url="https://cdn.example/2.mp3" length="1000" type="audio/mpeg"/>',
    "podcast:chapters": '<podcast:chapters url="https://show.example/2.json" type="application/json+chapters"/>',
    "psc:chapters": CHAPTERS,
}


def xml(name: str, sample: str | None) -> str:
    return sample if sample and sample.startswith("<") else f"<{name}>{sample or name}</{name}>"


def document() -> str:
    names = {place: [name for where, name in TABLE if where == place] for place in ("channel", "item")}
    head = "".join(xml(name, CHANNEL.get(name)) for name in names["channel"])
    first = "".join(xml(name, ITEM.get(name)) for name in names["item"] if name not in SECOND or name in ITEM)
    second = "".join(xml(name, sample) for name, sample in SECOND.items())
    spaces = " ".join(f'xmlns:{prefix}="{address}"' for prefix, address in SPACES.items())
    return f'<rss version="2.0" {spaces}><channel>{head}<item>{first}</item><item>{second}</item></channel></rss>'


def children(parent: etree._Element, name: str) -> list[etree._Element]:
    prefix, _, local = name.rpartition(":")
    return parent.findall(f"{{{SPACES[prefix]}}}{local}" if prefix else local)


def plain(element: etree._Element) -> tuple[object, ...]:
    attributes = sorted(element.attrib.items())
    return element.tag, (element.text or "").strip(), attributes, list(map(plain, element))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a program with two feeds of one source, of which one passes payment addresses on."""
    folder = tmp_path_factory.mktemp("elements")
    with serving(Site()) as site:
        site.serve("/feed", document())
        feed = make_feed("Sea Room", {"host": site.url("/feed")})
        write_config(folder, {"sea": feed, "paid": {**feed, "value": "pass"}})
        for at in ("2024-06-01T12:00:00Z", "2024-06-03T12:00:00Z"):
            done = run_program(folder, "refresh", "--at", at)
            assert done.returncode == 0, done.stderr
            (folder / at[:10]).mkdir()
            for each in ("sea", "paid"):
                (folder / at[:10] / f"{each}.xml").write_bytes((folder / "output" / each / "podcast.xml").read_bytes())
    return folder


def read(published: Path, name: str) -> dict[str, list[etree._Element]]:
    channel = etree.parse(published / f"{name}.xml").getroot()[0]
    return {"channel": [channel], "item": channel.findall("item")}


def test_each_element_becomes_what_the_table_says(published: Path) -> None:
    source = etree.fromstring(document())[0]
    given = {"channel": [source], "item": source.findall("item")}
    found = read(published, "2024-06-01/paid")
    wrong = []
    for (place, name), verdict in TABLE.items():
        sent = [plain(each) for parent in given[place] for each in children(parent, name)]
        seen = [plain(each) for parent in found[place] for each in children(parent, name)]
        passed = all(each in seen for each in sent)
        if (
            (verdict == "dropped" and seen)
            or (verdict == "passed" and not (sent and passed))
            or (verdict == "generated" and not seen)
        ):
            wrong.append((place, name, verdict, seen))
    assert wrong == []
    assert len(TABLE) > 100


def test_who_is_paid_is_the_owners_decision_and_a_live_item_ends(published: Path) -> None:
    def count(name: str, element: str) -> int:
        return len(list(etree.parse(published / f"{name}.xml").iter(f"{{{SPACES['podcast']}}}{element}")))

    assert (count("2024-06-01/sea", "value"), count("2024-06-01/paid", "value")) == (0, 2)
    assert (count("2024-06-01/sea", "liveItem"), count("2024-06-03/sea", "liveItem")) == (1, 0)


def test_chapters_are_also_a_file_that_apps_read(published: Path) -> None:
    named = {
        str(item.findtext("guid")): item.find(f"{{{SPACES['podcast']}}}chapters").attrib
        for item in read(published, "2024-06-01/sea")["item"]
    }
    assert dict(named["two"]) == {"url": "https://show.example/2.json", "type": "application/json+chapters"}
    name = named["one"]["url"].removeprefix("http://localhost:8000/sea/")
    assert named["one"]["type"] == "application/json+chapters"
    assert json.loads((published / "output/sea" / name).read_text()) == {
        "version": "1.2.0",
        "chapters": [
            {"startTime": 0, "title": "Intro"},
            {"startTime": 3723.5, "title": "Ropes & knots", "url": "https://show.example/ropes"},
        ],
    }
    assert [path.name for path in (published / "output/sea").glob("chapters-*.json")] == [name]


def test_the_published_feed_is_valid(published: Path) -> None:
    files = [str(published / f"2024-06-01/{name}.xml") for name in ("sea", "paid")]
    done = run_program(published, "validate", *files, str(published / "output/sea/feed.atom"))
    assert done.returncode == 0, done.stdout
