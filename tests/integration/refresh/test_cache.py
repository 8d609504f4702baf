"""What was kept changes no byte: the same history with the cache, and with the cache emptied before every refresh."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sqlalchemy import delete, func, select

from aggregator import publish, version
from aggregator.compose import compose
from aggregator.fetchers.fetched import FetchedSource
from aggregator.merger.model import learning
from aggregator.model.cluster import Decision
from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment, Tag
from aggregator.model.feed import Channel, Plan
from aggregator.model.item import Override
from aggregator.model.source import Source
from aggregator.store import database, decisions, entries, facts
from aggregator.store.cache import read_cached
from aggregator.store.schema import cache
from tests.support.composing import refresh_feed

PACKAGE = Path(publish.__file__).parent
START = datetime(2024, 6, 1, 12, tzinfo=UTC)
TOPICS = (
    *("bread", "salt", "harbour pilots", "the sextant", "signal flags", "whale oil", "tides", "rope", "charts"),
    *("the tide (Part 1)", "the tide (Part 2)", "mail", "mail", "lamps", "fog horns"),
)
SOURCES = tuple(
    Source(name, kind, trust=trust)
    for name, kind, trust in (("apple", "apple", 0.7), ("host", "feed", 0.9), ("mirror", "feed", 0.3))
)
PLAN = Plan("sea", Channel("sea", "Sea Room", "http://localhost:8000/sea"), SOURCES)
HABIT = "Subscribe to Sea Room wherever you listen to podcasts, and tell a friend."

slow = settings(
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def text(turn: int) -> str:
    return f"All there is to say of {TOPICS[turn]}, told by those who know it. We went to port {turn} to hear it."


def entry(source: str, turn: int, position: int) -> Entry:
    exact = source != "apple"
    at = START - timedelta(days=200) + timedelta(days=7 * turn, minutes=11)
    told = Entry(
        source=source,
        key=f"#{source}-{turn}" if turn % 4 == 0 else f"{source}-{turn}",
        title=f"About {TOPICS[turn]}",
        position=position,
        guid=f"{source}-{turn}" if exact else None,
        description=text(turn),
        published=Moment(at) if exact else Moment(at.replace(hour=0, minute=0), "day"),
        duration=Duration(1000 + 97 * turn) if exact else Duration(60 * round((1000 + 97 * turn) / 60), 60),
        enclosure=Enclosure(f"https://cdn.{source}.example/{turn}.mp3", "audio/mpeg", 99_000) if exact else None,
        link=f"https://{source}.example/" if turn % 5 == 0 else f"https://{source}.example/e/{turn}",
        categories=("sea", "work") if turn % 3 else (),
    )
    if source == "host":
        return replace(told, description=None, html=f"<p>{text(turn)}</p><p><b>{HABIT}</b></p>")
    return told


def changed(told: Entry, change: str) -> Entry:
    said = told.description or ""
    audio = told.enclosure
    changes = {
        "entity": lambda: replace(told, title=told.title.replace("About", "All &amp; more about")),
        "mojibake": lambda: replace(told, description=f"{said} It\u00e2\u20ac\u2122s caf\u00c3\u00a9 time.", html=None),
        "cut": lambda: replace(told, description=f"{text(0)[:40]}…", cut=True, html=None),
        "redated": lambda: replace(told, published=Moment(START + timedelta(days=3, hours=5))),
        "audio": lambda: replace(told, enclosure=audio and Enclosure(audio.url.replace("cdn", "new"), "audio/mpeg")),
        "moved": lambda: replace(told, key=f"moved-{told.key}", guid=None, enclosure=None),
    }
    return changes.get(change, lambda: told)()


states = st.sampled_from(["all", "all", "newest", "oldest", "silent"])
changes = st.sampled_from(["", "", "", "entity", "mojibake", "cut", "redated", "audio", "moved"])
fetched_sources = st.tuples(states, changes, st.sampled_from([1, 1, 2, 7]))
verdicts = st.sampled_from(["", "", "same", "different", "override"])
steps = st.tuples(st.tuples(fetched_sources, fetched_sources, fetched_sources), verdicts)


def fetched(source: Source, state: str, change: str, whom: int) -> FetchedSource:
    """What a source says: which of its items, and what is otherwise in every so many of them."""
    turns = list(range(len(TOPICS)))
    chosen = {"newest": turns[-4:], "oldest": turns[:-3]}.get(state, turns)
    listed = [entry(source.name, turn, place) for place, turn in enumerate(reversed(chosen))]
    said = tuple(changed(each, change if place % whom == 0 else "") for place, each in enumerate(listed))
    return FetchedSource(source) if state == "silent" else FetchedSource(source, (), (Listing(said),), (), "ok")


def decide(store, verdict, composed) -> None:
    guids = [item.guid for item in composed.feed.items]
    if verdict == "override" and guids:
        decisions.write_override(store, "sea", Override(guids[0], "title", "As a person wants it"), START)
    elif verdict and len(guids) > 1:
        decisions.write_decision(store, "sea", Decision(verdict, guids[0], guids[-1]), START)


refresh = partial(refresh_feed, PLAN)


def emptied(store) -> None:
    with database.writing(store) as connection:
        connection.execute(delete(cache))


def told(composed) -> tuple:
    """All that a refresh publishes, promises and tells."""
    return (
        dict(publish.render(composed.feed)),
        composed.settlement,
        composed.repaired,
        composed.alarms,
        composed.fingerprint,
    )


@settings(slow, max_examples=2)
@given(st.lists(steps, min_size=2, max_size=3))
def test_what_was_kept_changes_no_byte(history) -> None:
    compare_stores(history)


@pytest.mark.heavy
@settings(slow, max_examples=40)
@given(st.lists(steps, min_size=2, max_size=4))
def test_what_was_kept_changes_no_byte_in_many_histories(history) -> None:
    compare_stores(history)


def compare_stores(history) -> None:
    """Refresh a store and one whose cache is emptied before each step; both publish the same."""
    with TemporaryDirectory() as folder:
        files = [str(Path(folder) / name) for name in ("warm.db", "cold.db")]
        with database.open_store(files[0]) as warm, database.open_store(files[1]) as cold:
            for turn, (step, verdict) in enumerate(history):
                heard = [fetched(source, *said) for source, said in zip(SOURCES, step, strict=True)]
                now = START + timedelta(days=turn)
                emptied(cold)
                both = [refresh(store, heard, now) for store in (cold, warm)]
                assert told(both[0]) == told(both[1])
                for store, composed in zip((cold, warm), both, strict=True):
                    decide(store, verdict, composed)
            emptied(cold)
            assert told(compose(cold, PLAN, now)) == told(compose(warm, PLAN, now))


def whole(source: Source, *, more: int = 0) -> FetchedSource:
    turns = range(len(TOPICS) - 1 + more)
    said = tuple(entry(source.name, turn, place) for place, turn in enumerate(reversed(turns)))
    return FetchedSource(source, (), (Listing(said),), (), "ok")


def kept(store, stage) -> int:
    with database.reading(store) as connection:
        return connection.execute(select(func.count()).where(cache.c.stage == stage)).scalar_one()


def test_only_what_changed_is_made_again() -> None:
    with TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        for day in range(2):
            refresh(store, [whole(source) for source in SOURCES], START + timedelta(days=day))
        stood = kept(store, "repair"), kept(store, "reconcile")
        heard = [whole(source, more=source.name == "host") for source in SOURCES]  # few, or the model is learned again
        refresh(store, heard, START + timedelta(days=2))
        assert kept(store, "repair") == stood[0] + 1
        assert kept(store, "reconcile") == stood[1] + 1


def compared_rows(store) -> set[bytes]:
    """The keys of the rows whose pairs need not be compared again."""
    kept_levels = read_cached(store, "sea", "compare", [f"{learning.CODE}/levels"])
    return set(msgspec.msgpack.decode(*kept_levels.values())["keys"])


def test_a_corrected_entry_alone_is_compared_again() -> None:
    """It still counts as learned from, so that the words of others weigh what they did."""
    with TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        said = [entry("host", turn, turn) for turn in range(len(TOPICS))]
        corrected = [*said[:3], changed(said[3], "redated"), *said[4:]]
        known = []
        for day, listed in enumerate((said, corrected)):
            host = FetchedSource(SOURCES[1], (), (Listing(tuple(listed)),), (), "ok")
            refresh(store, [whole(SOURCES[0]), host], START + timedelta(days=day))
            known.append(compared_rows(store))
        assert len(known[0]) == len(known[1]) > 20
        assert len(known[0] - known[1]) == 1


def test_the_audio_of_listed_entries_is_read_back() -> None:
    said = [entry("host", turn, turn) for turn in range(len(TOPICS))]
    moved = [changed(each, "audio") if turn % 3 else each for turn, each in enumerate(said)]
    silent = replace(said[0], enclosure=None)
    with TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        refresh(store, [FetchedSource(SOURCES[1], (), (Listing(tuple(said)),), (), "ok")], START)
        known = {each.entry.key: each.entry.enclosure for each in entries.read_entries(store, "sea")}
        for now in (said, moved, [silent, *said[1:]], []):
            audio = {each.key: each.enclosure for each in now if each.enclosure}
            found = entries.read_listed(store, "sea", {"host": audio, "mirror": audio}, lambda each: each.enclosure)
            assert found == {"host": {key: known[key] for key in audio}, "mirror": {}}


def test_audio_that_is_held_though_it_is_back_changes_what_was_kept() -> None:
    """Other versions of held audio are left out: the audio itself may be the same while it is held."""
    other = Tag(
        "podcast:alternateEnclosure",
        None,
        (("type", "audio/opus"),),
        (Tag("podcast:source", None, (("uri", "https://x.example/1.opus"),)),),
    )
    said = [replace(entry("host", turn, turn), tags=(other,)) for turn in range(8)]
    with TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        refresh(store, [FetchedSource(SOURCES[1], (), (Listing(tuple(said)),), (), "ok")], START)
        held = [
            {"key": each.key, "audio": {"enclosure": {"url": each.enclosure.url, "type": "audio/mpeg"}}, "refreshes": 1}
            for each in said
        ]
        value = json.dumps([{"source": "host", "audio": held}]).encode()
        facts.write_fact(store, "sea", facts.HELD_AUDIO, value)
        warm = compose(store, PLAN, START)
        emptied(store)
        cold = compose(store, PLAN, START)
        assert not any(item.tags for item in cold.feed.items)
        assert told(warm) == told(cold)


def test_composing_without_a_refresh_keeps_nothing() -> None:
    with TemporaryDirectory() as folder, database.open_store(str(Path(folder) / "store.db")) as store:
        refresh(store, [whole(source) for source in SOURCES], START)
        emptied(store)
        compose(store, PLAN, START)
        assert kept(store, "repair") == kept(store, "reconcile") == 0


@pytest.mark.parametrize("changed", ["merger/repair/repair.py", "text/times/cldr.json"])
def test_what_other_code_made_is_not_read(changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "aggregator"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(version, "__file__", str(copy / "version.py"))
    assert version.digest_code("merger", "model", "text") == learning.CODE
    with (copy / changed).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert version.digest_code("merger", "model", "text") != learning.CODE
