"""The only list of the kinds of sources: the trust in each, its keys and options in the config, and its module.

A kind is one module. It has ``read(document)``, which returns a Listing; ``locate(source)``, which returns the requests
to send, unless that is just the source's own address; and ``discover(document)`` if its pages may name a feed. None of
them asks the network, the store or the clock. `docs/kinds.md` shows two.

Installed packages add kinds through the entry points ``aggregator.sources``: the name is the kind, the value its
module, whose attribute ``KIND`` is a `Kind`. The built-in ones are in `KINDS`, so that a config is read without
importing their modules.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from types import ModuleType

from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import credentials
from aggregator.model.source import Request, Source

ENTRY_POINTS = "aggregator.sources"


class Kind(Struct, frozen=True):
    """One kind of source.

    - ``trust``: default for its sources, from 0 to 1: high for hosts, lower for directories, which cut texts, lowest
      for pages read by selectors.
    - ``places``: keys of the config that say where a source is; it has exactly one of them.
    - ``options``: names of its options, ``None`` for any; those in ``needed`` are required. `find` adds ``genre``.
    - ``address``: pattern of addresses that are always of this kind; its group ``show``, if there is one, is the id of
      the show.
    - ``guess``: place in the order in which ``aggregator add`` tries kinds on other addresses, ``None`` for never.
    - ``assumes_posts``: whether an entry is a post only because it has no file: then matching decides whether the
      listing has posts or the show's episodes.
    - ``module``, and ``locates``, whether it has a ``locate``; both are set automatically for packages.
    """

    trust: float = 0.5
    places: tuple[str, ...] = ("url", "path")
    options: tuple[str, ...] | None = ()
    needed: tuple[str, ...] = ()
    address: str | None = None
    guess: int | None = None
    assumes_posts: bool = False
    module: str = ""
    locates: bool = False


_PAGE = "items title link date text audio image length id day_first show"  # selectors, and plain values
_JSON = "items title link date text audio image length id guid season episode type category day_first show unit"
_COMMON = ("genre",)  # what every entry is, episode or post, whatever the document says
_UNDESCRIBED = Kind(places=("show", "url", "path"), options=None)

KINDS: dict[str, Kind] = {
    "simplecast": Kind(
        0.9, address=r"https?://(?:feeds|api)\.simplecast\.com/", module="aggregator.fetchers.feeds.simplecast"
    ),
    "feed": Kind(0.8, guess=2, assumes_posts=True, module="aggregator.fetchers.feeds.feed"),
    "jsonfeed": Kind(0.8, guess=1, assumes_posts=True, module="aggregator.fetchers.feeds.jsonfeed"),
    "apple": Kind(
        0.7,
        ("show", "url", "path"),
        ("country",),
        address=r"https?://(?:podcasts|itunes)\.apple\.com/(?:[a-z]{2}/)?(?:podcast/(?:[^?#/]*/)?)?id(?P<show>\d+)",
        guess=3,
        module="aggregator.fetchers.apple.apple",
        locates=True,
    ),
    "blog": Kind(0.6, guess=5, assumes_posts=True, module="aggregator.fetchers.blog"),
    "json": Kind(
        0.5,
        options=(*_JSON.split(), "script", "next", "next_query"),
        needed=("items",),
        module="aggregator.fetchers.directories.json_paths",
    ),
    "listing": Kind(0.4, guess=4, module="aggregator.fetchers.directories.listing"),
    "page": Kind(0.3, options=tuple(_PAGE.split()), needed=("items",), module="aggregator.fetchers.directories.page"),
}


def names() -> tuple[str, ...]:
    """Return every kind that a config may name here, the built-in ones first."""
    return (*KINDS, *sorted(_find_packages().names - KINDS.keys()))


def _find_packages() -> importlib.metadata.EntryPoints:
    from importlib import metadata  # noqa: PLC0415 - takes time to import, and few configs need it

    return metadata.entry_points(group=ENTRY_POINTS)


def find(name: str) -> Kind:
    """Return a kind by its name; ReadError if there is none, or its package cannot be imported."""
    kind = KINDS.get(name)
    if kind is None:
        module = load(name)
        kind = replace(getattr(module, "KIND", _UNDESCRIBED), module=module.__name__, locates=hasattr(module, "locate"))
    return kind if kind.options is None else replace(kind, options=(*kind.options, *_COMMON))


def list_assuming(sources: Iterable[Source]) -> frozenset[str]:
    """Return the names of those that only assume that their entries without a file are posts; of a name the last."""
    named = {source.name: source for source in sources}
    return frozenset(
        name
        for name, source in named.items()
        if source.kind in KINDS and KINDS[source.kind].assumes_posts and "genre" not in dict(source.options)
    )


def load(name: str) -> ModuleType:
    """Return the module of a kind, imported when first needed; ReadError if there is none or it cannot be imported."""
    if name in KINDS:
        return import_module(KINDS[name].module)
    for point in _find_packages().select(name=name):
        try:
            module: ModuleType = point.load()
        except (ImportError, AttributeError, SyntaxError) as error:
            raise ReadError(f'kind "{name}": its module {point.value} cannot be imported: {error}') from error
        return module
    raise ReadError(f'"{name}" is not a kind of source; the kinds are {", ".join(names())}')


def locate(source: Source) -> tuple[Request, ...]:
    """Return the requests for a source's documents, with its secrets, in their order; none for a local path.

    Raise FetchError or ReadError if they cannot be made, such as without a token.
    """
    if source.path:
        return ()
    secrets = credentials.read_secrets(source)
    if find(source.kind).locates:
        requests = tuple(load(source.kind).locate(source))
    else:
        requests = (Request(source.url),) if source.url else ()
    return tuple(credentials.add_credentials(request, source, secrets) for request in requests)


def recognise(url: str) -> Source | None:
    """Return the source of an address by its form alone; ``None`` if its document must be examined.

    >>> recognise("https://podcasts.apple.com/us/podcast/any/id1566080008?i=1").show
    '1566080008'
    >>> recognise("https://feeds.simplecast.com/OB5FkIl8").kind
    'simplecast'
    """
    for name, pattern in _list_patterns():
        if found := pattern.match(url):
            show = found.groupdict().get("show")
            return Source(name, name, show=show) if show else Source(name, name, url=url)
    return None


@cache
def _list_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the kinds that know their addresses, with the patterns; packages are looked for once in a process."""
    known = ((name, find(name).address) for name in names())
    return tuple((name, re.compile(address, re.IGNORECASE)) for name, address in known if address)


def guesses() -> tuple[str, ...]:
    """Return the kinds that an unknown address is tried as, in their order."""
    order = {name: guess for name in names() if (guess := find(name).guess) is not None}
    return tuple(sorted(order, key=order.__getitem__))
