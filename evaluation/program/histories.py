"""Write the inputs of the golden histories: shows of our own invention, in the shapes and with the damage of real ones.

A history is a folder: ``config.yaml`` and one folder a refresh, named after the time of that refresh, with the files
that its sources then give. Run ``python -m evaluation.program.histories`` after a change of this file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parent / "histories"
FIRST = datetime(2025, 3, 3, 6, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Episode:
    """One episode of an invented show; ``day`` counts from the first, ``seconds`` is its length."""

    number: int
    title: str
    text: str
    seconds: int
    day: int
    tags: str = field(default="")

    @property
    def at(self) -> datetime:
        """The time at which its host published it."""
        return FIRST + timedelta(days=self.day)


BAKERY = (
    Episode(
        1,
        "The Rye Starter",
        "What lives in a jar of flour and water, and how to keep it alive through a winter.",
        1832,
        0,
    ),
    Episode(
        2,
        "Steam, Part 1",
        "Why a wet oven makes a better crust: we measure three ovens with a wet-bulb thermometer.",
        2410,
        7,
    ),
    Episode(
        3,
        "Steam, Part 2",
        "The same three ovens, now with stones. One of them cracks – we tell how not to.",
        2395,
        14,
    ),
    Episode(
        4,
        "Listener Mail",
        "Your questions about salt, seeds and the “windowpane” test.",
        1520,
        21,
    ),
    Episode(
        5,
        "Café crème & Brötchen",
        "A week in Saarbrücken: rolls at five in the morning, and what the baker thinks of us.",
        2750,
        28,
    ),
    Episode(
        6,
        "Listener Mail",
        "Letters about freezing dough, and one apology to the town of Naumburg.",
        1488,
        49,
    ),
    Episode(
        7,
        "Flour Is Not White",
        "A miller explains ash content. We bake the same loaf from five flours.",
        3005,
        56,
    ),
)

POSTS = (
    Episode(
        1,
        "On sharpening gouges",
        "The bevel decides. I hone at 22 degrees & strop after every cut.",
        0,
        0,
    ),
    Episode(
        2,
        "木の匙を彫る",
        "白樺は柔らかく、初めての一本に向いています。刃物は二本だけ使います。",
        0,
        9,
    ),
    Episode(
        3,
        "Notes on <dl> and <table>",
        "How I mark up a cutting list, and why a table was the wrong choice.",
        0,
        17,
    ),
    Episode(
        4,
        "A bench for small rooms",
        "It folds against the wall; the vise is a screw from an old press.",
        0,
        30,
    ),
)


def rss(show: str, episodes: tuple[Episode, ...], *, host: str, audio: str, guid: str) -> str:
    """Return the feed of a podcast host, newest first."""
    items = "".join(
        f"""  <item>
    <title>{escape(each.title)}</title>
    <guid isPermaLink="false">{guid}-{each.number:03}</guid>
    <link>https://{host}/episodes/{each.number}</link>
    <pubDate>{format_datetime(each.at)}</pubDate>
    <description>{escape(each.text)} Support the show at https://{host}/join</description>
    <itunes:duration>{each.seconds}</itunes:duration>
    <itunes:episode>{each.number}</itunes:episode>
    <enclosure url="https://{audio}/media/{each.number}.mp3" length="{each.seconds * 16000}" type="audio/mpeg"/>
    {each.tags}
  </item>
"""
        for each in reversed(episodes)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0">
<channel>
  <title>{escape(show)}</title>
  <link>https://{host}/</link>
  <language>en</language>
  <description>About bread, and the people who get up for it.</description>
  <itunes:author>Two Bakers</itunes:author>
  <itunes:explicit>false</itunes:explicit>
  <itunes:image href="https://{host}/cover.jpg"/>
  <podcast:funding url="https://{host}/join">Join us</podcast:funding>
{items}</channel>
</rss>
"""


def listing(show: str, episodes: tuple[Episode, ...]) -> str:
    """Return a directory's page as text: the title above its date, minutes, texts cut at 60 characters."""
    lines = ["Latest Baking Podcast Episodes", ""]
    for each in reversed(episodes):
        text = each.text if len(each.text) <= 60 else each.text[:60] + "..."
        spoken = f"{show} - {each.at:%B %-d, %Y %H:%M} - {round(each.seconds / 60)} minutes"
        lines += [f"{show} artwork", "", each.title, "", spoken, text, ""]
    return "\n".join(lines)


