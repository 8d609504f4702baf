"""Review: pairs of entries that may be one item, the most uncertain first, and new items that are held."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from msgspec import Struct

from aggregator import corrections, publications
from aggregator.model.cluster import Decision, Pair, Verdict
from aggregator.model.feed import Plan
from aggregator.service.desk.frame import (
    Act,
    ActResult,
    Button,
    Desk,
    MissingError,
    Page,
    PageRequest,
    parse_number,
)
from aggregator.service.desk.item import PairBars, make_bars
from aggregator.service.desk.published import (
    Pieces,
    ReportHeld,
    ReportItem,
    format_value,
    full_text,
    read_report,
    unmark,
)
from aggregator.store import decisions, entries
from aggregator.store.database import Store
from aggregator.store.entries import StoredEntry
from aggregator.text import word_diff

_LONGEST: Final = 20_000
_MOST_HELD: Final = 50
_SIDE: Final = 900
"""Characters of a text beside another."""

_SECONDS: Final = 120


class _FeedToReview(Struct, frozen=True):
    """A feed with something to decide."""

    name: str
    title: str
    pairs: int
    held: int


class _Reviews(Struct, frozen=True):
    """The feeds with something to decide."""

    feeds: tuple[_FeedToReview, ...]


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
    """A new item that is held.

    ``decided`` is what a person decided about it: "held back", "never", or nothing.
    """

    title: str
    why: str
    until: datetime | None
    entries: tuple[str, ...]
    decided: str
    seen: str


class _ReviewPage(Struct, frozen=True):
    """The question at one place of those that are open, and the held items of the feed."""

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
    """The consequence of an answer, and the form that gives it."""

    feed: str
    lines: tuple[str, ...]
    left: str
    right: str
    seen: str
    place: int


def _show_reviews(desk: Desk, _request: PageRequest) -> _Reviews:
    """Gather the feeds with something to decide, those with the most first."""
    with desk.open_store() as store:
        known = publications.read_publications(store)
    found = [
        _FeedToReview(plan.name, plan.channel.title, known[plan.name].near_misses, len(known[plan.name].held))
        for plan in desk.config.plans
        if plan.name in known
    ]
    waiting = [each for each in found if each.pairs or each.held]
    return _Reviews(tuple(sorted(waiting, key=lambda each: -each.pairs)))


def _show_review(desk: Desk, request: PageRequest) -> _ReviewPage:
    """Gather the question at the place ``at`` of a feed's open questions."""
    plan = desk.find_plan(request)
    report = read_report(desk.open_folder(plan))
    homes = {entry: item for item in report.items for entry in item.entries}
    with desk.open_store() as store:
        pairs = _find_open(store, plan, report.near_misses)
        place = min(parse_number(request.query.get("at", "")), max(0, len(pairs) - 1))
        pair = pairs[place] if pairs else None
        names = (pair.left, pair.right) if pair else ()
        known = entries.read_entries_of(store, plan.name, names)
        sides = _make_sides(known, homes) if len(known) == len(names) == 2 else (None, None)  # noqa: PLR2004 - a pair
        return _ReviewPage(
            feed=plan.name,
            title=plan.channel.title,
            place=place,
            total=len(pairs),
            left=sides[0],
            right=sides[1],
            evidence=make_bars(pair) if pair else None,
            seen=corrections.read_state(store, plan.name, names),
            consequence=urlencode({"left": pair.left, "right": pair.right, "at": place}) if pair else "",
            held=tuple(_list_held(store, plan, report.held)),
        )


