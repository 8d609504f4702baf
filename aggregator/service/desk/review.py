"""Review: pairs of entries that may be one item, the most uncertain first, and new items that are held."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from aggregator import corrections
from aggregator.generator.content.feed_item import make_title
from aggregator.model.cluster import Decision, Verdict
from aggregator.model.feed import Plan
from aggregator.model.item import HeldItem, Item
from aggregator.model.record import make_json_decoder
from aggregator.service.desk.errors import MissingError, RefusedError
from aggregator.service.desk.frame import (
    SEEN,
    Act,
    ActResult,
    Button,
    Desk,
    Page,
    PageRequest,
    parse_number,
)
from aggregator.service.desk.inbox import read_waiting
from aggregator.service.desk.item import PairBars, make_bars
from aggregator.service.desk.published import Pieces, format_value, full_text, read_items, unmark
from aggregator.store import decisions, entries, publications
from aggregator.store.database import Store
from aggregator.store.entries import StoredEntry
from aggregator.store.items import FeedItems
from aggregator.text import word_diff
from aggregator.translation.locale import Locale
from aggregator.translation.marks import N_

_MAX_TEXT: Final = 20_000
_MOST_HELD: Final = 50
_SIDE: Final = 900
"""Characters of a text beside another."""

_PREVIEW_SECONDS: Final = 120
_UNKNOWN: Final = N_('%(field)s may be %(known)s, not "%(given)s"')


class _Side(Struct, frozen=True):
    """One of two entries: title and text with the words marked that the other lacks."""

    id: str
    title: Pieces
    facts: tuple[tuple[str, str], ...]
    text: Pieces
    characters: int
    item: str
    guid: str


class _HeldLine(Struct, frozen=True):
    """A new item of a feed that is held.

    ``decided`` is what a person decided about it: "held back", "never", or nothing.
    """

    feed: str
    title: str
    why: str
    until: datetime | None
    entries: tuple[str, ...]
    decided: str
    seen: str


class _ReviewPage(Struct, frozen=True):
    """The question at one place of those that are open, and the held items, of one feed or of all.

    ``queue`` is "all" where the questions are those of all feeds. ``feed`` and ``title`` are of the question, empty if
    none is open.
    """

    queue: str
    feed: str
    title: str
    place: int
    total: int
    left: _Side | None
    right: _Side | None
    evidence: PairBars | None
    seen: str
    consequence: str
    held: tuple[_HeldLine, ...]


class _Confirmation(Struct, frozen=True):
    """The consequence of an answer, and the form that gives it; ``back`` is the page of the question."""

    feed: str
    back: str
    queue: str
    lines: tuple[str, ...]
    left: str
    right: str
    seen: str
    place: int


class _MovedItem(Struct, frozen=True):
    """An item in the JSON of ``aggregator review --dry-run``, with the one that its entries become part of, if any."""

    title: str
    guid: str
    into: _MovedItem | None = None


class _Consequence(Struct, frozen=True):
    removed: tuple[_MovedItem, ...] = ()
    added: tuple[_MovedItem, ...] = ()


_CONSEQUENCE: Final = make_json_decoder(_Consequence)


def _show_reviews(desk: Desk, request: PageRequest) -> _ReviewPage:
    """Gather the question at the place ``at`` of the open questions of all feeds, and what all hold."""
    return _show_queue(desk, request, desk.config.plans, "all")


def _show_review(desk: Desk, request: PageRequest) -> _ReviewPage:
    """Gather the question at the place ``at`` of a feed's open questions, and what it holds."""
    return _show_queue(desk, request, (desk.find_plan(request),), "")


def _show_queue(desk: Desk, request: PageRequest, plans: Sequence[Plan], queue: str) -> _ReviewPage:
    with desk.open_store() as store:
        waiting = read_waiting(store, plans)
        open_pairs = [(plan, pair) for plan in plans for pair in waiting[plan.name].pairs]
        place = min(parse_number(request.query.get("at", "")), max(0, len(open_pairs) - 1))
        held = [line for plan in plans for line in _list_held(store, plan, is_any=bool(waiting[plan.name].held))]
        page = _ReviewPage(queue, "", "", place, len(open_pairs), None, None, None, "", "", tuple(held[:_MOST_HELD]))
        return _ask(store, page, *open_pairs[place], request.locale) if open_pairs else page


