"""What holds for elements of the itunes and podcast namespaces."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from aggregator.generator.content import podcast_namespace
from aggregator.generator.content.podcast_namespace import ELEMENTS, LIVE, Place
from aggregator.generator.podcast import NAMESPACES, Node
from aggregator.model.entry import Tag
from aggregator.validator import values
from aggregator.validator.document import Paper, Spot, line, named, placed, shown
from aggregator.validator.rule import Fault, Rule

PODCAST = f"{{{NAMESPACES['podcast']}}}"
WHOLE = re.compile(r"[1-9]\d*")
CLOSED = {
    "itunes:episodeType": frozenset({"full", "trailer", "bonus"}),
    "itunes:explicit": frozenset({"true", "false"}),
}


def _places(paper: Paper) -> Iterator[tuple[Spot, Place, Node]]:
    """Yield the channel and each item of an RSS feed."""
    if paper.channel is not None:
        yield Spot("channel", line(paper.channel)), "channel", paper.channel
        yield from ((where, "item", item) for where, item in placed(paper))


def _duration(paper: Paper) -> Iterator[Fault]:
    for where, item in placed(paper):
        said = item.findtext(named("itunes:duration"))
        if said is not None and not values.DURATION.fullmatch(said.strip()):
            yield where, f"itunes:duration is {said!r}, neither seconds nor hh:mm:ss"


def _no_duration(paper: Paper) -> Iterator[Fault]:
    for where, item in placed(paper):
        said = (item.findtext(named("itunes:duration")) or "").strip()
        if values.DURATION.fullmatch(said) and not values.seconds(said):
            yield where, "itunes:duration is 0: leave it out where it is not known"


def _numbers(paper: Paper) -> Iterator[Fault]:
    for where, item in placed(paper):
        for name in ("itunes:episode", "itunes:season"):
            said = item.findtext(named(name))
            if said is not None and not WHOLE.fullmatch(said.strip()):
                yield where, f"{name} is {said!r}, not a whole number from 1"


def _closed(paper: Paper) -> Iterator[Fault]:
    for where, item in placed(paper):
        for name, allowed in CLOSED.items():
            said = item.findtext(named(name))
            if said is not None and said.strip() not in allowed:
                hint = values.truth(said) if "true" in allowed else f"write {' or '.join(sorted(allowed))}"
                yield where, f"{name} is {said!r}: {hint}"


def _block(paper: Paper) -> Iterator[Fault]:
    for where, item in placed(paper):
        said = (item.findtext(named("itunes:block")) or "").strip()
        if said and said != "Yes":
            yield where, f"itunes:block is {said!r}; only 'Yes' means anything"


def _image(paper: Paper) -> Iterator[Fault]:
    for where, item in placed(paper):
        for found in item.iterfind(named("itunes:image")):
            if not values.web(found.get("href")):
                yield where, f"itunes:image has href {found.get('href')!r}"


def _once(paper: Paper) -> Iterator[Fault]:
    names = ("duration", "explicit", "episode", "season", "episodeType", "image", "author", "title", "summary")
    for where, item in placed(paper):
        for name in names:
            if (count := len(item.findall(named(f"itunes:{name}")))) > 1:
                yield where, f"itunes:{name} stands {count} times"


def _valid(paper: Paper) -> Iterator[Fault]:
    for where, _, parent in _places(paper):
        for element in parent.iterchildren(f"{PODCAST}*"):
            name = shown(element)
            if name in ELEMENTS and name != "podcast:guid":  # channel-guid says it
                yield from ((where.beneath(name, element), fault) for fault in _faults(element))


def _faults(element: Node) -> Iterator[str]:
    """Yield what is wrong with an element or its children."""
    tag = _tag(element)
    yield from podcast_namespace.find_faults(tag)
    for child in element.iterchildren(f"{PODCAST}*"):
        if shown(child) in ELEMENTS:
            yield from (f"{shown(child)} {fault}" for fault in _faults(child))


def _tag(element: Node) -> Tag:
    attributes = tuple((str(name), str(value)) for name, value in element.attrib.items())
    children = tuple(_tag(child) for child in element if isinstance(child.tag, str))
    return Tag(shown(element), element.text, attributes, children)


def _counted(paper: Paper) -> Iterator[Fault]:
    for where, _, parent in _places(paper):
        counts = Counter(shown(element) for element in parent.iterchildren(f"{PODCAST}*"))
        for name, count in counts.items():
            if name in ELEMENTS and count > 1 and not ELEMENTS[name].many:
                yield Spot(f"{where} {name}", where.line), f"stands {count} times"


def _misplaced(paper: Paper) -> Iterator[Fault]:
    for where, place, parent in _places(paper):
        for element in parent.iterchildren(f"{PODCAST}*"):
            name = shown(element)
            if name in ELEMENTS and place not in ELEMENTS[name].places:
                yield where.beneath(name, element), f"does not belong into {place}"


def _unknown(paper: Paper) -> Iterator[Fault]:
    for where, _, parent in _places(paper):
        for element in parent.iterchildren(f"{PODCAST}*"):
            if shown(element) not in ELEMENTS and shown(element) not in LIVE:
                yield (
                    where.beneath(shown(element), element),
                    "is no element of the podcast namespace that is known here",
                )


def _hosts(paper: Paper) -> Iterator[Fault]:
    person = named("podcast:person")
    if paper.channel is None or not paper.channel.findall(person):
        return
    hosts = {_name(one) for one in paper.channel.iterfind(person) if (one.get("role") or "host").lower() == "host"}
    for where, item in placed(paper):
        named_here = {_name(one) for one in item.iterfind(person)}
        if named_here and hosts - named_here:
            yield where, "names persons and not the show's hosts, whom apps then do not show"


def _name(person: Node) -> str:
    return (person.text or "").strip().lower()


RULES = (
    Rule("itunes-duration", "M", "Duration in seconds or hh:mm:ss", "Apple", _duration),
    Rule("itunes-duration-zero", "S", "An unknown duration is left out", "Apple", _no_duration),
    Rule("itunes-numbers", "M", "Episode and season are whole numbers from 1", "Apple", _numbers),
    Rule("itunes-closed", "M", "episodeType and explicit have their own words", "Apple", _closed),
    Rule("itunes-block", "S", "block is Yes or absent", "Apple", _block),
    Rule("itunes-image", "M", "Pictures of items have addresses", "Apple", _image),
    Rule("itunes-once", "M", "Elements that may stand once do", "Apple", _once),
    Rule("podcast-valid", "M", "Elements have what they need, and sound values", "podcast namespace", _valid),
    Rule("podcast-once", "M", "Elements that may stand once do", "podcast namespace", _counted),
    Rule("podcast-place", "M", "Elements stand where they belong", "podcast namespace", _misplaced),
    Rule("podcast-known", "i", "Elements that the namespace knows", "podcast namespace", _unknown),
    Rule("podcast-persons", "i", "Items that name persons name the hosts again", "podcast namespace", _hosts),
)
