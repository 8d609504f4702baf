"""Rules for elements of the itunes and podcast namespaces."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from aggregator.generator.content import passed_tags
from aggregator.generator.podcast import NAMESPACES, Node, format_name, make_tag
from aggregator.model.elements import ELEMENTS, Place
from aggregator.model.entry import Tag
from aggregator.validator import values
from aggregator.validator.document import FeedDocument, Spot, find_line, get_text
from aggregator.validator.rule import Checklist, Fault

RULES = Checklist()
_PODCAST = f"{{{NAMESPACES['podcast']}}}"
_WHOLE = re.compile(r"[1-9]\d*")
_VOCABULARIES = {
    "itunes:episodeType": frozenset({"full", "trailer", "bonus"}),
    "itunes:type": frozenset({"episodic", "serial"}),
    "itunes:explicit": frozenset({"true", "false"}),
}
# Apple's guide lists these for one place alone.
_PLACES: dict[str, Place] = {
    **dict.fromkeys(("category", "complete", "new-feed-url", "owner", "type"), "channel"),
    **dict.fromkeys(("duration", "episode", "episodeType", "isClosedCaptioned", "order", "season"), "item"),
}


def _list_places(document: FeedDocument) -> Iterator[tuple[Spot, Place, Node]]:
    if document.channel is not None:
        yield Spot("channel", find_line(document.channel)), "channel", document.channel
        yield from ((where, "item", item) for where, item in document.items)


@RULES.add("itunes-duration", "M", "Duration in seconds or hh:mm:ss", "Apple")
def _check_duration(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        text = item.findtext(make_tag("itunes:duration"))
        if text is not None and not values.DURATION.fullmatch(text.strip()):
            yield where, f"itunes:duration is {text!r}, neither seconds nor hh:mm:ss"


@RULES.add("itunes-duration-zero", "S", "An unknown duration is left out", "Apple")
def _check_no_duration(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        text = get_text(item, "itunes:duration")
        if values.DURATION.fullmatch(text) and not values.parse_seconds(text):
            yield where, "itunes:duration is 0: leave it out where it is not known"


@RULES.add("itunes-numbers", "M", "Episode and season are whole numbers from 1", "Apple")
def _check_numbers(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        for name in ("itunes:episode", "itunes:season"):
            text = item.findtext(make_tag(name))
            if text is not None and not _WHOLE.fullmatch(text.strip()):
                yield where, f"{name} is {text!r}, not a whole number from 1"


@RULES.add("itunes-closed", "M", "type, episodeType and explicit have their own words", "Apple")
def _check_vocabulary(document: FeedDocument) -> Iterator[Fault]:
    for where, _, parent in _list_places(document):
        for name, allowed in _VOCABULARIES.items():
            text = parent.findtext(make_tag(name))
            if text is not None and text.strip() not in allowed:
                hint = values.suggest_boolean(text) if "true" in allowed else f"write {' or '.join(sorted(allowed))}"
                yield where, f"{name} is {text!r}: {hint}"


@RULES.add("itunes-block", "S", "block is Yes or absent", "Apple")
def _check_block(document: FeedDocument) -> Iterator[Fault]:
    for where, item in document.items:
        text = item.findtext(make_tag("itunes:block"))
        if text is not None and text.strip() != "Yes":
            yield where, f"itunes:block is {text!r}; only 'Yes' has a meaning"


@RULES.add("itunes-image", "M", "Pictures have addresses", "Apple")
def _check_image(document: FeedDocument) -> Iterator[Fault]:
    for where, _, parent in _list_places(document):
        for found in parent.iterfind(make_tag("itunes:image")):
            if not values.is_web(found.get("href")):
                yield where, f"itunes:image has href {found.get('href')!r}"


@RULES.add("itunes-once", "M", "Elements that may stand once do", "Apple")
def _check_once(document: FeedDocument) -> Iterator[Fault]:
    names = ("duration", "explicit", "episode", "season", "episodeType", "image", "author", "title", "summary")
    for where, item in document.items:
        for name in names:
            if (count := len(item.findall(make_tag(f"itunes:{name}")))) > 1:
                yield where, f"itunes:{name} stands {count} times"


@RULES.add("itunes-place", "S", "Elements stand where Apple looks for them", "Apple; W3C")
def _check_apple_places(document: FeedDocument) -> Iterator[Fault]:
    for where, place, parent in _list_places(document):
        for name, right in _PLACES.items():
            if place != right and parent.find(make_tag(f"itunes:{name}")) is not None:
                yield where, f"itunes:{name} belongs into {right}"


@RULES.add("podcast-valid", "M", "Elements have what they need, and sound values", "podcast namespace")
def _check_elements(document: FeedDocument) -> Iterator[Fault]:
    for where, _, parent in _list_places(document):
        for element in parent.iterchildren(f"{_PODCAST}*"):
            name = format_name(element)
            if name in ELEMENTS and name != "podcast:guid":  # channel-guid says it
                yield from ((where.child(name, element), fault) for fault in _find_faults(element))


def _find_faults(element: Node) -> Iterator[str]:
    yield from passed_tags.find_faults(_make_tag(element))
    for inner in element.iterdescendants(f"{_PODCAST}*"):
        if (name := format_name(inner)) in ELEMENTS:
            yield from (f"{name} {fault}" for fault in passed_tags.find_faults(_make_tag(inner)))


def _make_tag(element: Node) -> Tag:
    """Return an element as a Tag; of the elements in it only the names are needed."""
    attributes = tuple((str(name), str(value)) for name, value in element.attrib.items())
    children = tuple(Tag(format_name(child)) for child in element if isinstance(child.tag, str))
    return Tag(format_name(element), element.text, attributes, children)


@RULES.add("podcast-once", "M", "Elements that may stand once do", "podcast namespace")
def _check_repeated(document: FeedDocument) -> Iterator[Fault]:
    for where, _, parent in _list_places(document):
        counts = Counter(format_name(element) for element in parent.iterchildren(f"{_PODCAST}*"))
        for name, count in counts.items():
            if name in ELEMENTS and count > 1 and not ELEMENTS[name].many:
                yield Spot(f"{where} {name}", where.line), f"stands {count} times"


@RULES.add("podcast-place", "M", "Elements stand where they belong", "podcast namespace")
def _check_misplaced(document: FeedDocument) -> Iterator[Fault]:
    for where, place, parent in _list_places(document):
        for element in parent.iterchildren(f"{_PODCAST}*"):
            name = format_name(element)
            if name in ELEMENTS and place not in ELEMENTS[name].places:
                yield where.child(name, element), f"does not belong into {place}"


@RULES.add("podcast-known", "i", "Elements that the namespace knows", "podcast namespace")
def _check_unknown(document: FeedDocument) -> Iterator[Fault]:
    for where, _, parent in _list_places(document):
        for element in parent.iterchildren(f"{_PODCAST}*"):
            if format_name(element) not in ELEMENTS:
                yield (
                    where.child(format_name(element), element),
                    "is no element of the podcast namespace that is known here",
                )


@RULES.add("podcast-persons", "i", "Items that name persons name the hosts again", "podcast namespace")
def _check_hosts(document: FeedDocument) -> Iterator[Fault]:
    person = make_tag("podcast:person")
    if document.channel is None or not document.channel.findall(person):
        return
    hosts = {
        _get_name(one) for one in document.channel.iterfind(person) if (one.get("role") or "host").lower() == "host"
    }
    for where, item in document.items:
        named_here = {_get_name(one) for one in item.iterfind(person)}
        if named_here and hosts - named_here:
            yield where, "names persons and not the show's hosts, whom apps then do not show"


def _get_name(person: Node) -> str:
    return (person.text or "").strip().lower()
