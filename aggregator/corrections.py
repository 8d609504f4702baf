"""Corrections by a person: pairs, fields, and items taken out; each can be undone.

A person who corrects has looked at a page or a terminal: ``seen`` is the state of what was shown there
(``read_state``). If another person has decided since, nothing is written and DecidedError is raised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import blake2b

from msgspec import Struct

from aggregator.config.suggestions import suggest
from aggregator.errors import AggregatorError, ConfigError
from aggregator.merger.reconciling.overrides import FIELDS
from aggregator.model.cluster import Decision
from aggregator.model.feed import Plan
from aggregator.model.item import Override
from aggregator.store import decisions, guids
from aggregator.store.database import Store


class DecidedError(AggregatorError):
    """Another person has decided since the state that was seen."""


def read_state(store: Store, feed: str, names: Sequence[str]) -> str:
    """Return a digest of all that is decided about these guids and entries."""
    return read_states(store, feed, [names])[0]


def read_states(store: Store, feed: str, groups: Sequence[Sequence[str]]) -> list[str]:
    """Return for each of these groups of guids and entries a digest of all that is decided about it."""
    pairs, fields = decisions.read_decisions(store, feed), decisions.read_overrides(store, feed)
    removed, admitted = decisions.read_removed(store, feed), decisions.read_admissions(store, feed)
    held = decisions.read_held_back(store, feed)
    digests = []
    for named in map(frozenset, groups):
        decided = (
            [each for each in pairs if named & {each.left, each.right}],
            [each for each in fields if each.guid in named],
            sorted((guid, why) for guid, why in removed.items() if guid in named),
            sorted((name, done) for name, done in admitted.items() if name in named),
            sorted(named & held),
        )
        text = repr(decided).encode("utf-8", "surrogatepass")
        digests.append(blake2b(text, digest_size=8).hexdigest())
    return digests


class CorrectionContext(Struct, frozen=True):
    """The feed that is corrected, when, and the state that was seen; ``None`` if any other decision may be replaced."""

    store: Store
    plan: Plan
    at: datetime
    seen: str | None = None


@contextmanager
def _writing(context: CorrectionContext, names: Sequence[str]) -> Iterator[Store]:
    """Give the store in a transaction; raise DecidedError if what is decided about the names is not what was seen."""
    feed = context.plan.name
    with decisions.deciding(context.store, feed) as tx:
        if context.seen is not None and read_state(tx, feed, names) != context.seen:
            named = [each for each in decisions.read_events(tx, feed) if any(name in each.text for name in names)]
            if not named:
                raise DecidedError("another person has decided meanwhile. Nothing was changed; look again.")
            last, at = named[-1], f"{named[-1].at:%Y-%m-%d %H:%M} UTC"
            raise DecidedError(
                f"another person has decided meanwhile ({at}): {last.text}. Nothing was changed; look again."
            )
        yield tx


def decide_pair(context: CorrectionContext, decision: Decision) -> None:
    """Decide that two are one item, or two."""
    with _writing(context, (decision.left, decision.right)) as tx:
        decisions.write_decision(tx, context.plan.name, decision, context.at)


def undo_pair(context: CorrectionContext, left: str, right: str) -> bool:
    """Take back the decision about two, and return whether there was one."""
    with _writing(context, (left, right)) as tx:
        return decisions.undo_decision(tx, context.plan.name, left, right, context.at)


def decide_held(context: CorrectionContext, entries: Sequence[str], wanted: bool | None) -> None:  # noqa: FBT001 - the decision itself
    """Publish a held item now (true), or never (false); ``None`` takes that back."""
    with _writing(context, entries) as tx:
        decisions.write_admission(tx, context.plan.name, entries, wanted, context.at)


def hold_back(context: CorrectionContext, entries: Sequence[str]) -> None:
    """Hold a new item of these entries back until it is released; raise ConfigError if it is published already."""
    with _writing(context, entries) as tx:
        for known in guids.read_guids(tx, context.plan.name):
            if known.alias_of is None and not {*entries}.isdisjoint(known.entries):
                raise ConfigError(f"“{known.title}” is published already; take it out instead")
        decisions.write_held_back(tx, context.plan.name, entries, context.at, held=True)


def decide_new(context: CorrectionContext, entries: Sequence[str], *, publish: bool) -> None:
    """Publish new items of these entries with the next refresh, whatever they repeat, or hold them till released."""
    if publish:
        decide_held(context, entries, wanted=True)
    else:
        hold_back(context, entries)


def release(context: CorrectionContext, entries: Sequence[str]) -> None:
    """Release a new item that a person holds back; raise ConfigError if none of these entries is."""
    with _writing(context, entries) as tx:
        if decisions.read_held_back(tx, context.plan.name).isdisjoint(entries):
            raise ConfigError("nobody holds this item back")
        decisions.write_held_back(tx, context.plan.name, entries, context.at, held=False)


def set_field(context: CorrectionContext, names: Sequence[str], override: Override) -> None:
    """Set a field of an item, whatever its sources say; raise ConfigError for a value that cannot be read as it.

    ``names`` are the guid and the entries that were seen.
    """
    if override.field not in FIELDS:
        raise ConfigError(f'"{override.field}" is not a field that can be set; there are {", ".join(FIELDS)}')
    if FIELDS[override.field](override.value) is None:
        raise ConfigError(f'"{override.value}" cannot be read as {override.field}')
    if any((each.guid, each.field) == (override.guid, override.field) for each in context.plan.overrides):
        raise ConfigError(f"the config sets {override.field} of this item: change it there (overrides:)")
    with _writing(context, names) as tx:
        decisions.write_override(tx, context.plan.name, override, context.at)


def unset_field(context: CorrectionContext, names: Sequence[str], guid: str, field: str) -> None:
    """Let the sources say a field of an item again; raise ConfigError if it was not set."""
    with _writing(context, names) as tx:
        if not decisions.undo_override(tx, context.plan.name, guid, field, context.at):
            raise ConfigError(f'"{field}" of this item was not set by hand')


def part_entry(context: CorrectionContext, names: Sequence[str], entry: str, others: Sequence[str]) -> None:
    """Part an entry from the others of its item; raise ConfigError if it is none of it (``names``), or its only one."""
    if entry not in names:
        raise ConfigError(f'this item has no entry "{entry}"; {suggest(entry, [*others])}')
    if not others:
        raise ConfigError(f'"{entry}" is the only entry of this item')
    with _writing(context, names) as tx:
        for other in others:
            decisions.write_decision(tx, context.plan.name, Decision("different", entry, other), context.at)


def join_entry(context: CorrectionContext, names: Sequence[str], entry: str, others: Sequence[str]) -> None:
    """Take back that an entry was parted from others; raise ConfigError if it was parted from none of them."""
    with _writing(context, names) as tx:
        undone = [decisions.undo_decision(tx, context.plan.name, entry, other, context.at) for other in others]
        if not any(undone):
            raise ConfigError(f'"{entry}" was not parted from this item by hand')


def take_out(context: CorrectionContext, names: Sequence[str], guid: str, reason: str) -> None:
    """Take an item out of the feed."""
    with _writing(context, names) as tx:
        decisions.write_removed(tx, context.plan.name, guid, reason, context.at)


def take_back(context: CorrectionContext, names: Sequence[str], guid: str) -> None:
    """Take an item back into the feed; raise ConfigError if a person did not take it out here."""
    if guid in dict(context.plan.buried):
        raise ConfigError("the config takes this item out: change it there (buried:)")
    with _writing(context, names) as tx:
        if guid not in decisions.read_removed(tx, context.plan.name):
            raise ConfigError("this item was not taken out by hand")
        decisions.write_removed(tx, context.plan.name, guid, None, context.at)
