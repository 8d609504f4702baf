"""The items as subscribers last saw them, an item a row."""

from __future__ import annotations

import pytest

from aggregator.store import database as stores
from aggregator.store.database import Store
from aggregator.store.guids import LastPublished

ODD = ("", "#", "\x00", "ä" * 300, "\ud800")
"""Guids as no source should give them."""


def test_lines_are_kept_and_let_go(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores.batches, "__defaults__", (3,))
    lines = LastPublished(store, "show")
    guids = [*ODD, *map(str, range(10))]
    lines.write({guid: f"line {number}" for number, guid in enumerate(guids)})
    LastPublished(store, "other").write({"1": "another"})
    assert lines.read((*guids, "nobody's")) == {guid: f"line {number}" for number, guid in enumerate(guids)}
    lines.write({"1": "newer"})
    assert (lines.read(["1"]), LastPublished(store, "other").read(["1"])) == ({"1": "newer"}, {"1": "another"})
    assert sorted(lines.remove_others(guids[7:])) == [
        "line 0",
        "line 1",
        "line 2",
        "line 3",
        "line 4",
        "line 5",
        "newer",
    ]
    assert lines.remove_others(guids[7:]) == ()
    assert set(lines.read(guids)) == set(guids[7:])
    assert lines.read(()) == {}


def test_what_a_transaction_takes_back_is_as_it_was(store: Store) -> None:
    LastPublished(store, "show").write({"1": "as it was"})

    def spoilt() -> None:
        with stores.transaction(store) as tx:
            LastPublished(tx, "show").write({"1": "other"})
            LastPublished(tx, "show").remove_others(())
            raise KeyError

    with pytest.raises(KeyError):
        spoilt()
    assert LastPublished(store, "show").read(["1"]) == {"1": "as it was"}
