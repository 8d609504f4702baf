"""What our own rules and seven other programs say against a published folder; the truth is its feed.json.

A parser that accepts a feed proves little, so each one's items are held against the items of feed.json: ids, order,
titles, dates, enclosures. Every complaint is one line; no line is the aim.
"""

import calendar
import html
import io
import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import atoma
import feedparser
import podcastparser

from aggregator.validator.examine import examine

XML = ("podcast.xml", "feed.xml", "feed.atom")
LATER = datetime(2100, 1, 1, tzinfo=UTC)
# partytime's XML parser makes numbers and booleans of titles such as these, and then finds no text: its defect.
UNTITLED = {"12", "0", "true", "false"}


def complaints(folder: Path, parsers: Path) -> list[str]:
    """Everything anybody says against the files of the folder."""
    items = json.loads((folder / "feed.json").read_bytes())["items"]
    heard = [item for item in items if _audio(item)[:1] and str(_audio(item)[2]).startswith(("audio/", "video/"))]
    documents = sorted(path for path in folder.iterdir() if path.suffix in (".xml", ".atom", ".json"))
    documents = [path for path in documents if not path.name.startswith(("report.", "chapters-"))]
    found = [line for path in documents for line in _rules(path)]
    found += _xmllint([path for path in documents if path.suffix in (".xml", ".atom")])
    for name, meant in (("podcast.xml", heard), ("feed.xml", items), ("feed.atom", items)):
        found += _feedparser(folder / name, meant)
    found += _podcastparser(folder / "podcast.xml", heard)
    found += _atoma(folder, items, heard)
    found += _npm(folder, parsers, items, heard)
    return found


def _rules(path: Path) -> Iterator[str]:
    for finding in examine(path.read_bytes(), LATER)[1]:
        if finding.severity != "i":
            yield f"{path.name}: {finding.severity} {finding.rule}: {finding.where}: {finding.what}"


def _xmllint(paths: list[Path]) -> list[str]:
    run = subprocess.run(["xmllint", "--noout", "--nonet", *paths], capture_output=True, check=False)
    return [f"xmllint: {line}" for line in run.stderr.decode().splitlines()] + (["xmllint"] if run.returncode else [])


def _feedparser(path: Path, meant: list[dict]) -> Iterator[str]:
    seen = feedparser.parse(io.BytesIO(path.read_bytes()))
    name = f"feedparser of {path.name}"
    if seen.bozo:
        yield f"{name}: bozo, {seen.get('bozo_exception')}"
    if path.suffix == ".xml":
        yield from _same(name, "ids", [item["id"] for item in meant], [entry.id for entry in seen.entries])
    yield from _same(
        name, "titles", [_words(item["title"]) for item in meant], [_words(entry.title) for entry in seen.entries]
    )
    yield from _same(
        name,
        "dates",
        [_seconds(item["date_published"]) for item in meant],
        [calendar.timegm(entry.published_parsed) for entry in seen.entries],
    )
    audio = [
        next(((each.href, int(each.length), each.type) for each in entry.get("enclosures", ())), ())
        for entry in seen.entries
    ]
    yield from _same(name, "enclosures", [_audio(item) for item in meant], audio)


def _podcastparser(path: Path, heard: list[dict]) -> Iterator[str]:
    seen = podcastparser.parse("https://feeds.example.org/podcast.xml", io.BytesIO(path.read_bytes()))["episodes"]
    episodes = {episode["guid"]: episode for episode in seen}
    yield from _same("podcastparser", "ids", sorted(item["id"] for item in heard), sorted(episodes))
    for item in heard:
        if episode := episodes.get(item["id"]):
            meant = (_seconds(item["date_published"]), _length(item), _audio(item)[0])
            told = (episode["published"], episode["total_time"], episode["enclosures"][0]["url"])
            yield from _same("podcastparser", item["id"], list(meant), list(told))


