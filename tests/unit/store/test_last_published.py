"""The items as subscribers last saw them, an item a row."""

from __future__ import annotations

import pytest

from aggregator.store import database as stores
from aggregator.store import last_published
from aggregator.store.database import Store
from aggregator.store.last_published import Shown

ODD = ("", "#", "\x00", "ä" * 300, "\ud800")
"""Guids as no source should give them."""


def test_lines_are_kept_and_let_go(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_published, "AT_ONCE", 3)
    lines = Shown(store, "show")
    guids = [*ODD, *map(str, range(10))]
    lines.keep({guid: f"line {number}" for number, guid in enumerate(guids)})
    Shown(store, "other").keep({"1": "another"})
    assert lines.known((*guids, "nobody's")) == {guid: f"line {number}" for number, guid in enumerate(guids)}
    lines.keep({"1": "newer"})
    assert (lines.known(["1"]), Shown(store, "other").known(["1"])) == ({"1": "newer"}, {"1": "another"})
    assert sorted(lines.let_go(guids[7:])) == ["line 0", "line 1", "line 2", "line 3", "line 4", "line 5", "newer"]
    assert lines.let_go(guids[7:]) == ()
    assert set(lines.known(guids)) == set(guids[7:])
    assert lines.known(()) == {}


def test_what_a_transaction_takes_back_is_as_it_was(store: Store) -> None:
    Shown(store, "show").keep({"1": "as it was"})

    def spoilt() -> None:
        with stores.transaction(store) as tx:
            Shown(tx, "show").keep({"1": "other"})
            Shown(tx, "show").let_go(())
            raise KeyError

    with pytest.raises(KeyError):
        spoilt()
    assert Shown(store, "show").known(["1"]) == {"1": "as it was"}
