"""The page of a feed's other listings: each with what it would add, and a button that looks at it to add it."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from msgspec import Struct

from aggregator.model.record import make_json_decoder
from aggregator.service.desk.frame import Act, ActResult, Desk, Page, PageRequest
from aggregator.translation.marks import N_

_KIND: Final = "search for other listings"


class _Listing(Struct, frozen=True):
    """A listing in the JSON of ``aggregator find``."""

    url: str
    described: str
    kind: str
    matched: int
    of: int
    doubtful: tuple[str, ...] = ()
    named_by: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class _Search(Struct, frozen=True):
    listings: tuple[_Listing, ...] = ()
    others: int = 0
    problems: tuple[str, ...] = ()


class _FindPage(Struct, frozen=True):
    """The last search: when it ended (``None`` if there was none), or the number of the one under way."""

    feed: str
    searched: datetime | None
    running: int | None
    failure: tuple[str, ...]
    found: _Search


_DECODER: Final = make_json_decoder(_Search)


def _show_find(desk: Desk, request: PageRequest) -> _FindPage:
    """Gather what the last search of a feed found."""
    name = desk.find_plan(request).name
    job = desk.jobs.newest(_KIND, name)
    if job is None or job.code is None:
        return _FindPage(name, None, job.number if job else None, (), _Search())
    if job.code:
        return _FindPage(name, job.ended, None, tuple(job.lines[:20]), _Search())
    return _FindPage(name, job.ended, None, (), _DECODER.decode(job.output))


def _find(desk: Desk, request: PageRequest) -> ActResult:
    """Search other listings of a feed, as ``aggregator find`` does."""
    name = desk.find_plan(request).name
    heading, words = N_("Search for other listings of %(feed)s"), ("find", name, "--json")
    job = desk.jobs.start(_KIND, name, words, heading=heading, as_json=True, then=f"/feeds/{name}/find")
    return ActResult(f"/jobs/{job.number}")


PAGES = (Page("/feeds/{feed}/find", "find.html.j2", _show_find),)
ACTS = (Act("/feeds/{feed}/find", _find),)
