"""Parse a document by the module of its kind; this runs in a parser process."""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import registry
from aggregator.fetchers.parsing.entries import limit_lengths, make_keys_unique
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document, Filter
from aggregator.text.fold import fold


def discover(document: Document) -> tuple[str, ...]:
    """Return the addresses of the feeds that a page names, best first; none if the kind does not look for them."""
    find = getattr(registry.load(document.source.kind), "discover", None)
    return tuple(find(document)) if find else ()


def read(document: Document) -> Listing:
    """Return what a document lists: keys made unique, long texts cut, only the shows that the config asks for.

    Raises ReadError if nothing is understood. A sound feed without items gives an empty listing; a page without an
    item and without a title is not understood.
    """
    name = document.source.name
    if not document.body.strip():
        raise ReadError(f"{name}: the document is empty ({document.url})")
    listing = limit_lengths(registry.load(document.source.kind).read(document))
    if not listing.entries and listing.show.title is None:
        raise ReadError(f"{name}: nothing in the document was understood ({document.url})")
    chosen = [entry for entry in listing.entries if _is_of_show(entry, document.source.filter, listing)]
    entries, remarks = make_keys_unique(chosen)
    if listing.entries and not chosen:
        remarks += (f"none of the {len(listing.entries)} entries is of the show that the config asks for",)
    return replace(listing, entries=entries, remarks=listing.remarks + remarks)


def _is_of_show(entry: Entry, chosen: Filter, listing: Listing) -> bool:
    """Return whether an entry is of a show that the config asks for; other conditions are for what is stored."""
    show = fold(entry.show or listing.show.title or "")
    only, excluded = ({fold(name) for name in each.show} for each in (chosen.only, chosen.exclude))
    return show not in excluded and (not only or show in only)