def _ask(store: Store, page: _ReviewPage, plan: Plan, pair: tuple[str, str], locale: Locale) -> _ReviewPage:
    """Return the page with its question: are these two entries of a feed one item?"""
    left, right = pair
    feed = publications.read_feed(store, plan.name)
    homes = {entry: item for item in FeedItems(store, plan.name).read() for entry in item.entries}
    compared = next((each for each in (feed.near_misses if feed else ()) if (each.left, each.right) == pair), None)
    known = entries.read_entries_of(store, plan.name, (left, right))
    sides = _make_sides(known, homes, locale) if len(known) == 2 else (None, None)  # noqa: PLR2004 - a pair
    return replace(
        page,
        feed=plan.name,
        title=plan.channel.title,
        left=sides[0],
        right=sides[1],
        evidence=make_bars(compared, locale) if compared else None,
        seen=corrections.read_state(store, plan.name, (left, right)),
        consequence=urlencode({"left": left, "right": right, "at": page.place, "queue": page.queue}),
    )


def _list_held(store: Store, plan: Plan, *, is_any: bool) -> list[_HeldLine]:
    """Return the items that the last publication held, but those to be published now, and what is held back since.

    That publication, which can be large, is read only if it held any.
    """
    feed = publications.read_feed(store, plan.name) if is_any else None
    held = feed.held if feed else ()
    admitted, back = decisions.read_admissions(store, plan.name), decisions.read_held_back(store, plan.name)
    known = {name for each in held for name in each.entries}
    since = [HeldItem(name, (name,), "declined") for name in sorted(back - known)]
    shown = [each for each in (*since, *held) if not any(admitted.get(name) for name in each.entries)][:_MOST_HELD]
    states = corrections.read_states(store, plan.name, [each.entries for each in shown])
    return [
        _HeldLine(plan.name, each.title, each.why, each.until, each.entries, _name_decision(each, admitted, back), seen)
        for each, seen in zip(shown, states, strict=True)
    ]


def _name_decision(held: HeldItem, admitted: Mapping[str, bool], back: Collection[str]) -> str:
    if any(name in back for name in held.entries):
        return "held back"
    return "never" if any(name in admitted for name in held.entries) else ""


def _make_sides(known: Sequence[StoredEntry], homes: Mapping[str, Item], locale: Locale) -> tuple[_Side, ...]:
    one, other = (each.entry for each in known)
    titles = word_diff.mark_sides(one.title[:_MAX_TEXT], other.title[:_MAX_TEXT])
    texts = word_diff.mark_sides(full_text(one)[:_MAX_TEXT], full_text(other)[:_MAX_TEXT])
    return tuple(
        _Side(
            id=entry.id,
            title=_cut(title),
            facts=(
                ("date", format_value(entry.published, locale)),
                ("length", format_value(entry.duration, locale)),
                ("audio", format_value(entry.enclosure, locale)),
                ("link", format_value(entry.link, locale)),
            ),
            text=_cut(text),
            characters=len(full_text(entry)),
            item=make_title(homes[entry.id]) if entry.id in homes else "",
            guid=homes[entry.id].guid if entry.id in homes else "",
        )
        for entry, title, text in zip((one, other), titles, texts, strict=True)
    )


def _cut(pieces: Pieces) -> Pieces:
    cut: list[tuple[word_diff.Change, str]] = []
    left = _SIDE
    for change, text in unmark(pieces):
        if left <= 0:
            break
        cut.append((change, text if len(text) <= left else f"{text[:left]}…"))
        left -= len(text)
    return tuple(cut)


def _show_consequence(desk: Desk, request: PageRequest) -> _Confirmation:
    """Find what it would do if two are the same, as ``aggregator review --same --dry-run`` prints it."""
    plan, left, right = desk.find_plan(request), request.query.get("left", ""), request.query.get("right", "")
    with desk.open_store() as store:
        known = entries.read_entries_of(store, plan.name, (left, right))
        if len(known) < 2:  # noqa: PLR2004 - a pair
            raise MissingError(N_("there are no such entries"))
        seen = corrections.read_state(store, plan.name, (left, right))
    words = ("review", "--feed", plan.name, "--dry-run", "--json", "--same", left, right)
    said = desk.jobs.call(words, seconds=_PREVIEW_SECONDS)
    try:
        lines = tuple(_describe_consequence(_CONSEQUENCE.decode("\n".join(said)), request.locale))
    except ValueError:
        lines = said  # it failed, and says why
    back, place = _locate(plan, request.query), parse_number(request.query.get("at", ""))
    return _Confirmation(plan.name, back, request.query.get("queue", ""), lines, left, right, seen, place)


def _describe_consequence(found: _Consequence, locale: Locale) -> Iterator[str]:
    """Yield one sentence for each item that would leave the feed or come into it, as the command prints them."""
    for item in found.removed:
        yield locale.gettext(
            "Merging removes the item “%(title)s” (%(guid)s) from the feed; subscribers who have it keep it. "
            "Its entries become part of “%(into)s” (%(into_guid)s).",
            title=item.title,
            guid=item.guid,
            into=item.into.title if item.into else "",
            into_guid=item.into.guid if item.into else "",
        )
    for item in found.added:
        yield locale.gettext(
            "Parting brings the item “%(title)s” (%(guid)s) into the feed.", title=item.title, guid=item.guid
        )
    if not (found.removed or found.added):
        yield locale.gettext("No published item leaves the feed.")


