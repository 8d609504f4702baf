"""``aggregator review``: pairs that nearly matched, shown to a person whose word is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console

from aggregator import pipeline
from aggregator.commands.account import sides
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, FeedOption, clock, plan_of, remembering
from aggregator.commands.screen import screen
from aggregator.commands.waterfall import waterfall
from aggregator.commands.wording import count, line
from aggregator.config.load import Config, load
from aggregator.config.nearest import hint
from aggregator.errors import ConfigError
from aggregator.ledger import decisions, ledger, recall
from aggregator.ledger.recall import Remembered
from aggregator.model.cluster import Decision, Pair, Verdict
from aggregator.model.feed import Plan

KEYS: dict[str, Verdict] = {"s": "same", "d": "different"}
QUESTION = "[s]ame, [d]ifferent, [n]ext, [q]uit"

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
) -> None:
    """Show each pair that nearly matched, with both sides and the evidence, and remember what you decide.

    A decision holds in every later refresh, whatever the evidence; --undo takes it back. An ID is a sighting's id or
    a guid, as shown here and by explain. Decisions may also stand in the config (decisions:).
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
    pairs = _undecided(loaded, plan, now)
    if listed:
        _list(screen(), pairs)
    else:
        _ask(loaded, plan, pairs, now)


def _undecided(config: Config, plan: Plan, now: datetime) -> tuple[Pair, ...]:
    """The near misses about which nobody has decided."""
    with ledger.open(config.state) as book:
        decided = {frozenset((one.left, one.right)) for one in decisions.decisions(book, plan.name)}
    decided |= {frozenset((one.left, one.right)) for one in plan.decisions}
    near = pipeline.weigh(config, plan.name, at=now).near_misses
    return tuple(pair for pair in near if frozenset((pair.left, pair.right)) not in decided)


def _list(console: Console, pairs: Sequence[Pair]) -> None:
    """One line for each pair, ready to be given to --same or --different."""
    for pair in pairs:
        console.print(f"{pair.weight:+.1f}  {line(pair.left)}  {line(pair.right)}", soft_wrap=True)
    console.print(count(len(pairs), "near miss", "near misses"))


def _ask(config: Config, plan: Plan, pairs: Sequence[Pair], now: datetime) -> None:
    """Each pair in turn, until the last or until the person has had enough."""
    console = screen()
    seen = _remembered(config, plan)
    for number, pair in enumerate(pairs, 1):
        console.rule(f"{number} of {len(pairs)}")
        sides(console, [seen[name] for name in (pair.left, pair.right) if name in seen])
        waterfall(console, pair)
        answer = typer.prompt(QUESTION, default="n").strip().lower()[:1]
        if answer == "q":
            return
        if answer in KEYS:
            _decide(config, plan, Decision(KEYS[answer], pair.left, pair.right), now)
    console.print("Nothing more to look at." if pairs else "No pair nearly matched: nothing to look at.")


def _decide(config: Config, plan: Plan, decision: Decision, now: datetime) -> None:
    """Remember a decision about two that are known."""
    _known(config, plan, decision, now)
    with ledger.open(config.state) as book:
        decisions.decide(book, plan.name, decision, now)
    typer.echo(
        f"{plan.name}: {decision.verdict}: {line(decision.left)} and {line(decision.right)}, from the next refresh"
    )


def _undo(config: Config, plan: Plan, two: Two, now: datetime) -> None:
    """Take a decision back."""
    with ledger.open(config.state) as book:
        undone = decisions.undo(book, plan.name, *two, now)
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
    return any({*two} <= {item.guid, *item.sightings} for item in pipeline.weigh(config, plan.name, at=now).items)


def _configured(plan: Plan, two: Two) -> bool:
    """Whether the config decides about the two."""
    return any({one.left, one.right} == set(two) for one in plan.decisions)


def _known(config: Config, plan: Plan, decision: Decision, now: datetime) -> None:
    """ConfigError where a name is neither a sighting's id nor a guid of the feed, with the nearest that is."""
    known = set(_remembered(config, plan)) | {item.guid for item in pipeline.weigh(config, plan.name, at=now).items}
    for name in (decision.left, decision.right):
        if name not in known:
            raise ConfigError(f'{plan.name}: nothing has the id "{name}"; {hint(name, sorted(known))}')


def _remembered(config: Config, plan: Plan) -> Mapping[str, Remembered]:
    """Every sighting of the feed by its id."""
    with ledger.open(config.state) as book:
        return {one.sighting.id: one for one in recall.sightings(book, plan.name)}
