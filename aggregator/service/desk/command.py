"""The page of a command that was started here, and the commands about a feed that are started from its page."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from aggregator.model.record import make_json_decoder
from aggregator.model.results import ChangedTitles
from aggregator.service.desk.errors import MissingError
from aggregator.service.desk.frame import Act, ActResult, Desk, Page, PageRequest, parse_number
from aggregator.service.desk.jobs import Job
from aggregator.translation.marks import N_


class _RunSource(Struct, frozen=True):
    """A source in the JSON of a refresh: its state, why it failed, and the entries that were read."""

    name: str
    state: str
    message: str = ""
    entries: int = 0


class _RunSummary(Struct, frozen=True):
    """A feed in the JSON of a refresh (``commands.summary.summary_values``)."""

    feed: str
    sources: tuple[_RunSource, ...] = ()
    remembered: int = 0
    items: int = 0
    merged: int = 0
    new: int = 0
    changed: int = 0
    near_misses: int = 0
    titles: ChangedTitles = ChangedTitles()
    held: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class _JobPage(Struct, frozen=True):
    """A command that the desk started, its lines so far, and what became of the feeds that it refreshed.

    ``code`` is its exit code, ``None`` while it runs. ``then`` is the page of its outcome, a path below the desk.
    """

    number: int
    kind: str
    title: str
    feed: str
    begun: datetime
    ended: datetime | None
    code: int | None
    lines: tuple[str, ...]
    then: str
    summaries: tuple[_RunSummary, ...]


_SUMMARIES = make_json_decoder(tuple[_RunSummary, ...])


def _refresh_feed(desk: Desk, request: PageRequest) -> ActResult:
    """Refresh a feed now, in a process of its own."""
    plan = desk.find_plan(request)
    job = desk.jobs.refresh(plan.name)
    return ActResult(f"/jobs/{job.number}")


def _show_job(desk: Desk, request: PageRequest) -> _JobPage:
    """Gather the lines of a command."""
    number = request.names["number"]
    job = desk.jobs.find(parse_number(number))
    if job is None:
        raise MissingError(N_("this command is not known any more"))
    return _JobPage(
        number=job.number,
        kind=job.kind,
        title=request.locale.gettext(job.heading, feed=desk.titles.get(job.feed, job.feed), **job.names),
        feed=job.feed,
        begun=job.begun,
        ended=job.ended,
        code=job.code,
        lines=tuple(job.lines),
        then=job.then,
        summaries=_read_summaries(job),
    )


def _read_summaries(job: Job) -> tuple[_RunSummary, ...]:
    """Return what became of the feeds of a refresh that has ended; none of another command or of one that failed."""
    if job.code is None or not job.is_refresh:
        return ()
    try:
        return _SUMMARIES.decode(job.output)
    except ValueError:
        return ()


def _validate_feed(desk: Desk, request: PageRequest) -> ActResult:
    """Check the published files of a feed, as ``aggregator validate`` does."""
    plan = desk.find_plan(request)
    folder = desk.open_folder(plan)
    files = [folder / name for name in ("podcast.xml", "feed.xml", "feed.atom", "feed.json")]
    words = ("validate", *(str(file) for file in files if file.exists()))
    heading = N_("Validation of %(feed)s")
    job = desk.jobs.start("validation", plan.name, words, heading=heading, configured=False)
    return ActResult(f"/jobs/{job.number}")


PAGES = (Page("/jobs/{number}", "job.html.j2", _show_job),)
ACTS = (Act("/feeds/{feed}/refresh", _refresh_feed), Act("/feeds/{feed}/validate", _validate_feed))
