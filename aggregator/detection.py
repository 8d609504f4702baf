"""Detect what an address is: the kinds of source that can read it, the best first, and what they list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator import preview
from aggregator.config.names import make_name
from aggregator.config.settings import Config
from aggregator.config.suggestions import suggest
from aggregator.errors import ConfigError, FetchError, ReadError
from aggregator.fetchers import addresses, registry, snapshot
from aggregator.fetchers.fetch import Resources
from aggregator.fetchers.http import bot_protection
from aggregator.fetchers.http.target import redact
from aggregator.fetchers.parsing import decoding
from aggregator.model.entry import Listing
from aggregator.model.source import DetectedSource, Document, Source
from aggregator.translation.marks import N_

_MAX_SUFFIX_LABEL = 3
"""Labels of a host up to this length, such as the co of co.uk, are not used as a name."""

_MIN_SHARE = 0.8
"""The least share of the entries of a list of episodes that have a date, or audio."""

_MAX_OFFSET = timedelta(days=1)
"""A date without a zone may be ahead of the clock by this."""

_MAX_FEEDS = 3
"""The most feeds fetched of those that a page names."""

_BINARY_HEAD = 1000
"""A document with a zero byte among this many at its beginning is not text."""

_MAX_TITLE = 60

_PASSWORD = re.compile(rb"""<input[^>]{1,300}type\s*=\s*["']?password""", re.IGNORECASE)

_LARGEST_PAGE = 2_000_000
"""Bytes of a page that a person may choose elements of."""


def list_candidates(
    text: str,
    kind: str | None = None,
    options: Mapping[str, str] | None = None,
    *,
    allow: Sequence[str] = (),
    files: bool = False,
) -> tuple[Source, ...]:
    """Return what a pasted text may be, the most likely first; raise ConfigError if nothing, or the kind is unknown.

    ``options`` are those of the kind, if it is named. The address may be in the private networks of ``allow``.
    ``files`` is whether a file of this machine may be meant.
    """
    if kind is not None and kind not in registry.names():
        raise ConfigError(f'--kind: "{kind}" is not a kind of source; {suggest(kind, registry.names())}')
    given = tuple(sorted((options or {}).items())) if kind else ()
    if files and (file := Path(text).expanduser()).is_file():
        kinds = (kind,) if kind else registry.guesses()
        name = make_name(file.stem, "file")
        return tuple(Source(name, each, path=str(file.resolve()), options=given) for each in kinds)
    url = addresses.normalize(text)
    named = registry.recognise(url)
    networks = tuple(allow)
    if kind is not None:
        source = named if named and named.kind == kind else Source(kind, kind, url=url)
        return (replace(source, options=given, allow_networks=networks),)
    if named is not None:
        return (replace(named, allow_networks=networks),)
    guesses = (Source(each, each, url=url, allow_networks=networks) for each in registry.guesses())
    return tuple(replace(each, name=_name(each)) for each in guesses)


def find_ways(
    config: Config | None,
    candidates: Sequence[Source],
    now: datetime,
    options: Mapping[str, str] | None = None,
) -> list[DetectedSource]:
    """Return the ways to read what the candidates name, the best first; with ``options`` that one, changed by them.

    Raises FetchError, ReadError, and ConfigError for an option that the kind does not have.
    """
    with preview.open_resources(config, now) as resources:
        try:
            ways = _find_ways(candidates, _Detector(resources, now))
        except ReadError:
            if "items" not in (options or ()):
                raise
            ways = [DetectedSource(candidates[0])]
        if options:
            ways = _find_ways((_change_options(ways[0].source, options),), _Detector(resources, now))[:1]
        return ways


def read_named(url: str, resources: Resources, now: datetime, found_by: str) -> DetectedSource:
    """Return the best way to read an address that a document names, which may then not be in a private network.

    ``found_by`` is the address of that document. Raises FetchError, ReadError, and ConfigError for what is no address.
    May be called in any thread.
    """
    return list_episodes(_find_ways(list_candidates(url), _Detector(resources, now, found_by))[0])