def _atoma(folder: Path, items: list[dict], heard: list[dict]) -> Iterator[str]:
    for name, meant in (("podcast.xml", heard), ("feed.xml", items)):
        rss = atoma.parse_rss_bytes((folder / name).read_bytes()).items
        yield from _same(f"atoma of {name}", "ids", [item["id"] for item in meant], [each.guid for each in rss])
        told = [next(((e.url, e.length, e.type) for e in each.enclosures), ()) for each in rss]
        yield from _same(f"atoma of {name}", "enclosures", [_audio(item) for item in meant], told)
    entries = atoma.parse_atom_bytes((folder / "feed.atom").read_bytes()).entries
    yield from _same("atoma of feed.atom", "titles", [i["title"] for i in items], [e.title.value for e in entries])
    read = atoma.parse_json_feed_bytes((folder / "feed.json").read_bytes()).items
    yield from _same("atoma of feed.json", "ids", [item["id"] for item in items], [each.id_ for each in read])


def _npm(folder: Path, parsers: Path, items: list[dict], heard: list[dict]) -> Iterator[str]:
    files = [folder / name for name in (*XML, "feed.json")]
    run = subprocess.run(["node", parsers, *files], capture_output=True, check=True)
    told = json.loads(run.stdout)
    for name, meant in (("podcast.xml", heard), ("feed.xml", items)):
        yield from _partytime(name, told[name]["partytime"], meant)
        yield from _rss_parser(name, told[name]["rssParser"], meant)
    yield from _rss_parser("feed.atom", told["feed.atom"]["rssParser"], items)
    for name in (*XML, "feed.json"):
        yield from _feedsmith(name, told[name]["feedsmith"], heard if name == "podcast.xml" else items)


def _partytime(name: str, seen: dict, meant: list[dict]) -> Iterator[str]:
    name = f"partytime of {name}"
    if "error" in seen:
        yield f"{name}: {seen['error']}"
        return
    # It lists what has an enclosure, and calls nothing else an item.
    meant = [item for item in meant if _audio(item)]
    yield from _same(name, "ids", [item["id"] for item in meant], [each["guid"] for each in seen["items"]])
    for item, each in zip(meant, seen["items"], strict=False):
        audio = tuple(each["enclosure"][key] for key in ("url", "length", "type"))
        title = "" if item["title"] in UNTITLED else item["title"]
        yield from _same(
            name,
            item["id"],
            [_audio(item), _seconds(item["date_published"]), _length(item), _words(title)],
            [audio, _seconds(each["pubDate"]), each["duration"], _words(each.get("title"))],
        )


def _rss_parser(name: str, seen: dict, meant: list[dict]) -> Iterator[str]:
    name = f"rss-parser of {name}"
    if "error" in seen:
        yield f"{name}: {seen['error']}"
        return
    yield from _same(
        name,
        "items",
        [(_words(item["title"]), _seconds(item["date_published"])) for item in meant],
        [(_words(each["title"]), _seconds(each.get("isoDate") or each["pubDate"])) for each in seen["items"]],
    )


def _feedsmith(name: str, seen: dict, meant: list[dict]) -> Iterator[str]:
    kind = {"xml": "rss", "atom": "atom", "json": "json"}[name.rpartition(".")[2]]
    if seen.get("format") != kind:
        yield f"feedsmith of {name}: {seen}"
        return
    told = seen["feed"].get("entries") or seen["feed"].get("items") or []
    titles = [each["title"]["value"] if isinstance(each["title"], dict) else each["title"] for each in told]
    yield from _same(f"feedsmith of {name}", "titles", [_words(item["title"]) for item in meant], map(_words, titles))
    if kind != "atom":
        ids = [each["guid"]["value"] if kind == "rss" else each["id"] for each in told]
        yield from _same(f"feedsmith of {name}", "ids", [item["id"] for item in meant], ids)


def _same(name: str, what: str, meant: object, seen: object) -> Iterator[str]:
    """One line that quotes the first difference, or none."""
    expected, actual = list(meant), list(seen)
    if expected == actual:
        return
    pairs = zip([*expected, None], [*actual, None], strict=False)
    differing = next((pair for pair in pairs if pair[0] != pair[1]), (expected, actual))
    yield f"{name}: {what}: {len(actual)} for {len(expected)}: meant {differing[0]!r}, saw {differing[1]!r}"


def _audio(item: dict) -> tuple:
    for each in item.get("attachments", ()):
        return (each["url"], each.get("size_in_bytes", 0), each["mime_type"])
    return ()


def _length(item: dict) -> int:
    return item["_aggregator"].get("duration_in_seconds", 0)


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())


def _words(value: object) -> str:
    """The words of a text, however a parser treats entities, white space and line ends."""
    return " ".join(html.unescape(html.unescape(str(value or ""))).split())
