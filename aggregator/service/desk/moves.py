"""Move a source to another feed, remove it, or remove a feed: what that would change, the act, and its undoing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from aggregator import moving
from aggregator.config import change, edit
from aggregator.errors import ConfigError
from aggregator.service.desk.changes import FeedChanges, read_comparison
from aggregator.service.desk.errors import MissingError
from aggregator.service.desk.frame import Act, ActResult, Button, Desk, Page, PageRequest, now
from aggregator.service.desk.jobs import Job
from aggregator.service.desk.published import read_items
from aggregator.service.desk.source import find_source
from aggregator.translation.locale import Locale
from aggregator.translation.marks import N_

_HEADINGS: Final[Mapping[tuple[bool, bool], str]] = {
    (True, False): N_("Preview of moving %(source)s to %(to)s"),
    (True, True): N_("Preview of moving %(source)s to %(to)s, with items of it alone"),
    (False, False): N_("Preview of removing %(source)s"),
    (False, True): N_("Preview of removing %(source)s, with items of it alone"),
}
"""Headings of previews, by whether the source is moved, and whether the items that only it lists leave with it."""

_GONE: Final = N_("What this page showed is not known any more; preview it again.")


class _Draft(Struct, frozen=True):
    """A move that is previewed by a job."""

    move: moving.Move
    job: Job


class _Done(Struct, frozen=True):
    """A change that was made: the text of the config before and after, and the move, ``None`` for a feed that left."""

    texts: tuple[str, str]
    page: str
    move: moving.Move | None = None


class _Preview(Struct, frozen=True):
    """The changes that a move would bring, once they are known; ``act`` is the button that makes it."""

    running: int | None
    problems: tuple[str, ...] = ()
    feeds: tuple[FeedChanges, ...] = ()
    act: Button | None = None


class _MovePage(Struct, frozen=True):
    """The page of a source that may leave its feed; ``others`` are the names and titles of the feeds it may go to.

    ``alone`` counts the items that only it lists, ``is_last`` is whether its feed has no other source.
    """

    feed: str
    name: str
    others: tuple[tuple[str, str], ...]
    alone: int
    is_last: bool
    preview: _Preview | None


class _RemovePage(Struct, frozen=True):
    """The page of a feed that may leave the config."""

    feed: str
    title: str
    items: int
    is_private: bool


def _show_move(desk: Desk, request: PageRequest) -> _MovePage:
    """Gather the page of a source that may leave, with what that would change if ``draft`` is the number of a move."""
    plan = desk.find_plan(request)
    source = find_source(plan, request)
    alone = sum(item.sources == (source.name,) for item in read_items(desk, plan))
    number = request.query.get("draft", "")
    draft = desk.cache.find(number)
    is_ours = isinstance(draft, _Draft) and (draft.move.feed, draft.move.source) == (plan.name, source.name)
    return _MovePage(
        plan.name,
        source.name,
        tuple((each.name, each.channel.title) for each in desk.config.plans if each.name != plan.name),
        alone,
        len(plan.sources) == 1,
        _make_preview(desk, draft, number, request.locale) if isinstance(draft, _Draft) and is_ours else None,
    )


def _make_preview(desk: Desk, draft: _Draft, number: str, locale: Locale) -> _Preview:
    job, move = draft.job, draft.move
    if job.code is None:
        return _Preview(job.number)
    if move.to:
        label = locale.gettext(
            "Move %(source)s to %(feed)s", source=move.source, feed=desk.titles.get(move.to, move.to)
        )
    else:
        label = locale.gettext("Remove %(source)s", source=move.source)
    act = Button(label, f"/feeds/{move.feed}/sources/{move.source}/move", {"draft": number})
    return _Preview(None, tuple(job.lines[:50]), read_comparison(job)[0], act if job.code == 0 else None)


def _preview(desk: Desk, request: PageRequest) -> ActResult:
    """Find what a move would change, as ``aggregator move --dry-run`` says it."""
    plan = desk.find_plan(request)
    source, to = find_source(plan, request), request.form.get("to") or None
    forgets = request.form.get("alone") == "leaves"
    move = moving.make_move(desk.config, plan, source.name, to, forgets=forgets)
    number = desk.cache.add(request.visitor, None)
    if to:
        words = ("move", source.name, to, "--from", plan.name, *(() if forgets else ("--keep",)))
    else:
        words = ("remove", source.name, "--feed", plan.name, *(("--forget",) if forgets else ()))
    names = {"source": source.name, "to": to or ""}
    heading = _HEADINGS[bool(to), forgets]
    job = desk.jobs.start(
        (heading % names).lower(),
        plan.name,
        (*words, "--dry-run", "--json"),
        heading=heading,
        names=names,
        as_json=True,
        then=f"/feeds/{plan.name}/sources/{source.name}/move?draft={number}",
    )
    desk.cache.add(request.visitor, _Draft(move, job), number)
    return ActResult(f"/jobs/{job.number}")


def _move(desk: Desk, request: PageRequest) -> ActResult:
    """Make the move that was previewed."""
    draft = desk.cache.find(request.find("draft"))
    if not isinstance(draft, _Draft):
        raise MissingError(_GONE)
    move = draft.move
    if desk.mistakes:
        raise ConfigError(desk.mistakes)
    texts = moving.carry_out(desk.config, move, now())
    if move.to:
        message = N_("%(source)s is a source of %(feed)s now; it counts from the next refresh on.")
    else:
        message = N_("%(source)s is removed; it counts from the next refresh on.")
    done = request.locale.gettext(message, source=move.source, feed=desk.titles.get(move.to or "", move.to))
    return ActResult(f"/feeds/{move.to or move.feed}", done, _make_undo(desk, request, texts, move))


def _show_remove(desk: Desk, request: PageRequest) -> _RemovePage:
    """Gather the page of a feed that may leave."""
    plan = desk.find_plan(request)
    items = len(read_items(desk, plan))
    return _RemovePage(plan.name, plan.channel.title, items, bool(plan.channel.token))


def _remove_feed(desk: Desk, request: PageRequest) -> ActResult:
    """Remove a feed from the config."""
    plan = desk.find_plan(request)
    texts = edit.rewrite(desk.config.path, lambda before: change.remove(before, plan.name))
    done = request.locale.gettext("%(feed)s is removed from the config.", feed=plan.channel.title)
    return ActResult("/", done, _make_undo(desk, request, texts))


def _make_undo(desk: Desk, request: PageRequest, texts: tuple[str, str], move: moving.Move | None = None) -> Button:
    page = f"/feeds/{move.feed}" if move else f"/feeds/{request.names['feed']}"
    number = desk.cache.add(request.visitor, _Done(texts, page, move))
    return Button(request.locale.gettext("Undo"), "/moves/undo", {"number": number})


def _undo(desk: Desk, request: PageRequest) -> ActResult:
    """Give the config the text that it had before, and take back what was decided with it."""
    done = desk.cache.find(request.find("number"))
    if not isinstance(done, _Done):
        raise MissingError(_GONE)
    if done.move is None:
        edit.restore(desk.config.path, *done.texts)
    else:
        moving.take_back(desk.config, done.move, done.texts, now())
    return ActResult(done.page, request.locale.gettext("The config is as it was before."))


_DRAFT: Final = {"draft": "The number of a preview."}
_MOVE: Final = {
    "to": "The feed that it goes to; without one it is removed.",
    "alone": "`leaves` if the items that only it lists leave the feed with it.",
}
PAGES = (
    Page("/feeds/{feed}/sources/{source}/move", "move.html.j2", _show_move, takes=_DRAFT),
    Page("/feeds/{feed}/remove", "remove.html.j2", _show_remove),
)
ACTS = (
    Act("/feeds/{feed}/sources/{source}/move/preview", _preview, takes=_MOVE),
    Act("/feeds/{feed}/sources/{source}/move", _move, needs=_DRAFT),
    Act("/feeds/{feed}/remove", _remove_feed),
    Act("/moves/undo", _undo, needs={"number": "The number that the act to undo gave."}),
)
