"""``aggregator review``: pairs that nearly matched and new items that are held, shown to a person who decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console

from aggregator import compose
from aggregator.commands.evidence_table import waterfall
from aggregator.commands.item_report import sides
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, FeedOption, clock, plan_of, remembering
from aggregator.commands.tables import screen
from aggregator.commands.wording import count, line
from aggregator.config.load import Config, load
from aggregator.config.nearest_word import hint
from aggregator.errors import ConfigError
from aggregator.model.cluster import Decision, Pair, Verdict
from aggregator.model.feed import Plan
from aggregator.model.item import HeldItem
from aggregator.store import database, decisions, entries
from aggregator.store.entries import StoredEntry

KEYS: dict[str, Verdict] = {"s": "same", "d": "different"}
QUESTION = "[s]ame, [d]ifferent, [n]ext, [q]uit"
ADMISSION_KEYS = {"p": True, "x": False}
ADMISSION_QUESTION = "[p]ublish now, [x] never, [n]ext, [q]uit"
DECIDED = {True: "published", False: "never published", None: "no longer decided about"}

Two = tuple[str, str]


def run(  # noqa: PLR0913 - each is an option of the command line
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    at: AtOption = None,
    listed: Annotated[bool, typer.Option("--list", help="Only list the pairs.")] = False,
    same: Annotated[Two | None, typer.Option("--same", help="These two are one.", metavar="ID ID")] = None,
    different: Annotated[Two | None, typer.Option("--different", help="These two are two.", metavar="ID ID")] = None,
    undo: Annotated[Two | None, typer.Option("--undo", help="Forget what was decided.", metavar="ID ID")] = None,
    publish: Annotated[str | None, typer.Option("--publish", help="Publish this held item now.", metavar="ID")] = None,
    never: Annotated[str | None, typer.Option("--never", help="Never publish this held item.", metavar="ID")] = None,
    wait: Annotated[str | None, typer.Option("--wait", help="Forget what was decided of it.", metavar="ID")] = None,
) -> None:
    """Show each pair that nearly matched, and each new item that is held, and remember what you decide.

    A decision holds in every later refresh, whatever the evidence; --undo takes it back. An ID is an entry's id or
    a guid, as shown here and by explain. Decisions may also stand in the config (decisions:). Of a held item
    --publish and --never decide, and --wait takes that back.
    """
    loaded = remembering(load(config))
    plan = plan_of(loaded, feed)
    now = clock(at)
    if same or different or undo:
        for verdict, two in (("same", same), ("different", different)):
            if two:
                _decide(loaded, plan, Decision("same" if verdict == "same" else "different", *two), now)
        if undo:
            _undo(loaded, plan, undo, now)
        return
    chosen = [(name, wanted) for name, wanted in ((publish, True), (never, False), (wait, None)) if name]
    if chosen:
        for name, wanted in chosen:
            _admit(loaded, plan, name, wanted, now)
        return
    pairs, held = _undecided(loaded, plan, now)
    if listed:
        _list(screen(), pairs, held)
    elif _ask(loaded, plan, pairs, now) and _ask_held(loaded, plan, held, now) and not pairs and not held:
        screen().print("No pair nearly matched, and no item is held: nothing to look at.")


def _undecided(config: Config, plan: Plan, now: datetime) -> tuple[tuple[Pair, ...], tuple[HeldItem, ...]]:
    """The near misses about which nobody has decided, and the new items that are held."""
    with database.open_store(config.state) as store:
        decided = {frozenset((one.left, one.right)) for one in decisions.read_decisions(store, plan.name)}
    decided |= {frozenset((one.left, one.right)) for one in plan.decisions}
    feed = compose.published_feed(config, plan.name, at=now)
    near = tuple(pair for pair in feed.near_misses if frozenset((pair.left, pair.right)) not in decided)
    return near, tuple(each for each in feed.held if each.why != "due")


def _list(console: Console, pairs: Sequence[Pair], held: Sequence[HeldItem]) -> None:
    """One line for each pair, ready to be given to --same or --different; then for each held item, for --publish."""
    for pair in pairs:
        console.print(f"{pair.weight:+.1f}  {line(pair.left)}  {line(pair.right)}", soft_wrap=True)
    for each in held:
        console.print(f"held ({_why(each)})  {line(each.entries[0])}  {line(each.title)}", soft_wrap=True)
    tail = f", {count(len(held), 'item')} held" if held else ""
    console.print(f"{count(len(pairs), 'near miss', 'near misses')}{tail}")


def _why(held: HeldItem) -> str:
    """Why an item is held, and until when."""
    return f"{held.why}, until {held.until:%Y-%m-%d}" if held.until and held.why == "unconfirmed" else held.why


def _ask(config: Config, plan: Plan, pairs: Sequence[Pair], now: datetime) -> bool:
    """Each pair in turn; false where the person has had enough."""
    console = screen()
    seen = _remembered(config, plan)
    for number, pair in enumerate(pairs, 1):
        console.rule(f"{number} of {len(pairs)}")
        sides(console, [seen[name] for name in (pair.left, pair.right) if name in seen])
        waterfall(console, pair)
        answer = typer.prompt(QUESTION, default="n").strip().lower()[:1]
        if answer == "q":
            return False
        if answer in KEYS:
            _decide(config, plan, Decision(KEYS[answer], pair.left, pair.right), now)
    if pairs:
        console.print("No more pairs.")
    return True


def _ask_held(config: Config, plan: Plan, held: Sequence[HeldItem], now: datetime) -> bool:
    """Each held item in turn; false where the person has had enough."""
    console = screen()
    seen = _remembered(config, plan) if held else {}
    for number, each in enumerate(held, 1):
        console.rule(f"held {number} of {len(held)}: {_why(each)}")
        sides(console, [seen[name] for name in each.entries if name in seen])
        answer = typer.prompt(ADMISSION_QUESTION, default="n").strip().lower()[:1]
        if answer == "q":
            return False
        if answer in ADMISSION_KEYS:
            _keep_admission(config, plan, each.entries, ADMISSION_KEYS[answer], now)
    if held:
        console.print("No more held items.")
    return True


def _admit(config: Config, plan: Plan, name: str, wanted: bool | None, now: datetime) -> None:  # noqa: FBT001 - the decision itself
    """Remember what is wanted of the held item that has this entry; ConfigError where none has."""
    with database.open_store(config.state) as store:
        decided = [known for known in decisions.read_admissions(store, plan.name) if known == name]
    held = compose.published_feed(config, plan.name, at=now).held
    found = next((each.entries for each in held if name in each.entries), tuple(decided))
    if not found or (wanted is None and not decided):
        known = sorted(entry for each in held for entry in each.entries)
        tail = hint(name, known) if known else "no item is held"
        what = "nothing was decided here about" if found else "no held item has the id"
        raise ConfigError(f'{plan.name}: {what} "{name}"; {tail}')
    _keep_admission(config, plan, found, wanted, now)


def _keep_admission(config: Config, plan: Plan, entries: Sequence[str], wanted: bool | None, now: datetime) -> None:  # noqa: FBT001 - the decision itself
    """Remember a decision about the entries of a held item."""
    with database.open_store(config.state) as store:
        decisions.write_admission(store, plan.name, entries, wanted, now)
    typer.echo(f"{plan.name}: {line(entries[0])}: {DECIDED[wanted]}, from the next refresh")


def _decide(config: Config, plan: Plan, decision: Decision, now: datetime) -> None:
    """Remember a decision about two that are known."""
    _known(config, plan, decision, now)
    with database.open_store(config.state) as store:
        decisions.write_decision(store, plan.name, decision, now)
    typer.echo(
        f"{plan.name}: {decision.verdict}: {line(decision.left)} and {line(decision.right)}, from the next refresh"
    )


def _undo(config: Config, plan: Plan, two: Two, now: datetime) -> None:
    """Take a decision back."""
    with database.open_store(config.state) as store:
        undone = decisions.undo_decision(store, plan.name, *two, now)
    if not undone:
        where = "; the config has it: remove it there" if _configured(plan, two) else ""
        raise ConfigError(f"{plan.name}: nothing was decided here about {two[0]} and {two[1]}{where}")
    stay = (
        "; they are published as one and stay one: --different divides them"
        if _together(config, plan, two, now)
        else ""
    )
    typer.echo(f"{plan.name}: forgotten: {line(two[0])} and {line(two[1])}, from the next refresh{stay}")


def _together(config: Config, plan: Plan, two: Two, now: datetime) -> bool:
    """Whether the two are one item all the same: what was published under one guid stays so until it is divided."""
    return any({*two} <= {item.guid, *item.entries} for item in compose.published_feed(config, plan.name, at=now).items)


def _configured(plan: Plan, two: Two) -> bool:
    """Whether the config decides about the two."""
    return any({one.left, one.right} == set(two) for one in plan.decisions)


def _known(config: Config, plan: Plan, decision: Decision, now: datetime) -> None:
    """ConfigError where a name is neither an entry's id nor a guid of the feed, with the nearest that is."""
    known = set(_remembered(config, plan)) | {
        item.guid for item in compose.published_feed(config, plan.name, at=now).items
    }
    for name in (decision.left, decision.right):
        if name not in known:
            raise ConfigError(f'{plan.name}: nothing has the id "{name}"; {hint(name, sorted(known))}')


def _remembered(config: Config, plan: Plan) -> Mapping[str, StoredEntry]:
    """Every entry of the feed by its id."""
    with database.open_store(config.state) as store:
        return {one.entry.id: one for one in entries.read_entries(store, plan.name)}