def _decide(desk: Desk, request: PageRequest) -> ActResult:
    """Decide that two entries are the same or different; two published items become one only once that was shown."""
    plan, left, right = desk.find_plan(request), request.find("left"), request.find("right")
    if (given := request.find("verdict")) not in ("same", "different"):
        raise RefusedError(_UNKNOWN, field="verdict", known="same, different", given=given[:20])
    verdict: Verdict = "same" if given == "same" else "different"
    place = {"at": request.form.get("at", "0"), "queue": request.form.get("queue", "")}
    if verdict == "same" and "shown" not in request.form and _are_two_items(desk, plan, left, right):
        query = urlencode({"left": left, "right": right, **place})
        return ActResult(f"/feeds/{plan.name}/review/consequence?{query}")
    with desk.open_context(request) as context:
        corrections.decide_pair(context, Decision(verdict, left, right))
    locale, fields = request.locale, {"left": left, "right": right, **place}
    undo = Button(locale.gettext("Back"), f"/feeds/{plan.name}/review/undo", fields, key="b")
    if verdict == "same":
        message = locale.gettext("They are one item from the next refresh on.")
    else:
        message = locale.gettext("They are two items from the next refresh on.")
    return ActResult(_locate(plan, place), message, undo)


def _are_two_items(desk: Desk, plan: Plan, left: str, right: str) -> bool:
    return sum(left in item.entries or right in item.entries for item in read_items(desk, plan)) > 1


def _locate(plan: Plan, given: Mapping[str, str]) -> str:
    """Return the page of the questions that a form or a query is of."""
    page = "/review" if given.get("queue") == "all" else f"/feeds/{plan.name}/review"
    return f"{page}?{urlencode({'at': given.get('at', '0')})}"


def _undo(desk: Desk, request: PageRequest) -> ActResult:
    """Take back the decision about two entries."""
    plan, left, right = desk.find_plan(request), request.find("left"), request.find("right")
    with desk.open_context(request) as context:
        corrections.undo_pair(context, left, right)
    return ActResult(_locate(plan, request.form), request.locale.gettext("The decision is taken back."))


def _decide_held(desk: Desk, request: PageRequest) -> ActResult:
    """Publish a held item now, or never."""
    plan, names, wanted = desk.find_plan(request), request.find("entries").splitlines(), request.find("wanted")
    answers = {
        "publish": (True, N_("It is published with the next refresh.")),
        "never": (False, N_("It is never published.")),
        "wait": (None, N_("It waits again.")),
    }
    if wanted not in answers:
        raise RefusedError(_UNKNOWN, field="wanted", known=", ".join(answers), given=wanted[:20])
    is_wanted, message = answers[wanted]
    with desk.open_context(request) as context:
        corrections.decide_held(context, names, is_wanted)
    fields = {"entries": "\n".join(names), "wanted": "wait", "queue": request.form.get("queue", "")}
    label = request.locale.gettext("Undo")
    undo = Button(label, f"/feeds/{plan.name}/review/held", fields) if is_wanted is not None else None
    return ActResult(_locate(plan, request.form), request.locale.gettext(message), undo)


_PAIR: Final = {"left": "The id of an entry.", "right": "The id of another."}
_AT: Final = {"at": "The place of the pair among those that are open, from 0."}
_QUEUE: Final = {**_AT, "queue": "`all` if that is a place among the pairs of all feeds."}
_DECISION: Final = {
    "shown": "Any text, once `review/consequence` was read: two published items become one only with it.",
    **SEEN,
    **_QUEUE,
}
PAGES = (
    Page("/review", "review.html.j2", _show_reviews, takes=_AT),
    Page("/feeds/{feed}/review", "review.html.j2", _show_review, takes=_AT),
    Page(
        "/feeds/{feed}/review/consequence",
        "consequence.html.j2",
        _show_consequence,
        is_slow=True,
        needs=_PAIR,
        takes=_QUEUE,
    ),
)
ACTS = (
    Act(
        "/feeds/{feed}/review/decide",
        _decide,
        needs={**_PAIR, "verdict": "`same` or `different`."},
        takes=_DECISION,
    ),
    Act("/feeds/{feed}/review/undo", _undo, needs=_PAIR, takes={**SEEN, **_QUEUE}),
    Act(
        "/feeds/{feed}/review/held",
        _decide_held,
        needs={"entries": "The ids of the item's entries, one a line.", "wanted": "`publish`, `never` or `wait`."},
        takes={**SEEN, **_QUEUE},
    ),
)
