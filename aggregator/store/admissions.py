"""What a person decided about new items that are held, and which sources were forgotten.

Both are facts of the feed, so that a backup has them; each decision is told in the events.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from aggregator.store import facts
from aggregator.store.database import Store, transaction
from aggregator.store.events import Event, tell

ADMISSIONS: Final = "admissions"
"""The fact that says by entry id whether it is published now (true) or never (false)."""

FORGOTTEN: Final = "forgotten"
"""The fact that names the sources whose entries take no part in the feed."""

_WORDS: Mapping[bool | None, str] = {True: "publish", False: "never publish", None: "no longer decided"}


def admissions(store: Store, feed: str) -> Mapping[str, bool]:
    """Return what was decided about held entries, by id: true to publish, false for never."""
    kept = facts.facts(store, feed, ADMISSIONS)
    return dict(json.loads(kept)) if kept else {}


def decide_admission(store: Store, feed: str, entries: Iterable[str], wanted: bool | None, at: datetime) -> None:  # noqa: FBT001 - the decision itself
    """Keep the decision about the entries of one held item; ``None`` takes it back."""
    chosen = sorted(entries)
    with transaction(store) as tx:
        kept = {name: said for name, said in admissions(tx, feed).items() if name not in chosen}
        if wanted is not None:
            kept |= dict.fromkeys(chosen, wanted)
        facts.keep_fact(tx, feed, ADMISSIONS, _encoded(kept) if kept else None)
        tell(tx, feed, Event(at, "held", f"{_WORDS[wanted]}: {' | '.join(chosen)}"))


def forgotten(store: Store, feed: str) -> frozenset[str]:
    """Return the sources that were forgotten."""
    kept = facts.facts(store, feed, FORGOTTEN)
    return frozenset(json.loads(kept)) if kept else frozenset()


def forget(store: Store, feed: str, source: str, at: datetime) -> None:
    """Let the source's entries take no part in the feed from now on; they stay remembered."""
    with transaction(store) as tx:
        facts.keep_fact(tx, feed, FORGOTTEN, _encoded(sorted({*forgotten(tx, feed), source})))
        tell(tx, feed, Event(at, "forgotten", source))


def recall(store: Store, feed: str, source: str, at: datetime) -> None:
    """Let the source's entries take part again."""
    with transaction(store) as tx:
        left = sorted(forgotten(tx, feed) - {source})
        facts.keep_fact(tx, feed, FORGOTTEN, _encoded(left) if left else None)
        tell(tx, feed, Event(at, "undone", f"forgotten: {source}"))


def as_if(store: Store, feed: str, sources: Iterable[str]) -> Store:
    """Return the store as if these sources, and no others, were forgotten; nothing is written."""
    return replace(store, assumed={**store.assumed, (feed, FORGOTTEN): _encoded(sorted(sources))})


def _encoded(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()
