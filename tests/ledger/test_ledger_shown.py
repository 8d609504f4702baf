"""The items as subscribers last saw them, an item a row, and how those of an older ledger come there."""

from __future__ import annotations

import json

import pytest

from aggregator.generator.changes import feed_state, history
from aggregator.generator.changes.changes import Change
from aggregator.ledger import ledger as ledgers
from aggregator.ledger import migrate, schema, shown
from aggregator.ledger.facts import facts, keep_fact
from aggregator.ledger.ledger import Ledger
from aggregator.ledger.shown import Shown

ODD = ("", "#", "\x00", "ä" * 300, "\ud800")
"""Guids as no source should give them."""

NEWS = (
    b'{"language":"de"}',
    b'[["2024-05-01T12:00:00+00:00",0,[["added","\xc3\x9cber Uhren","g","episode",null,null]]]]',
)


def test_lines_are_kept_and_let_go(book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "AT_ONCE", 3)
    lines = Shown(book, "show")
    guids = [*ODD, *map(str, range(10))]
    lines.keep({guid: f"line {number}" for number, guid in enumerate(guids)})
    Shown(book, "other").keep({"1": "another"})
    assert lines.known((*guids, "nobody's")) == {guid: f"line {number}" for number, guid in enumerate(guids)}
    lines.keep({"1": "newer"})
    assert (lines.known(["1"]), Shown(book, "other").known(["1"])) == ({"1": "newer"}, {"1": "another"})
    assert sorted(lines.let_go(guids[7:])) == ["line 0", "line 1", "line 2", "line 3", "line 4", "line 5", "newer"]
    assert lines.let_go(guids[7:]) == ()
    assert set(lines.known(guids)) == set(guids[7:])
    assert lines.known(()) == {}


def test_what_a_transaction_takes_back_is_as_it_was(book: Ledger) -> None:
    Shown(book, "show").keep({"1": "as it was"})

    def spoilt() -> None:
        with ledgers.transaction(book) as page:
            Shown(page, "show").keep({"1": "other"})
            Shown(page, "show").let_go(())
            raise KeyError

    with pytest.raises(KeyError):
        spoilt()
    assert Shown(book, "show").known(["1"]) == {"1": "as it was"}


def as_version_1(book: Ledger, state: bytes) -> None:
    """Make a ledger of today one as version 1 of the tables had it, whose fact "changes" begins with the state."""
    keep_fact(book, "show", "changes", b"\n".join((state, NEWS[1], b"")))
    keep_fact(book, "show", "cover", b"stays")
    with ledgers.writing(book) as connection:
        schema.shown.drop(connection)
        connection.execute(schema.meta.update().where(schema.meta.c.name == "version").values(value="1"))


@pytest.mark.parametrize("items", [0, 3, 1200])
def test_the_items_of_version_1_come_into_rows(any_state: str, items: int) -> None:
    old = {f"g{number}": ["Über Uhren", "episode", {"link": "x", "date": "y"}, ["host"]] for number in range(items)}
    old |= {guid: ["Odd", "post", {}, []] for guid in ODD[:-1]}
    state = json.dumps([json.loads(NEWS[0]), old, {"host": "answers"}], ensure_ascii=False, separators=(",", ":"))
    with ledgers.open(any_state) as book:
        as_version_1(book, state.encode())
    with ledgers.open(any_state) as book:
        kept = Shown(book, "show").known(tuple(old))
        assert facts(book, "show", "cover") == b"stays"
        past = history.unpack(facts(book, "show", "changes"))
    assert past is not None
    assert past.state == feed_state.State({"language": "de"}, {}, {"host": "answers"})
    assert [each.changes for each in past.editions] == [(Change("added", "Über Uhren", "g", "episode"),)]
    assert {guid: feed_state.item_of(line) for guid, line in kept.items()} == {
        guid: (guid, feed_state.Seen(title, genre, values, tuple(sources)))
        for guid, (title, genre, values, sources) in old.items()
    }
    assert all(feed_state.line(*feed_state.item_of(line)) == line for line in kept.values())


def test_a_ledger_of_version_1_without_news_is_brought_forward(any_state: str) -> None:
    with ledgers.open(any_state) as book:
        with ledgers.writing(book) as connection:
            schema.shown.drop(connection)
            connection.execute(schema.meta.update().where(schema.meta.c.name == "version").values(value="1"))
        migrate.migrate(book.engine)
        assert Shown(book, "show").let_go(()) == ()
