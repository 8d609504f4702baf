"""Texts that lie aside while a feed is composed change no byte of it."""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator import aside, bookkeeping, publish
from aggregator.aside import Shelf, Spool
from aggregator.errors import LedgerError
from aggregator.ledger import decisions, facts, ledger, promises
from aggregator.ledger.shown import Shown
from aggregator.model.feed import Channel, Plan
from aggregator.model.item import Override
from aggregator.model.sighting import Listing, Sighting
from aggregator.model.source import Source
from aggregator.pipeline import compose
from aggregator.voices import Voice

AT = datetime(2024, 6, 1, 12, tzinfo=UTC)
SOURCES = (Source("host", "feed", trust=0.9), Source("mirror", "feed", trust=0.5))
PLAN = Plan("sea", Channel("sea", "Sea Room", "http://localhost:8000/sea"), SOURCES)
WORDS = ("bread", "salt", "harbour", "pilots", "sextant", "flags", "whale", "oil", "tides", "rope", "charts", "lamps")


def sighting(source: str, turn: int) -> Sighting:
    said = " ".join(WORDS[(turn + 3 * step) % len(WORDS)] for step in range(12)).capitalize()
    told = Sighting(
        source, f"{source}-{turn}", f"About {WORDS[turn % len(WORDS)]} {turn}", position=40 - turn, guid=f"g{turn}"
    )
    if source == "host":
        return replace(told, html=f"<p>{said}, turn {turn}.</p>", summary=f"It\u00e2\u20ac\u2122s turn {turn} \ufffd.")
    return told if turn == 3 else replace(told, description=f"{said}, turn &amp; {turn}.")


def heard(turn: int) -> list[tuple[Plan, tuple[Voice, ...]]]:
    listed = {source: tuple(sighting(source.name, number) for number in range(14 + turn)) for source in SOURCES}
    return [(PLAN, tuple(Voice(source, (), (Listing(said),), (), "heard") for source, said in listed.items()))]


def story(folder: Path, staying: int | None) -> list[object]:
    """All that three refreshes and two decisions publish and promise, with so many records at hand, or all."""
    told: list[object] = []
    with ledger.open(str(folder / "ledger.db")) as book:
        for turn in range(3):
            now = AT + timedelta(days=turn)
            with ExitStack() as opened:
                texts = aside.NOTHING if staying is None else opened.enter_context(aside.room(folder, staying))
                with ledger.transaction(book) as page:
                    bookkeeping.remember_all(page, heard(turn), now)
                    composed = compose(page, PLAN, now, texts)
                    bookkeeping.promise(page, PLAN, composed, now)
                    past = bookkeeping.changes(page, PLAN, composed.feed, now, texts.items.whole)
                feed = composed.feed
                assert len(feed.items) == 14 + turn
                at_hand = sum(bool(item.description or item.html or item.summary) for item in feed.items)
                assert at_hand <= {None: 99, 0: turn, 9: 9 + turn}[staying]  # and those that a person altered
                with_texts = replace(feed, items=tuple(map(texts.items.whole, feed.items)))
                publish.publish(folder / "output", with_texts, 5, past)
                told += [composed.fingerprint, composed.repaired, past, promises.promises(book, "sea")]
                told += [
                    facts.facts(book, "sea", bookkeeping.CHANGES),
                    Shown(book, "sea").known([each.guid for each in feed.items]),
                ]
            told.append({path.name: path.read_bytes() for path in sorted((folder / "output" / "sea").iterdir())})
            guid = feed.items[0].guid
            decisions.keep_override(book, "sea", Override(guid, ("description", "title")[turn % 2], "By hand."), now)
    return told


def test_texts_laid_aside_change_no_byte(tmp_path: Path) -> None:
    stories = []
    for name, staying in (("whole", None), ("some", 9), ("none", 0)):
        (tmp_path / name).mkdir()
        stories.append(story(tmp_path / name, staying))
    assert stories[0] == stories[1] == stories[2]


def test_a_record_is_whole_again(tmp_path: Path) -> None:
    said = [sighting(source.name, turn) for source in SOURCES for turn in range(5)]
    with aside.room(tmp_path, staying=2) as texts:
        laid = [texts.sightings.lay(replace(each)) for each in said]
        assert laid[:2] == said[:2]
        assert [each.description or each.html or each.summary for each in laid[2:]] == [None] * 8
        assert [texts.sightings.whole(each) for each in reversed(laid)] == said[::-1]


def test_a_full_disk_is_told_in_a_line() -> None:
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(LedgerError, match="no room"):
        Shelf[Sighting](Spool(full)).lay(sighting("host", 1))
