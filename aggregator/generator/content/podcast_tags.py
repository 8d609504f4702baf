"""Elements of the podcast namespace: what is wrong with one, and those that may be passed on.

Both answers come from the one table in ``namespace``: the generator passes a source's element through only where it
fits, the validator says where one does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aggregator.generator.content import links, plain_text
from aggregator.generator.content.people import person
from aggregator.generator.content.podcast_namespace import (
    MEANT,
    MEDIUMS,
    PATTERNS,
    SILENT,
    TABLE,
    TRANSCRIPTS,
    Kind,
    Place,
    Shape,
)
from aggregator.model.entry import Tag

Row = tuple[str, str | None, Mapping[str, str | None], Sequence["Row"]]

# For each element: the kinds of its attributes, and which of them it needs.
KINDS: Mapping[str, Mapping[str, Kind]] = {
    name: {key.rstrip("!"): kind for key, kind in shape.attributes.items()} for name, shape in TABLE.items()
}
NEEDED: Mapping[str, tuple[str, ...]] = {
    name: tuple(key.rstrip("!") for key in shape.attributes if key.endswith("!")) for name, shape in TABLE.items()
}


def fits(kind: Kind, value: str) -> bool:
    """Is this value of this kind?"""
    if kind == "url":
        return links.web(value) == value
    if kind == "medium":
        return value in MEDIUMS
    if kind == "transcript":
        return value in TRANSCRIPTS
    return PATTERNS[kind].fullmatch(value) is not None


def faults(tag: Tag) -> Iterator[str]:
    """What is wrong with one element, in words; nothing where it is valid."""
    shape = TABLE.get(tag.name)
    if shape is None:
        yield "is not an element of the podcast namespace"
        return
    given = dict(tag.attributes)
    for name in NEEDED[tag.name]:
        if not given.get(name, "").strip():
            yield f"lacks {name}"
    kinds = KINDS[tag.name]
    for name, value in given.items():
        if name in kinds and value.strip() and not fits(kinds[name], value):
            yield f"has {name}={value[:60]!r}"
    yield from _text_faults(tag, shape)
    for name, least, most in shape.children:
        count = sum(child.name == name for child in tag.children)
        if not least <= count <= most:
            yield f"has {count} {name}"
    if (
        tag.name == "podcast:socialInteract"
        and given.get("protocol") != "disabled"
        and not given.get("uri", "").strip()
    ):
        yield "lacks uri"


def _text_faults(tag: Tag, shape: Shape) -> Iterator[str]:
    if shape.text is None:
        return
    said = (tag.text or "").strip()
    if not said:
        if tag.name not in SILENT:
            yield "is empty"
    elif not fits(shape.text, said):
        yield f"says {said[:60]!r}"
    elif len(said) > shape.longest:
        yield f"is longer than {shape.longest} characters"


def rows(tags: Sequence[Tag], place: Place) -> tuple[Row, ...]:
    """The elements that may stand at this place, cleaned, each at most as often as allowed, in the order given."""
    kept: dict[Tag, Row] = {}
    seen: set[str] = set()
    for tag in map(tidy, tags):
        shape = TABLE.get(tag.name)
        if shape is None or place not in shape.places or (tag.name in seen and not shape.many) or any(faults(tag)):
            continue
        seen.add(tag.name)
        kept.setdefault(tag, _row(tag))
    return tuple(kept.values())


def tidy(tag: Tag) -> Tag:
    """The element without what the table does not know: odd attributes, wrong optional values, foreign children."""
    shape = TABLE.get(tag.name)
    if shape is None:
        return tag
    attributes: dict[str, str] = {}
    for name, value in tag.attributes:
        said = _value(tag.name, name, value)
        if said is not None:
            attributes.setdefault(name, said)
    text = None if shape.text is None or tag.text is None else plain_text.name(tag.text, shape.longest)
    text = person(text) if tag.name == "podcast:person" else text
    inside = {name for name, _, _ in shape.children}
    children = (tidy(child) for child in tag.children if child.name in inside)
    sound = tuple(child for child in children if not any(faults(child)))
    return Tag(tag.name, text, tuple(attributes.items()), sound)


def _value(element: str, name: str, value: str) -> str | None:
    """The attribute's value as it may be written; ``None`` where it is unknown, or wrong and not needed."""
    kind = KINDS[element].get(name)
    if kind is None or kind == "url":
        return links.web(value) if kind else None
    said = plain_text.name(value)
    if said and (kind == "chapters" or not fits(kind, said)):
        said = MEANT.get(said.lower(), said)
        return said if name in NEEDED[element] or fits(kind, said) else None
    return said


def _row(tag: Tag) -> Row:
    return (tag.name, tag.text, dict(tag.attributes), tuple(_row(child) for child in tag.children))
