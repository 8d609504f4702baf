"""Apple Podcasts, the directory: the page of a show as text; its JSON follows."""

from __future__ import annotations

from aggregator.fetchers import apple_text, shape
from aggregator.fetchers.letters import decoded
from aggregator.model.sighting import Listing
from aggregator.model.source import Document, Source

LOOKUP = "https://itunes.apple.com/lookup?id={show}&media=podcast&entity=podcastEpisode&limit=200"
PAGE = "https://podcasts.apple.com/us/podcast/id{show}"


def locate(source: Source) -> tuple[str, ...]:
    """The lookup of the show and its page in the US store, which lists episodes that the lookup does not yet."""
    if source.show:
        return (LOOKUP.format(show=source.show), PAGE.format(show=source.show))
    return (source.url,) if source.url else ()


def read(document: Document) -> Listing:
    """The episodes of the page; raises ``ReadError`` for anything else."""
    listing = apple_text.read(document.source.name, decoded(document))
    if listing is None:
        raise shape.described(document, "an Apple Podcasts page or lookup")
    return listing