def page(episodes: tuple[Episode, ...]) -> str:
    """Return a directory's page as HTML, its titles numbered, its text read in the wrong encoding."""
    rows = "".join(
        f'<li class="ep"><h3><a href="/e/{each.number}">{each.number}. {escape(damaged(each.title))}</a></h3>'
        f'<time datetime="{each.at:%Y-%m-%d}">{each.at:%d.%m.%Y}</time><p>{escape(damaged(each.text))}</p></li>\n'
        for each in reversed(episodes)
    )
    return (
        '<!DOCTYPE html><html><head><meta charset="utf-8"><title>Episodes</title></head>'
        f"<body><ul>{rows}</ul></body></html>\n"
    )


def damaged(text: str) -> str:
    """Return the text as UTF-8 that was read as Windows-1252, where that can be; as it is elsewhere."""
    try:
        return text.encode("utf-8").decode("cp1252")
    except UnicodeDecodeError:
        return text


def atom(episodes: tuple[Episode, ...]) -> str:
    """Return the Atom feed of a blog."""
    entries = "".join(
        f"""  <entry>
    <id>tag:spoons.example,2025:{each.number}</id>
    <title>{escape(each.title)}</title>
    <link rel="alternate" href="https://spoons.example/posts/{each.number}/"/>
    <published>{each.at.isoformat()}</published>
    <updated>{each.at.isoformat()}</updated>
    <content type="html">{escape(f"<p>{escape(each.text)}</p><p>See <a href='/about'>about</a>.</p>")}</content>
  </entry>
"""
        for each in reversed(episodes)
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>https://spoons.example/</id>
  <title>Spoons</title>
  <updated>{episodes[-1].at.isoformat()}</updated>
  <link href="https://spoons.example/"/>
  <author><name>A. Carver</name></author>
{entries}</feed>
"""


def jsonfeed(episodes: tuple[Episode, ...]) -> str:
    """Return the same posts as JSON Feed, under other ids, the newest two only."""
    items = [
        {
            "id": f"post-{each.number}",
            "url": f"https://spoons.example/posts/{each.number}/?utm_source=jsonfeed",
            "title": each.title,
            "content_text": each.text,
            "date_published": each.at.isoformat(),
        }
        for each in reversed(episodes[-2:])
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "Spoons", "items": items}
    return json.dumps(feed, ensure_ascii=False, indent=1) + "\n"


BREAD = """\
base_url: https://feeds.example.org
feeds:
  bread:
    title: The Bread Hour
    link: https://bread.example/
    language: en
    categories: [Arts > Food]
    sources:
      host: {kind: feed, path: inputs/host.xml}
      topic: {kind: listing, path: inputs/topic.txt}
      shelf:
        kind: page
        path: inputs/shelf.html
        options: {items: li.ep, title: h3, link: a@href, date: time@datetime, text: p}
"""

SPOONS = """\
base_url: https://feeds.example.org
feeds:
  spoons:
    title: Spoons
    sources:
      blog: {kind: blog, path: inputs/feed.atom}
      json: {kind: jsonfeed, path: inputs/feed.json}
"""


def bread(episodes: tuple[Episode, ...], *, moved: bool) -> dict[str, str]:
    """Return what the sources of the bread show list; after its move from another host, with other guids and audio."""
    host = {"host": "loaf.example", "audio": "cdn.loaf.example", "guid": "loaf"}
    old = {"host": "bread.example", "audio": "media.bread.example", "guid": "bread"}
    feed = rss("The Bread Hour", episodes, **(host if moved else old))
    return {"host.xml": feed, "topic.txt": listing("The Bread Hour", episodes), "shelf.html": page(episodes[-5:])}


def spoons(posts: tuple[Episode, ...]) -> dict[str, str]:
    """Return what the sources of the blog list."""
    return {"feed.atom": atom(posts), "feed.json": jsonfeed(posts)}


HISTORIES = {
    "bread": (
        BREAD,
        {
            "2025-04-01T08:00:00Z": bread(BAKERY[:5], moved=False),
            "2025-04-22T08:00:00Z": bread(BAKERY[:6], moved=False),
            "2025-05-01T08:00:00Z": bread(BAKERY[:7], moved=True),
        },
    ),
    "spoons": (
        SPOONS,
        {"2025-03-21T08:00:00Z": spoons(POSTS[:3]), "2025-04-03T08:00:00Z": spoons(POSTS)},
    ),
}


def main() -> None:
    """Write every history's files."""
    for name, (config, refreshes) in HISTORIES.items():
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
        (FOLDER / name / "config.yaml").write_text(config, encoding="utf-8")
        for at, files in refreshes.items():
            folder = FOLDER / name / at.replace(":", "")
            folder.mkdir(exist_ok=True)
            for file, text in files.items():
                (folder / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
