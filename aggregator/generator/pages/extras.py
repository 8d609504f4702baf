"""What an episode brings besides its sound, for the page: who is heard, and where its words can be read."""

from __future__ import annotations

from typing import Final

from aggregator.generator.content import links
from aggregator.generator.content.people import person
from aggregator.generator.pages import wording
from aggregator.model.item import Item

# The transcript that a person reads most easily stands first (podcast namespace, "transcript").
READABLE: Final = ("text/html", "text/plain", "text/vtt", "application/x-subrip", "application/srt")
# So many people fit on a line of a phone.
HEARD: Final = 4


def transcript(item: Item) -> str | None:
    """The address of the transcript that is read most easily, ``None`` where no source gave one for people."""
    given = [dict(tag.attributes) for tag in item.tags if tag.name == "podcast:transcript"]
    found = {each.get("type", "").lower(): links.web(each.get("url")) for each in reversed(given)}
    return next((found[kind] for kind in READABLE if found.get(kind)), None)


def people(item: Item) -> str:
    """Who is heard, as the sources name them for this item: "with A, B and C"; empty where nobody is named."""
    named = dict.fromkeys(
        name for tag in item.tags if tag.name == "podcast:person" and (name := person(tag.text)) is not None
    )
    if not named:
        return ""
    shown, more = list(named)[:HEARD], len(named) - HEARD
    return f"with {wording.listed([*shown, *([f'{more} more'] if more > 0 else [])])}"