def _find_open(store: Store, plan: Plan, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the near misses of the last publication that were not decided since."""
    decided = {frozenset((each.left, each.right)) for each in decisions.read_decisions(store, plan.name)}
    return [pair for pair in pairs if frozenset((pair.left, pair.right)) not in decided]


def _list_held(store: Store, plan: Plan, held: Sequence[ReportHeld]) -> list[_HeldLine]:
    """Return the items that the last publication held, but those to be published now, and what is held back since."""
    admitted, back = decisions.read_admissions(store, plan.name), decisions.read_held_back(store, plan.name)
    known = {name for each in held for name in each.entries}
    since = [ReportHeld(name, "declined", (name,)) for name in sorted(back - known)]
    shown = [each for each in (*since, *held) if not any(admitted.get(name) for name in each.entries)][:_MOST_HELD]
    states = corrections.read_states(store, plan.name, [each.entries for each in shown])
    return [
        _HeldLine(each.title, each.why, each.until, each.entries, _name_decision(each, admitted, back), seen)
        for each, seen in zip(shown, states, strict=True)
    ]


def _name_decision(held: ReportHeld, admitted: Mapping[str, bool], back: Collection[str]) -> str:
    if any(name in back for name in held.entries):
        return "held back"
    return "never" if any(name in admitted for name in held.entries) else ""


def _make_sides(known: Sequence[StoredEntry], homes: Mapping[str, ReportItem]) -> tuple[_Side, ...]:
    one, other = (each.entry for each in known)
    titles = word_diff.mark_sides(one.title[:_LONGEST], other.title[:_LONGEST])
    texts = word_diff.mark_sides(full_text(one)[:_LONGEST], full_text(other)[:_LONGEST])
    return tuple(
        _Side(
            id=entry.id,
            title=_cut(title),
            facts=(
                ("date", format_value(entry.published)),
                ("length", format_value(entry.duration)),
                ("audio", format_value(entry.enclosure)),
                ("link", format_value(entry.link)),
            ),
            text=_cut(text),
            characters=len(full_text(entry)),
            item=homes[entry.id].title if entry.id in homes else "",
            guid=homes[entry.id].guid if entry.id in homes else "",
        )
        for entry, title, text in zip((one, other), titles, texts, strict=True)
    )


def _cut(pieces: Pieces) -> Pieces:
    """Return the first pieces, as many as fit beside others."""
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
            raise MissingError("there are no such entries")
        seen = corrections.read_state(store, plan.name, (left, right))
    words = ("review", "--feed", plan.name, "--dry-run", "--same", left, right)
    lines = desk.jobs.call(words, seconds=_SECONDS)
    return _Confirmation(plan.name, lines, left, right, seen, parse_number(request.query.get("at", "")))


def _decide(desk: Desk, request: PageRequest) -> ActResult:
    """Decide that two entries are the same or different; two published items become one only once that was shown."""
    plan, left, right = desk.find_plan(request), request.find("left"), request.find("right")
    verdict: Verdict = "same" if request.find("verdict") == "same" else "different"
    place = request.form.get("at", "0")
    if verdict == "same" and "shown" not in request.form and _are_two_items(desk, plan, left, right):
        query = urlencode({"left": left, "right": right, "at": place})
        return ActResult(f"/feeds/{plan.name}/review/consequence?{query}")
    with desk.open_terms(request) as terms:
        corrections.decide_pair(terms, Decision(verdict, left, right))
    undo = Button("Back", f"/feeds/{plan.name}/review/undo", {"left": left, "right": right, "at": place})
    words = "one item" if verdict == "same" else "two items"
    return ActResult(_locate(plan, place), f"They are {words} from the next refresh on.", undo)


def _are_two_items(desk: Desk, plan: Plan, left: str, right: str) -> bool:
    items = read_report(desk.open_folder(plan)).items
    homes = [item.guid for item in items if left in item.entries or right in item.entries]
    return len(homes) > 1


def _locate(plan: Plan, place: str) -> str:
    return f"/feeds/{plan.name}/review?{urlencode({'at': place})}"


def _undo(desk: Desk, request: PageRequest) -> ActResult:
    """Take back the decision about two entries."""
    plan, left, right = desk.find_plan(request), request.find("left"), request.find("right")
    with desk.open_terms(request) as terms:
        corrections.undo_pair(terms, left, right)
    return ActResult(_locate(plan, request.form.get("at", "0")), "The decision is taken back.")


def _decide_held(desk: Desk, request: PageRequest) -> ActResult:
    """Publish a held item now, or never."""
    plan, names, wanted = desk.find_plan(request), request.find("entries").splitlines(), request.find("wanted")
    answers = {"publish": (True, "It is published with the next refresh."), "never": (False, "It is never published.")}
    is_wanted, message = answers.get(wanted, (None, "It waits again."))
    with desk.open_terms(request) as terms:
        corrections.decide_held(terms, names, is_wanted)
    fields = {"entries": "\n".join(names), "wanted": "wait"}
    undo = Button("Undo", f"/feeds/{plan.name}/review/held", fields) if is_wanted is not None else None
    return ActResult(_locate(plan, "0"), message, undo)


PAGES = (
    Page("/review", "reviews.html.j2", _show_reviews),
    Page("/feeds/{feed}/review", "review.html.j2", _show_review),
    Page("/feeds/{feed}/review/consequence", "consequence.html.j2", _show_consequence, is_slow=True),
)
ACTS = (
    Act("/feeds/{feed}/review/decide", _decide),
    Act("/feeds/{feed}/review/undo", _undo),
    Act("/feeds/{feed}/review/held", _decide_held),
)
