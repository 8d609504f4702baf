"""Learn the decoration of the titles of each show, and parse its titles without it.

The decoration is that of the titles that the feed was learned from. What was learned and parsed is kept for the next
run: as long as these titles are the same, new ones alone are parsed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from aggregator.merger.matching.features.token_bags import digest_values
from aggregator.model.record import make_msgpack_decoder
from aggregator.text.titles.frames import Frames
from aggregator.text.titles.titles import Title, learn_frames, parse_title


class ShowTitles(Struct, frozen=True):
    """The name and the decoration of a show, and the typed pieces of its titles by their texts."""

    name: str
    frames: Frames
    titles: dict[str, Title]

    def drop(self, names: frozenset[str]) -> ShowTitles:
        """Return the titles parsed anew without some frames."""
        frames = self.frames.drop(names)
        return ShowTitles(self.name, frames, {text: parse_title(text, self.name, frames) for text in self.titles})


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = make_msgpack_decoder(dict[bytes, ShowTitles])


def parse_shows(
    listed: Mapping[int, Mapping[str, Sequence[int]]],
    texts: Sequence[str],
    learned: Sequence[bool],
    names: Mapping[int, str],
    kept: bytes | None,
) -> tuple[dict[int, ShowTitles], bytes | None]:
    """Return the titles of each show, and what is to be kept for a later run, ``None`` if that is ``kept``.

    ``listed`` are the places of texts by show and source, ``learned`` says which of them show the decoration, ``names``
    are those of the shows. With ``None`` as ``kept`` nothing is kept.
    """
    known: dict[bytes, ShowTitles] = _DECODER.decode(kept) if kept else {}
    found: dict[int, ShowTitles] = {}
    keep: dict[bytes, ShowTitles] = {}
    for show, by_source in listed.items():
        name = names.get(show, "")
        listings = [[texts[at] for at in by_source[source] if learned[at]] for source in sorted(by_source)]
        key = digest_values(name, listings)
        frames = known[key].frames if key in known else learn_frames(listings, name)
        before = known[key].titles if key in known else {}
        every = dict.fromkeys(texts[at] for places in by_source.values() for at in places)
        titles = {text: before[text] if text in before else parse_title(text, name, frames) for text in every}
        found[show] = keep[key] = ShowTitles(name, frames, titles)
    return found, None if kept is None or keep == known else _ENCODER.encode(keep)
