"""Choose the media file of an item, and list its others and the item's pages elsewhere.

The file is that of the most trusted source that still lists it (``living_audio``); among files of sources trusted as
much, audio comes before video unless the feed prefers video. The other files of such sources are published as
``podcast:alternateEnclosure``: a stranger's is none. Pages on which other sources of the item have it are
``podcast:contentLink``, one a host (podcast namespace, both elements).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from aggregator.merger.reconciling.provenance import ChosenValues, RankedEntries, trace
from aggregator.model.entry import Enclosure, Entry, Tag
from aggregator.text import media_types, urls

ALTERNATE: Final = "podcast:alternateEnclosure"
PAGE: Final = "podcast:contentLink"

_CONTENT: Final = "media:content"
_SEVERAL: Final = 2

_Given = tuple[Entry, Enclosure]


def choose_enclosure(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield the file of the item; a missing type or length may come from another source of the same file.

    Audio that its source no longer lists is used only if no source lists any.
    """
    files = _list_files(ranked)
    if not files:
        return
    chosen_entry, chosen = files[0]
    bare = urls.bare_audio(chosen.url)

    def is_same(entry: Entry) -> bool:
        return entry.enclosure is not None and urls.bare_audio(entry.enclosure.url) == bare

    twins = [entry.enclosure for entry in ranked.entries if entry.enclosure is not None and is_same(entry)]
    enclosure = Enclosure(
        chosen.url,
        next((twin.type for twin in twins if twin.type), None),
        next((twin.length for twin in twins if twin.length), None),
    )
    origin = trace(
        "enclosure", chosen_entry, ranked, lambda entry: entry.enclosure.url if entry.enclosure else None, is_same
    )
    yield ChosenValues({"enclosure": enclosure}, origin)


def list_alternates(ranked: RankedEntries) -> list[tuple[Entry, Tag]]:
    """Return the files of the item as elements, the chosen one as their default; none if it has no other."""
    files: dict[str, _Given] = {}
    for entry, enclosure in _list_files(ranked):
        if not files or entry in ranked.present:
            files.setdefault(urls.bare_audio(enclosure.url), (entry, enclosure))
    if len(files) < _SEVERAL:
        return []
    return [(each[0], _make_alternate(*each, is_default=not number)) for number, each in enumerate(files.values())]


def list_pages(ranked: RankedEntries) -> list[tuple[Entry, Tag]]:
    """Return the pages of an episode on other hosts than that of its link, as elements."""
    if all(entry.genre == "post" for entry in ranked.entries):
        return []
    found: dict[str, tuple[Entry, Tag]] = {}
    first = next((entry.link for entry in _list_linked(ranked, ranked.entries)), None)
    for entry in _list_linked(ranked, ranked.present):
        host = _find_host(entry.link or "")
        if host and first and host != _find_host(first):
            found.setdefault(host, (entry, Tag(PAGE, host, (("href", entry.link or ""),))))
    return list(found.values())


def _find_host(link: str) -> str:
    return urls.find_host(urls.canonical(link)).removesuffix(":443")


def _list_linked(ranked: RankedEntries, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with a link that is theirs alone."""
    linked = [each for each in entries if each.link and urls.is_web(each.link)]
    return [each for each in linked if (each.source, each.link) not in ranked.weights.repeated_links]


def _list_files(ranked: RankedEntries) -> list[_Given]:
    """Return the files that may be the item's, the best first."""
    known = [(entry, entry.enclosure) for entry in ranked.entries if entry.enclosure is not None]
    living = [given for given in known if given[0].id not in ranked.weights.lost] or known[:1]
    if not living:
        return []
    least = ranked.weights.of_source(living[0][0])
    owned = [given for given in living if ranked.weights.of_source(given[0]) >= least]
    videos = [given for given in owned if media_types.find_media_type(given[1]).startswith("video/")]
    others = [given for given in owned if given not in videos]
    match ranked.weights.video:
        case "only":
            return videos
        case "no":
            return others
        case "prefer":
            return videos + others
    return others + videos


def _make_alternate(entry: Entry, enclosure: Enclosure, *, is_default: bool) -> Tag:
    """Return a file as an element.

    Its bitrate in bits a second is that of its length and duration, its height that of the entry's ``media:content`` of
    the same file (Media RSS 1.5.1).
    """
    attributes = [("type", media_types.find_media_type(enclosure))]
    if enclosure.length:
        attributes.append(("length", str(enclosure.length)))
        if entry.duration and entry.duration.seconds > 0:
            attributes.append(("bitrate", str(8 * enclosure.length // entry.duration.seconds)))
    contents = [dict(each.attributes) for tag in entry.tags for each in (tag, *tag.children) if each.name == _CONTENT]
    height = next((each["height"] for each in contents if each.get("url") == enclosure.url and "height" in each), None)
    if height:
        attributes.append(("height", height))
    if is_default:
        attributes.append(("default", "true"))
    return Tag(ALTERNATE, None, tuple(attributes), (Tag("podcast:source", None, (("uri", enclosure.url),)),))