def _find_ways(candidates: Sequence[Source], detector: _Detector) -> list[DetectedSource]:
    """Return the ways to read what the candidates name, the best first: never none.

    A candidate that reads its document is all there is, but for a front page read as a blog without dates: then, and
    where no candidate can, the feeds that the document names or links to, and selectors and paths made for it, are
    tried. Raises FetchError if the URL cannot be fetched, ReadError if no kind can read its document.
    """
    refused: list[str] = []
    for source in candidates:
        document = detector.get(source)
        if document is None or (source.kind == "jsonfeed" and _is_markup(document) and len(candidates) > 1):
            continue  # of a known source either format is read, but here the kind is found
        if led := detector.follow(replace(document, source=source)):
            return led
        try:
            listing = detector.resources.read(replace(document, source=source))
        except ReadError as error:
            refused.append(str(error))
            continue
        found = _refine_kind(DetectedSource(source, listing))
        if source.kind != "blog" or len(candidates) == 1:
            return [found]
        proposed = detector.propose(document)
        linked = [each for each in proposed if each.source.url != source.url]
        others = [each for each in proposed if each not in linked]
        return detector.rank([*linked, found, *others])
    document = next((document for source in candidates[:1] if (document := detector.get(source))), None)
    proposed = detector.propose(document) if document is not None and len(candidates) > 1 else []
    if proposed:
        return detector.rank(proposed)
    if len(refused) == 1:
        raise ReadError(refused[0])
    if document is None:
        raise FetchError("the source has no address to ask")
    raise detector.explain(document)


