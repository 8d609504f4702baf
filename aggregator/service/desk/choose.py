"""Choose elements of a page: its outline in a frame, what is clicked there as selectors, and what they yield."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from aggregator import adding, detection, preview
from aggregator.errors import ConfigError, ReadError
from aggregator.fetchers import parser_process, registry
from aggregator.fetchers.http.target import redact
from aggregator.model.entry import Listing, Show
from aggregator.model.outline import Outline
from aggregator.model.source import DetectedSource, Document, Source
from aggregator.service.desk.add import find_page, write_found
from aggregator.service.desk.errors import MissingError
from aggregator.service.desk.frame import Act, ActResult, Desk, Page, PageRequest, now, parse_number
from aggregator.service.desk.published import ListedEntry, make_entry
from aggregator.service.desk.source import find_source
from aggregator.translation.marks import N_

_MOST_ENTRIES: Final = 12
_FIELDS: Final = ("items", "title", "date", "audio", "length", "text", "link", "image")
"""What is clicked, in this order."""

_SANDBOX: Final = "allow-forms allow-top-navigation-by-user-activation"
_FRAME_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'; "
        f"sandbox {_SANDBOX}"
    ),
    "x-frame-options": "SAMEORIGIN",
}


class _ChoosePage(Struct, frozen=True):
    """The page on which elements are chosen: the selectors so far, what they yield, and what is to be clicked next."""

    number: str
    url: str
    field: str
    fields: tuple[str, ...]
    options: Mapping[str, str]
    others: tuple[str, ...]
    problem: str
    total: int
    entries: tuple[ListedEntry, ...]
    feeds: tuple[tuple[str, str], ...]
    feed: str
    home: str
    sandbox: str = _SANDBOX


class _OutlinePage(Struct, frozen=True):
    """The frame in which a page is shown, from one piece on."""

    number: str
    field: str
    options: Mapping[str, str]
    outline: Outline
    first: int
    following: int


class _Chosen(Struct, frozen=True):
    """A page that was fetched, and its title, which names a new feed; ``home`` is the page of the source, if it is one.

    That is a path below the desk.
    """

    page: Document
    title: str | None
    home: str = ""

    def read(self, options: Mapping[str, str]) -> DetectedSource:
        """Return what is read of the page with these options; raise ReadError, ConfigError."""
        changed = detection.set_options(self.page, options)
        listing = parser_process.read(changed)
        show = replace(listing.show, title=listing.show.title or self.title)
        return DetectedSource(changed.source, replace(listing, show=show))


def _open_page(desk: Desk, request: PageRequest) -> ActResult:
    """Fetch a page once, to choose elements of it."""
    return _open(desk, request, find_page(desk, request.find("found")))


def _open_source(desk: Desk, request: PageRequest) -> ActResult:
    """Fetch the page of a source once, to choose other elements of it."""
    plan = desk.find_plan(request)
    source = find_source(plan, request)
    return _open(desk, request, source, f"/feeds/{plan.name}/sources/{source.name}")


def _open(desk: Desk, request: PageRequest, source: Source, home: str = "") -> ActResult:
    at = now()
    with preview.open_resources(desk.config, at) as resources:
        page = detection.fetch_page(source, resources, at)
    try:
        title = parser_process.propose(page).title
    except ReadError:
        title = None
    number = desk.cache.add(request.visitor, _Chosen(page, title, home))
    return ActResult(f"/add/page?{urlencode({**(dict(source.options) if home else {}), 'page': number})}")


def _find(desk: Desk, fields: Mapping[str, str]) -> tuple[_Chosen, dict[str, str]]:
    """Return the page that was fetched, and the options that the query or form has."""
    chosen = desk.cache.find(fields.get("page", ""))
    if not isinstance(chosen, _Chosen):
        raise MissingError(N_("this page is not known any more: paste its address again"))
    names = registry.find("page").options or ()
    return chosen, {name: value for name in names if (value := fields.get(name, "").strip())}


def _show_choice(desk: Desk, request: PageRequest) -> _ChoosePage:
    """Gather what the selectors of the query yield, after the element ``pick`` was chosen as ``field``."""
    chosen, options = _find(desk, request.query)
    page = chosen.page
    field = request.query.get("field", "")
    field = field if field in _FIELDS else "items"
    problem, found = "", DetectedSource(page.source, Listing((), show=Show(title=chosen.title)))
    try:
        if "pick" in request.query:
            number = parse_number(request.query["pick"])
            options = parser_process.pick(detection.set_options(page, options), number, field)
            field = next((name for name in _FIELDS if name not in options), field)
        if "items" in options:
            found = chosen.read(options)
    except (ReadError, ConfigError) as error:
        problem = str(error)
    feed = adding.choose_feed(desk.config, found)
    names = registry.find("page").options or ()
    return _ChoosePage(
        number=request.query["page"],
        url=redact(page.url),
        field=field,
        fields=_FIELDS,
        options=options,
        others=tuple(name for name in names if name not in _FIELDS),
        problem=problem,
        total=len(found.listing.entries),
        entries=tuple(make_entry(each, request.locale) for each in found.listing.entries[:_MOST_ENTRIES]),
        feeds=tuple(desk.titles.items()),
        feed=feed,
        home=chosen.home,
    )


def _show_outline(desk: Desk, request: PageRequest) -> _OutlinePage:
    chosen, options = _find(desk, request.query)
    first = parse_number(request.query.get("from", ""))
    outline = parser_process.outline(detection.set_options(chosen.page, options), first)
    end = first + len(outline.pieces)
    following = end if end < outline.total else 0
    return _OutlinePage(request.query["page"], request.query.get("field", "items"), options, outline, first, following)


def _write(desk: Desk, request: PageRequest) -> ActResult:
    chosen, options = _find(desk, request.form)
    return write_found(desk, request, chosen.read(options))


PAGES = (
    Page("/add/page", "choose.html.j2", _show_choice, in_api=False),
    Page("/add/outline", "outline.html.j2", _show_outline, _FRAME_HEADERS, in_api=False),
)
ACTS = (
    Act("/add/open", _open_page, in_api=False),
    Act("/feeds/{feed}/sources/{source}/choose", _open_source, in_api=False),
    Act("/add/page/write", _write, in_api=False),
)
