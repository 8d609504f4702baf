"""The subscriptions at WebSub hubs, each a fact of no feed: it is ended also when its feed has gone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from aggregator.model.source import HubSubscription, PollState
from aggregator.store import facts, polls, records
from aggregator.store.database import Store

_PREFIX: Final = "websub/"
"""Before the token: the name of the fact."""


def read(store: Store) -> tuple[HubSubscription, ...]:
    """Return every subscription, sorted by token."""
    kept = facts.read_facts(store, [""], _PREFIX)
    return tuple(records.decode(HubSubscription, value.decode()) for _, value in sorted(kept.items()))


def read_poll_states(store: Store, feeds: Collection[str]) -> dict[tuple[str, str], tuple[PollState, ...]]:
    """Return poll states as `store.polls.read_poll_states`, with what the subscriptions of their addresses say."""
    found = polls.read_poll_states(store, feeds)
    for each in read(store):
        of = each.feed, each.source
        if of in found:
            told = {"told_until": each.until, "told": each.told}
            found[of] = tuple(replace(state, **told) if state.url == each.url else state for state in found[of])
    return found


def find(store: Store, token: str) -> HubSubscription | None:
    """Return the subscription of a token, ``None`` if there is none."""
    kept = facts.read_fact(store, "", _PREFIX + token)
    return records.decode(HubSubscription, kept.decode()) if kept else None


def write(store: Store, subscription: HubSubscription) -> None:
    """Write a subscription."""
    facts.write_fact(store, "", _PREFIX + subscription.token, records.encode(subscription).encode())


def remove(store: Store, token: str) -> None:
    """Remove the subscription of a token."""
    facts.write_fact(store, "", _PREFIX + token, None)