def _is_markup(document: Document) -> bool:
    return document.body[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


class _Detector(Struct):
    """Fetches the documents of one address, each once; ``found_by`` is the document that names the address, if any."""

    resources: Resources
    now: datetime
    found_by: str | None = None
    documents: dict[str, Document | None] = field(default_factory=dict)

    def get(self, source: Source, found_by: str | None = None) -> Document | None:
        """Return the document of a source; ``None`` if it has no address. Raises FetchError, ConfigError."""
        if source.path is not None:
            return _refuse_list_of_feeds(snapshot.read_file(source))
        for request in registry.locate(source)[:1]:
            if request.url not in self.documents:
                fetched = preview.fetch_document(source, request, self.resources, self.now, found_by or self.found_by)
                self.documents[request.url] = _refuse_list_of_feeds(fetched)
            return self.documents[request.url]
        return None

    def follow(self, document: Document) -> list[DetectedSource]:
        """Return the feeds that a page names and that can be read, first what a refresh finds, last empty ones."""
        if document.source.kind not in ("feed", "blog", "simplecast") or document.source.path is not None:
            return []
        feeds = self.resources.discover(document) if "html" in (document.media_type or "") else ()
        led: list[DetectedSource] = []
        for url in feeds[:_MAX_FEEDS]:
            known = registry.recognise(url)
            named = known or replace(document.source, kind="feed")
            try:
                asked = replace(known or Source("feed", "feed", url=url), allow_networks=document.source.allow_networks)
                feed = self.get(asked, document.url)
                listing = self.resources.read(replace(feed, source=replace(named, url=url))) if feed else None
            except (FetchError, ReadError):
                continue
            if listing is not None:
                label = N_(f"the feed that the page names: {redact(url)}")
                found = _refine_kind(DetectedSource(named, listing, label, feed=url if named.url != url else None))
                if self.resources.discover(replace(document, source=found.source))[:1] != (url,):
                    found = replace(found, source=replace(found.source, url=url), feed=None)
                led.append(found)
        return sorted(led, key=lambda each: not each.listing.entries)

    def explain(self, document: Document) -> ReadError:
        """Return the error for a document that nothing can be read of: where it is, what it is, and what to do."""
        url, path = document.source.url, document.source.path
        at = path or redact(document.url)
        if url and redact(url) != at:
            at = f"{redact(url)} → {at}"
        if wall := bot_protection.find_in_page(document.body):
            return ReadError(f"{at}: {bot_protection.describe(wall)}")
        is_binary = b"\0" in document.body[:_BINARY_HEAD]
        if is_binary or (decoding.detect_type(document) == "text" and "html" not in (document.media_type or "html")):
            return ReadError(f"{at}: it is a file of type {document.media_type}, neither a feed nor a page")
        if _PASSWORD.search(document.body):
            return ReadError(
                f"{at}: the page asks for a login: give another address of the show, or a header with what a browser "
                "sends when it is logged in (docs/config.md)"
            )
        if decoding.detect_type(document) == "json":
            return ReadError(
                f"{at}: no list of episodes found in this JSON: aggregator add URL --kind json --set items=PATH --set "
                "date=PATH --preview shows what paths find"
            )
        title = self.resources.propose(document).title
        path = f'{at} ("{title[:_MAX_TITLE]}")' if title else at
        return ReadError(
            f"no feed or list of episodes found at {path}; a page can be read by selectors: "
            "aggregator add URL --set items=SELECTOR --set date=SELECTOR --preview shows what they find"
        )

    def rank(self, ways: Sequence[DetectedSource]) -> list[DetectedSource]:
        """Return ways to read one address, those first that have several entries, most of them with date and audio.

        A date to come is that of an event.
        """

        def rate(listing: Listing) -> int:
            count = len(listing.entries)
            dates = [entry.published.at for entry in listing.entries if entry.published is not None]
            dated = sum(at <= self.now + _MAX_OFFSET for at in dates)
            audible = sum(entry.enclosure is not None for entry in listing.entries)
            return 3 * (count > 1) + 2 * (dated >= _MIN_SHARE * count > 0) + 2 * (audible >= _MIN_SHARE * count > 0)

        return sorted(ways, key=lambda each: -rate(each.listing))

    def propose(self, document: Document) -> list[DetectedSource]:
        """Return the proposals for a document that can be read, in their order."""
        found: list[DetectedSource] = []
        proposals = self.resources.propose(document)
        for proposal in proposals.sources:
            here = proposal.url is None and proposal.show is None
            source = replace(proposal, url=document.source.url, path=document.source.path) if here else proposal
            source = replace(source, allow_networks=document.source.allow_networks)
            named = here and document.source.name != document.source.kind
            source = replace(source, name=document.source.name if named else source.kind if here else _name(source))
            try:
                asked = document if here else self.get(source, document.url)
                listing = self.resources.read(replace(asked, source=source)) if asked else None
            except (FetchError, ReadError):
                continue
            if listing is not None and listing.entries:
                if here and listing.show.title is None:
                    listing = replace(listing, show=replace(listing.show, title=proposals.title))
                found.append(_refine_kind(DetectedSource(source, listing, proposal.name)))
                if not here:
                    break  # a feed is all that is wanted
        return found


def _refine_kind(found: DetectedSource) -> DetectedSource:
    """Change a feed without audio and lengths to kind blog: its items are posts, and its text is trusted less."""
    source = found.source
    entries = found.listing.entries
    if source.kind != "feed" or not entries or any(entry.enclosure or entry.duration for entry in entries):
        return found
    name = "blog" if source.name == source.kind else source.name
    return replace(found, source=replace(source, kind="blog", name=name), assumed=True)


def list_episodes(found: DetectedSource) -> DetectedSource:
    """Return a feed that was taken for a blog's as one of a show: its entries are the show's episodes."""
    if not found.assumed:
        return found
    source = found.source
    name = "feed" if source.name == source.kind else source.name
    return replace(found, source=replace(source, kind="feed", name=name), assumed=False)


def _refuse_list_of_feeds(document: Document) -> Document:
    """Return the document; raise ConfigError if it is OPML."""
    if re.search(rb"<opml[\s>]", document.body[:2000], re.IGNORECASE):
        where = document.source.path or redact(document.url)
        raise ConfigError(f"{where}: is an OPML list of feeds; aggregator import-opml {where} adds them")
    return document


def fetch_page(source: Source, resources: Resources, now: datetime) -> Document:
    """Return the document of a source, to be read by kind ``page``; raise FetchError, ReadError for one too large."""
    document = preview.fetch_first(source, resources, now)
    if len(document.body) > _LARGEST_PAGE:
        raise ReadError(f"{redact(document.url)}: a page of more than {_LARGEST_PAGE // 1_000_000} MB cannot be shown")
    page = replace(source, kind="page", options=())
    return replace(document, source=replace(page, name=_name(page)))


def set_options(page: Document, options: Mapping[str, str]) -> Document:
    """Return a page to be read with other options; raise ConfigError for one that kind ``page`` does not have."""
    return replace(page, source=_change_options(replace(page.source, options=()), options))


def _change_options(source: Source, options: Mapping[str, str]) -> Source:
    if source.kind not in ("page", "json"):
        source = replace(source, kind="page", options=(), name="page" if source.name == source.kind else source.name)
    changed = {key: value for key, value in {**dict(source.options), **options}.items() if value}
    known = registry.find(source.kind).options or ()
    for key in changed:
        if key not in known:
            raise ConfigError(f'--set: kind {source.kind} has no option "{key}"; {suggest(key, known)}')
    return replace(source, options=tuple(sorted(changed.items())))


def _name(source: Source) -> str:
    return (source.url and _name_host(urlsplit(source.url).hostname or "")) or source.kind


def _name_host(host: str) -> str:
    """Return the name in a host, such as a directory's; empty if there is none.

    >>> _name_host("www.goodpods.com"), _name_host("feeds.bbci.co.uk"), _name_host("127.0.0.1"), _name_host("localhost")
    ('goodpods', 'bbci', '', 'localhost')
    """
    labels = host.split(".")
    if labels[-1].isdecimal() or ":" in host:
        return ""
    names = [label for label in labels[:-1] if len(label) > _MAX_SUFFIX_LABEL] or labels[-1:]
    return make_name(names[-1], "")
