"""``aggregator review``: decide about near misses and about new items that are held back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import typer
from msgspec import Struct
from msgspec.structs import replace

from aggregator import corrections
from aggregator.commands.item_report import print_entries, print_evidence, print_sides
from aggregator.commands.options import (
    CONFIG,
    AtOption,
    ConfigOption,
    FeedOption,
    current_time,
    find_plan,
    require_store,
)
from aggregator.commands.output import format_count, shorten, to_json
from aggregator.commands.tables import open_console
from aggregator.compose import compose_published
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.config.suggestions import suggest
from aggregator.errors import ConfigError
from aggregator.merger.identity import admission
from aggregator.model.cluster import Decision, Pair, Verdict, compute_likelihood
from aggregator.model.feed import Plan
from aggregator.model.item import HeldItem, Item
from aggregator.store import database, decisions, entries, publications
from aggregator.store.entries import StoredEntry
from aggregator.store.items import FeedItems

_PAIR_KEYS: dict[str, Verdict] = {"s": "same", "d": "different"}
_ASK = "These are two published items; they become one. Continue?"
_VERDICTS: dict[Verdict, str] = {"same": "one item", "different": "two items"}
_PAIR_QUESTION = "[s]ame, [d]ifferent, [u]nsure, [b]ack, [q]uit"
_HELD_KEYS = {"p": True, "x": False}
_HELD_QUESTION = "[p]ublish now, [x] never, [u]nsure, [q]uit"
_SENTENCE = 1000
"""Characters of a sentence about what an answer would do."""

_DECIDED = {True: "published", False: "never published", None: "held until confirmed"}

_Two = tuple[str, str]


class _Consequence(Struct, frozen=True):
    """The effect of a decision on the feed, and whether it has any.

    ``removed`` are items that leave the feed, each with the one that it becomes part of; ``added`` come into it.
    """

    changed: bool
    removed: tuple[tuple[Item, Item], ...]
    added: tuple[Item, ...]


def run(  # noqa: PLR0913 - each is an option of the command line
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    at: AtOption = None,
    listed: Annotated[bool, typer.Option("--list", help="List everything that is open, without asking.")] = False,
    same: Annotated[_Two | None, typer.Option("--same", help="These two are the same item.", metavar="ID ID")] = None,
    different: Annotated[
        _Two | None, typer.Option("--different", help="These two are different items.", metavar="ID ID")
    ] = None,
    undo: Annotated[
        _Two | None, typer.Option("--undo", help="Take back a decision about these two.", metavar="ID ID")
    ] = None,
    publish: Annotated[str | None, typer.Option("--publish", help="Publish this held item now.", metavar="ID")] = None,
    never: Annotated[str | None, typer.Option("--never", help="Never publish this held item.", metavar="ID")] = None,
    hold: Annotated[str | None, typer.Option("--hold", help="Hold this new item back.", metavar="ID")] = None,
    wait: Annotated[str | None, typer.Option("--wait", help="Undo the decision about this item.", metavar="ID")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --same, do not ask before two published items become one.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --same or --different, only show what it would do to the feed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --list or --dry-run, print JSON.")] = False,
) -> None:
    """Show each near miss and each new item that is held back, and ask what to do.

    A near miss is a pair of entries that may be one item but were not merged, the most uncertain first; for each pair
    it shows what the answer would do to the feed. A decision applies to every later refresh,
    and can be taken back: --undo for a pair, --wait for a held item. An ID is an entry id or a guid, as shown here and
    by explain. Decisions about pairs can also be written in the config (decisions:).
    """
    loaded = require_store(load(config))
    plan = find_plan(loaded, feed)
    now = current_time(at)
    decided = [Decision("same", *same)] if same else []
    decided += [Decision("different", *different)] if different else []
    for decision in decided:
        _check_known(loaded, plan, decision)
        _decide_named(loaded, plan, decision, now, ask=not yes, dry_run=dry_run, as_json=as_json)
    if undo:
        _undo(loaded, plan, undo, now)
    if decided or undo:
        return
    if hold:
        _hold_back(loaded, plan, hold, now)
        return
    chosen = [(name, wanted) for name, wanted in ((publish, True), (never, False), (wait, None)) if name]
    if chosen:
        for name, wanted in chosen:
            _decide_held(loaded, plan, name, wanted, now)
        return
    pairs = _read_near_misses(loaded, plan)
    held = [each for each in _read_held(loaded, plan, now) if each.why != "due"]
    if listed or as_json:
        _print_list(loaded, plan, pairs, held, as_json=as_json)
    elif not pairs and not held:
        open_console().print("Nothing to decide: no near misses and no held items.")
    elif _ask_about_pairs(loaded, plan, pairs, now):
        _ask_about_held(loaded, plan, held, now)


def _read_near_misses(config: Config, plan: Plan) -> tuple[Pair, ...]:
    """Return the near misses of the last publication that were not decided since."""
    with database.open_store(config.state) as store:
        feed = publications.read_feed(store, plan.name)
        decided = (*plan.decisions, *decisions.read_decisions(store, plan.name))
    known = {frozenset((each.left, each.right)) for each in decided}
    return tuple(each for each in (feed.near_misses if feed else ()) if frozenset((each.left, each.right)) not in known)


def _read_held(config: Config, plan: Plan, now: datetime) -> tuple[HeldItem, ...]:
    """Return the items that the last publication held, without those that are to be published since."""
    with database.open_store(config.state) as store:
        feed, admitted = publications.read_feed(store, plan.name), decisions.read_admissions(store, plan.name)
    held = admission.update_holds(feed.held if feed else (), now)
    return tuple(
        replace(each, why="declined", until=None) if any(name in admitted for name in each.entries) else each
        for each in held
        if not any(admitted.get(name) for name in each.entries)
    )


def _print_list(config: Config, plan: Plan, near: Sequence[Pair], held: Sequence[HeldItem], *, as_json: bool) -> None:
    """Print two lines for each pair and one for each held item, with the ids that the options take; or JSON."""
    titles = {name: one.entry.title for name, one in _read_entries(config, plan).items()}
    pairs = [
        {
            "left": each.left,
            "right": each.right,
            "left_title": titles.get(each.left, ""),
            "right_title": titles.get(each.right, ""),
            "weight": round(each.weight, 2),
            "probability": round(compute_likelihood(each), 3),
        }
        for each in near
    ]
    if as_json:
        typer.echo(to_json({"pairs": pairs, "held": held}))
        return
    console = open_console()
    for pair in near:
        left, right = titles.get(pair.left, ""), titles.get(pair.right, "")
        probability = round(compute_likelihood(pair), 3)
        console.print(f"{probability:.0%}  {shorten(pair.left)}  {shorten(pair.right)}", soft_wrap=True)
        console.print(f"     “{shorten(left)}” and “{shorten(right)}”", soft_wrap=True)
    for each in held:
        console.print(
            f"held ({_describe_hold(each)})  {shorten(each.entries[0])}  {shorten(each.title)}", soft_wrap=True
        )
    tail = f", {format_count(len(held), 'item')} held" if held else ""
    console.print(f"{format_count(len(near), 'near miss', 'near misses')}{tail}")


def _describe_hold(held: HeldItem) -> str:
    return f"{held.why}, until {held.until:%Y-%m-%d}" if held.until else held.why


def _ask_about_pairs(config: Config, plan: Plan, pairs: Sequence[Pair], now: datetime) -> bool:
    """Ask about each pair; return false if the person quits.

    A pair that earlier answers have settled is left out. "Back" takes back the answer before.
    """
    console = open_console()
    stored = _read_entries(config, plan)
    pairs = [pair for pair in pairs if pair.left in stored and pair.right in stored]
    asked: list[tuple[int, Decision | None]] = []
    place = 0
    while place < len(pairs):
        pair = pairs[place]
        same = Decision("same", pair.left, pair.right)
        found = _find_consequence(config, plan, same, now)
        if not found.changed:
            place += 1
            continue
        console.rule(f"{place + 1} of {len(pairs)}")
        print_sides(console, stored[pair.left], stored[pair.right])
        print_evidence(console, pair)
        for line in _describe_consequence(found):
            console.print(f"If they are the same: {shorten(line, _SENTENCE)}", soft_wrap=True)
        answer = str(typer.prompt(_PAIR_QUESTION, default="u")).strip().lower()[:1]
        if answer == "q":
            return False
        if answer == "b":
            place = _go_back(config, plan, asked, now) if asked else place
            continue
        if answer == "s" and found.removed and not typer.confirm(_ASK):
            continue
        verdict = _PAIR_KEYS.get(answer)
        decision = replace(same, verdict=verdict) if verdict else None
        if decision:
            _decide(config, plan, decision, now)
        asked.append((place, decision))
        place += 1
    if asked:
        console.print("No more pairs.")
    return True


def _go_back(config: Config, plan: Plan, asked: list[tuple[int, Decision | None]], now: datetime) -> int:
    """Take back the answer before, and return the place of its question."""
    place, decision = asked.pop()
    if decision:
        with database.open_store(config.state) as store:
            decisions.undo_decision(store, plan.name, decision.left, decision.right, now)
    return place


def _find_consequence(config: Config, plan: Plan, decision: Decision, now: datetime) -> _Consequence:
    """Compose the feed without and with a decision, and return what differs."""
    before = compose_published(config.state, plan, now)
    after = compose_published(config.state, plan, now, decision=decision)
    items, items_after = ({item.guid: item for item in feed.items} for feed in (before, after))
    homes = {entry: item for item in after.items for entry in item.entries}
    removed = (
        (item, next((homes[entry] for entry in item.entries if entry in homes), None))
        for item in before.items
        if item.guid not in items_after
    )
    entries_of, entries_after = ({item.guid: item.entries for item in feed.items} for feed in (before, after))
    return _Consequence(
        changed=entries_of != entries_after or before.held != after.held,
        removed=tuple((item, items.get(into.guid, into)) for item, into in removed if into is not None),
        added=tuple(item for item in after.items if item.guid not in items),
    )


def _describe_consequence(found: _Consequence) -> tuple[str, ...]:
    """Return one sentence for each item that would leave the feed or come into it."""
    gone = (
        f"Merging removes the item “{item.title}” ({item.guid}) from the feed; subscribers who have it keep it. "
        f"Its entries become part of “{into.title}” ({into.guid})."
        for item, into in found.removed
    )
    come = (f"Parting brings the item “{item.title}” ({item.guid}) into the feed." for item in found.added)
    return (*gone, *come) or ("No published item leaves the feed.",)


def _print_consequence(found: _Consequence, *, as_json: bool = False) -> None:
    if as_json:
        removed = [
            {"title": item.title, "guid": item.guid, "into": {"title": into.title, "guid": into.guid}}
            for item, into in found.removed
        ]
        added = [{"title": item.title, "guid": item.guid} for item in found.added]
        typer.echo(to_json({"removed": removed, "added": added}))
        return
    for line in _describe_consequence(found):
        typer.echo(shorten(line, _SENTENCE))


def _decide_named(  # noqa: PLR0913 - each is a part of one decision
    config: Config, plan: Plan, decision: Decision, now: datetime, *, ask: bool, dry_run: bool, as_json: bool
) -> None:
    """Store a decision about two known ids, or only print what it would do.

    Ask before two published items become one; exit with 1 if the person declines.
    """
    if dry_run:
        _print_consequence(_find_consequence(config, plan, decision, now), as_json=as_json)
        return
    if ask and decision.verdict == "same" and (found := _find_consequence(config, plan, decision, now)).removed:
        _print_consequence(found)
        if not typer.confirm(_ASK):
            raise typer.Exit(1)
    _decide(config, plan, decision, now)


def _ask_about_held(config: Config, plan: Plan, held: Sequence[HeldItem], now: datetime) -> None:
    console = open_console()
    seen = _read_entries(config, plan) if held else {}
    for number, each in enumerate(held, 1):
        console.rule(f"held {number} of {len(held)}: {_describe_hold(each)}")
        print_entries(console, [seen[name] for name in each.entries if name in seen])
        answer = typer.prompt(_HELD_QUESTION, default="u").strip().lower()[:1]
        if answer == "q":
            return
        if answer in _HELD_KEYS:
            _store_admission(config, plan, each.entries, _HELD_KEYS[answer], now)
    if held:
        console.print("No more held items.")


def _hold_back(config: Config, plan: Plan, name: str, now: datetime) -> None:
    """Hold the new item with this entry back; it may come with the next refresh only, as ``diff --json`` lists it."""
    sources = [source.name for source in plan.sources]
    if name.partition("/")[0] not in sources:
        raise ConfigError(f'{plan.name}: "{name}" is no entry of a source; an entry is named {sources[0]}/ID')
    with database.open_store(config.state) as store:
        corrections.hold_back(corrections.CorrectionContext(store, plan, now), (name,))
    typer.echo(f"{plan.name}: {shorten(name)}: held back until it is released with --wait")


def _decide_held(config: Config, plan: Plan, name: str, wanted: bool | None, now: datetime) -> None:  # noqa: FBT001 - the decision itself
    """Store a decision about the held item with this entry; raise ConfigError if there is none."""
    with database.open_store(config.state) as store:
        if wanted is None and name in decisions.read_held_back(store, plan.name):
            corrections.release(corrections.CorrectionContext(store, plan, now), (name,))
            typer.echo(f"{plan.name}: {shorten(name)}: released")
            return
        decided = [known for known in decisions.read_admissions(store, plan.name) if known == name]
    held = _read_held(config, plan, now)
    found = next((each.entries for each in held if name in each.entries), tuple(decided))
    if not found or (wanted is None and not decided):
        known = sorted(entry for each in held for entry in each.entries)
        tail = suggest(name, known) if known else "no item is held"
        what = "no decision is stored about" if found else "no held item has the id"
        raise ConfigError(f'{plan.name}: {what} "{name}"; {tail}')
    _store_admission(config, plan, found, wanted, now)


def _store_admission(config: Config, plan: Plan, entries: Sequence[str], wanted: bool | None, now: datetime) -> None:  # noqa: FBT001 - the decision itself
    with database.open_store(config.state) as store:
        corrections.decide_held(corrections.CorrectionContext(store, plan, now), entries, wanted)
    typer.echo(f"{plan.name}: {shorten(entries[0])}: {_DECIDED[wanted]} from the next refresh on")


def _decide(config: Config, plan: Plan, decision: Decision, now: datetime) -> None:
    with database.open_store(config.state) as store:
        corrections.decide_pair(corrections.CorrectionContext(store, plan, now), decision)
    two = f"{shorten(decision.left)} and {shorten(decision.right)}"
    typer.echo(f"{plan.name}: {two} are {_VERDICTS[decision.verdict]} from the next refresh on")


def _undo(config: Config, plan: Plan, two: _Two, now: datetime) -> None:
    with database.open_store(config.state) as store:
        undone = corrections.undo_pair(corrections.CorrectionContext(store, plan, now), *two)
    if not undone:
        where = "; the decision is in the config: remove it there" if _is_configured(plan, two) else ""
        raise ConfigError(f"{plan.name}: no decision is stored about {two[0]} and {two[1]}{where}")
    stay = (
        "; they are one item without it, too: use --different to part them"
        if any({*two} <= {item.guid, *item.entries} for item in compose_published(config.state, plan, now).items)
        else ""
    )
    typer.echo(f"{plan.name}: decision about {shorten(two[0])} and {shorten(two[1])} removed{stay}")


def _is_configured(plan: Plan, two: _Two) -> bool:
    return any({one.left, one.right} == set(two) for one in plan.decisions)


def _check_known(config: Config, plan: Plan, decision: Decision) -> None:
    """Raise ConfigError, with the nearest known id, if an id is neither an entry id nor a guid of the feed."""
    with database.open_store(config.state) as store:
        published = FeedItems(store, plan.name).read()
    known = set(_read_entries(config, plan)) | {item.guid for item in published}
    for name in (decision.left, decision.right):
        if name not in known:
            raise ConfigError(f'{plan.name}: no entry or item has the id "{name}"; {suggest(name, sorted(known))}')


def _read_entries(config: Config, plan: Plan) -> Mapping[str, StoredEntry]:
    """Return every stored entry of the feed by its id."""
    with database.open_store(config.state) as store:
        return {one.entry.id: one for one in entries.read_entries(store, plan.name)}
