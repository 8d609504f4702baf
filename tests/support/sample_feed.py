"""A feed as the pipeline makes it, built by hand: episodes, posts, damage that was repaired, sources that disagree."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from aggregator.generator.content.prepared import prepare
from aggregator.generator.kept import KeptItems
from aggregator.generator.pages import pages
from aggregator.model.cluster import Pair
from aggregator.model.entry import Duration, Enclosure, Moment, Note
from aggregator.model.feed import Channel, Cover, Feed, SourceResult
from aggregator.model.item import Dissent, Item, Provenance
from aggregator.model.source import Source

START = datetime(2024, 8, 4, 8, 0, tzinfo=UTC)
MIB = 1_048_576


def channel(base_url: str = "https://feeds.example.org/quiet-machines", **more: object) -> Channel:
    given: dict[str, object] = {
        "name": "quiet-machines",
        "title": "Quiet Machines",
        "base_url": base_url,
        "guid": "9b024349-ccf0-5f69-a609-6b82873eab3c",
        "link": "https://quiet-machines.example",
        "description": "Fifteen calm minutes about the machinery under the software.\n\nEvery other week, by people "
        "who keep it running. Notes at https://quiet-machines.example/notes.",
        "language": "en",
        "author": "Mara Ilves & Jon Åkesson",
        "image": "https://art.example/quiet.jpg",
        "categories": (("Technology",),),
    }
    return Channel(**{**given, **more})  # type: ignore[arg-type]  # a test's keyword arguments


TITLES = (
    "Why caches lie",
    "The long tail of a queue",
    "Clocks, and other opinions",
    "Naming a thing twice",
    "What the kernel owes you, part 2",
    "What the kernel owes you, part 1",
    "Reading a flame graph aloud",
    "Bonus: letters from listeners",
)
NOTES = (
    "A cache is a promise that nothing happened since. We follow one wrong number through four layers, and meet "
    "the person who put each of them there.\n\nChapters and links: https://quiet-machines.example/{n}\n"
    "Music by the Basement Trio.\n\nThe second half is about what to do when the layer that lies is not yours: "
    "measure from outside, keep the receipts, and write to them kindly."
)


def episode(number: int, audio: str = "https://media.example/qm", at: datetime | None = None) -> Item:
    title = TITLES[number % len(TITLES)] if number < len(TITLES) else f"Conversation {number}"
    return Item(
        title=title,
        entries=(f"host/qm-{number:04d}", f"apple/{1000 + number}", f"casts/{title}"),
        guid=f"qm-{number:04d}",
        description=NOTES.format(n=number) if number % 3 else "A short one.",
        published=Moment(at or START - timedelta(days=14 * number)),
        duration=Duration(893 + 61 * number, 60 if number % 4 == 3 else 1),
        enclosure=Enclosure(f"{audio}/{number:04d}.mp3", "audio/mpeg", 14 * MIB + number),
        link=f"https://quiet-machines.example/{number}",
        season=2,
        episode=300 - number,
        episode_type="bonus" if title.startswith("Bonus") else "full",
        image="https://art.example/ep.jpg" if number == 1 else None,
        origin="host",
        provenance=(
            Provenance("title", "host", ("apple",), (Dissent("casts", title.upper()),)),
            Provenance(
                "description",
                "apple",
                ("host",),
                confidence=0.93,
                notes=(
                    Note("description", "mojibake", "keep the receipts â€” always", "keep the receipts — always"),
                    Note("description", "displaced-word", "follow wrong one number", "follow one wrong number"),
                )
                if number % 5 == 1
                else (),
            ),
            Provenance("published", "host", ("apple", "casts")),
            Provenance("enclosure", "host"),
        ),
    )


def post(number: int) -> Item:
    return Item(
        title=f"Field notes, no. {number}",
        entries=(f"blog/https://quiet-machines.example/notes/{number}",),
        genre="post",
        guid=f"https://quiet-machines.example/notes/{number}",
        description="What we learned from moving the mixing desk.\n\nPictures follow.",
        published=Moment(START - timedelta(days=9 * number), "day"),
        link=f"https://quiet-machines.example/notes/{number}",
        author="Jon Åkesson",
        origin="blog",
        provenance=(Provenance("title", "blog"), Provenance("description", "blog")),
    )


def source_results() -> tuple[SourceResult, ...]:
    return (
        SourceResult(Source("apple", "apple", "https://podcasts.apple.example/id1"), "unchanged", entries=8),
        SourceResult(Source("blog", "blog", "https://quiet-machines.example/feed.xml"), "ok", entries=2),
        SourceResult(Source("casts", "listing", path="/data/casts.txt"), "snapshot", entries=7),
        SourceResult(Source("host", "feed", "https://host.example/rss"), "failed", "timed out", entries=8),
    )


def feed(
    episodes: int = 8,
    posts: int = 2,
    base_url: str = "https://feeds.example.org/quiet-machines",
    audio: str = "https://media.example/qm",
) -> Feed:
    items = (*(episode(number, audio) for number in range(episodes)), *(post(number) for number in range(1, posts + 1)))
    return Feed(
        channel=channel(base_url),
        items=ordered(items),
        updated=START,
        source_results=source_results(),
        near_misses=(Pair("apple/1004", "apple/1005", 0.4), Pair("host/qm-0007", "blog/x", 0.1)),
    )


def history(base: str, media: str, numbers: range) -> Feed:
    """The feed as first published: episodes with audio on ``media``, newest first, and two posts."""
    whole = feed(0, 2, f"{base}/quiet-machines")
    # A higher number is a newer episode here, so that growth counts upwards.
    items = [episode(number, f"{media}/a", START + timedelta(days=number)) for number in numbers]
    return replace(whole, items=ordered((*items, *whole.items)), updated=START)


def grown(then: Feed, count: int) -> Feed:
    """The feed with ``count`` newer episodes, on the same media host as the newest."""
    episodes = [item for item in then.items if item.enclosure]
    first = max(int(item.guid.rpartition("-")[2]) for item in episodes) + 1
    audio = (episodes[0].enclosure.url if episodes[0].enclosure else "").rpartition("/")[0]
    added = [episode(number, audio, START + timedelta(days=number)) for number in range(first, first + count)]
    return replace(then, items=ordered((*then.items, *added)), updated=START + timedelta(days=first))


def moved(then: Feed) -> Feed:
    """The same feed after its sources changed titles, hosts of audio and of pages, order and texts; guids stand."""
    return replace(
        then,
        items=tuple(
            replace(
                item,
                title=f"{item.title} (remastered)",
                description=f"{item.description}\n\nNow with better sound.",
                entries=tuple(reversed(item.entries)),
                origin="apple",
                link=f"https://elsewhere.example/{item.guid}",
                enclosure=replace(item.enclosure, url=item.enclosure.url.replace("/a/", "/cdn/b/") + "?from=elsewhere")
                if item.enclosure
                else None,
            )
            for item in then.items
        ),
        source_results=tuple(reversed(then.source_results)),
        updated=then.updated + timedelta(hours=1),
    )


def ordered(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Newest first, as the pipeline orders them."""
    return tuple(
        sorted(items, key=lambda item: (item.published.at if item.published else START, item.guid), reverse=True)
    )


def page(feed: Feed, *, changes: bool = False) -> bytes:
    """The page of a feed, as it is published."""
    document = pages.lay_out_feed_page(feed, changes=changes)
    return next(KeptItems().render(prepare(feed), "page", pages.render_cards, [("index.html", document)]))[1]


def render_index(covers: Sequence[Cover]) -> bytes:
    """The list of all feeds in its main language, as it is published."""
    return next(pages.render_index_pages(covers))[1]
