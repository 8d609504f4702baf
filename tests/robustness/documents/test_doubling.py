"""Each kind of foreign input, doubled and doubled again: repair, matching and reconciling cost their share of it."""

from __future__ import annotations

import random
import resource
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator import refresh
from aggregator.config.load import load
from aggregator.merger.blending import source_learning
from aggregator.merger.matching import match
from aggregator.merger.matching.scoring import SHIPPED
from aggregator.merger.reconciling.items import reconcile
from aggregator.merger.reconciling.provenance import Weights, rank_entries
from aggregator.merger.reconciling.text_fields import texts_of
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Enclosure, Entry, Moment
from aggregator.text import tokens
from tests.robustness.documents.test_time_bounds import TRIES, counting, forget, seconds
from tests.support.rss import Episode, make_rss

NOW = datetime(2025, 3, 3, tzinfo=UTC)
ITEM = "Winter ferries of the north"
DOUBLED = 2.2
# Of processor time a busy machine adds a part; pairs would take sixteen times as long.
FOUR_TIMES, LEAST_SECONDS = 8, 0.1


def words(count: int, seed: object = 0, vocabulary: int = 3000) -> str:
    """Return random words; ``vocabulary`` is how many different ones there are."""
    chance = random.Random(str(seed))
    known = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(3, 9))) for _ in range(vocabulary)]
    return " ".join(chance.choice(known) for _ in range(count))


def worn(text: str, seed: object) -> str:
    chance, each = random.Random(str(seed)), text.split(" ")
    for _ in range(len(each) // 50):
        each[chance.randrange(len(each))] = chance.choice(["xx", "Ã©", "und", ""])
    return " ".join(each)


def entry(source: str, number: object, text: str, title: str = ITEM, *, days: int = 3, **more: object) -> Entry:
    at = Moment(NOW - timedelta(days=days))
    return Entry(source, str(number), title=title, description=text, published=at, genre="episode", **more)


def one_item(*texts: str) -> list[Entry]:
    return [entry(source, 1, text) for source, text in zip("abcd", texts, strict=False)]


def long_texts(size: int) -> list[Entry]:
    text = words(size)
    return one_item(*(worn(text, seed) for seed in range(4)))


def many_links(size: int) -> list[Entry]:
    """Links with a campaign's query each of its own, which the other copies lack."""
    queries = ["?utm_source={}", "", "?utm_medium=feed", "?ref={}"]
    return one_item(*(" ".join(f"https://a.example/{at}{each.format(at)}" for at in range(size)) for each in queries))


def many_of_one_title(size: int) -> list[Entry]:
    return [entry(one, at, words(30, at, 99), "Trailer", days=at) for at in range(size) for one in "ab"]


def many_of_one_day(size: int) -> list[Entry]:
    return [entry(one, at, words(30, at, 99), "Trailer") for at in range(size) for one in "ab"]


def many_of_one_text(size: int) -> list[Entry]:
    return [entry(one, at, "The same few words under every title.", words(3, at)) for at in range(size) for one in "ab"]


def many_of_one_link(size: int) -> list[Entry]:
    audio = Enclosure("https://cdn.example/a.mp3")
    places = {"link": "https://a.example/", "enclosure": audio}
    return [entry(one, at, "Text", words(3, at), days=at, **places) for at in range(size) for one in "ab"]


KINDS: dict[str, tuple[int, Callable[[int], Sequence[Entry]]]] = {
    "long texts": (2_000, long_texts),
    "long texts of other words": (2_000, lambda size: one_item(*(words(size, seed, size) for seed in range(4)))),
    "a long title": (300, lambda size: [entry(one, 1, "Text", words(size)) for one in "abc"]),
    "one huge token": (20_000, lambda size: one_item("x" * size, "xy" * (size // 2), "begin " + "x" * size)),
    "one huge token of a title": (5_000, lambda size: [entry(one, 1, "Text", "x" * size) for one in "abc"]),
    "many links": (400, many_links),
    "many marks": (1_000, lambda size: one_item("“a” - ‘b’ ... " * size, '"a" – "b" … ' * size, "a b " * size)),
    "many entries": (
        100,
        lambda size: [entry(one, at, words(60, at), words(5, at), days=at) for at in range(size) for one in "abc"],
    ),
    "many entries of one title": (60, many_of_one_title),
    "many entries of one title and day": (60, many_of_one_day),
    "many entries of one text": (60, many_of_one_text),
    "many entries of one link": (60, many_of_one_link),
}


def work(entries: Sequence[Entry]) -> None:
    """Repair, match, learn from and reconcile entries, as composing a feed does."""
    repaired = [repair(each) for each in entries]
    clusters = match.match(repaired, table=SHIPPED).clusters
    weights = Weights(dict.fromkeys({each.source for each in entries}, 0.8))
    texts = (text for cluster in clusters for text in texts_of(rank_entries(cluster.entries, weights)))
    weights = replace(weights, source_model=source_learning.learn_sources(texts))
    for cluster in clusters:
        reconcile(cluster, weights)


@pytest.mark.heavy
@pytest.mark.parametrize("kind", KINDS)
def test_calls_double_with_the_input(kind: str) -> None:
    size, make = KINDS[kind]
    work(make(4 * size))  # what is loaded once is not counted
    counts = []
    for times in (1, 2, 4):
        given = make(times * size)
        forget()
        for remembered in (tokens._make_token, tokens._fold_word):  # else words of a smaller input cost nothing
            remembered.cache_clear()
        counts.append(counting(lambda given=given: work(given)))
    assert counts[1] < DOUBLED * counts[0], counts
    assert counts[2] < DOUBLED * counts[1], counts


@pytest.mark.heavy
@pytest.mark.parametrize("kind", KINDS)
def test_time_grows_with_the_input(kind: str) -> None:
    """Calls do not show what a single call of a library costs."""
    size, make = KINDS[kind]
    small, large = make(4 * size), make(16 * size)
    work(make(10))
    assert any(seconds(work, large) < max(LEAST_SECONDS, FOUR_TIMES * seconds(work, small)) for _ in range(TRIES))


COPIES, SIZE, REFRESHES = 60, 199_000, 4


def flood(turn: int) -> str:
    def text(number: int) -> str:
        return words(SIZE // 7, f"{turn} {number}", SIZE // 7)

    audio, link = "https://cdn.evil.example/{}-{}.mp3", "https://evil.example/{}/{}"
    return make_rss(
        *(
            Episode(f"{turn}-{at}", ITEM, NOW, text(at), audio.format(turn, at), link.format(turn, at), 1800)
            for at in range(COPIES)
        )
    )


def used() -> float:
    """Return the seconds of processor time that this process and its ended children have used."""
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in each)


@pytest.mark.heavy
def test_long_texts_under_new_guids_at_each_refresh_cost_what_is_stored_and_no_more(tmp_path: Path) -> None:
    host = [Episode("h-0", ITEM, NOW, words(300), "https://cdn.example/0.mp3", "https://host.example/0", 1800)]
    host += [Episode(f"h-{at}", words(4, at), NOW - timedelta(days=7 * at), words(80, at)) for at in range(1, 14)]
    (tmp_path / "host.xml").write_text(make_rss(*host))
    sources = "{host: {kind: feed, path: host.xml, trust: 0.8}, evil: {kind: feed, path: evil.xml, trust: 0.2}}"
    config = f"state: store.db\noutput: output\nfeeds: {{show: {{title: The show, sources: {sources}}}}}\n"
    (tmp_path / "config.yaml").write_text(config)
    costs = []
    for turn in range(REFRESHES):
        (tmp_path / "evil.xml").write_text(flood(turn))
        before = used()
        (outcome,) = refresh.refresh(load(tmp_path / "config.yaml"), at=NOW + timedelta(days=turn + 1), force=True)
        costs.append(used() - before)
        assert outcome.published.entries == len(host) + COPIES * (turn + 1)
    # What is stored is read at each refresh. When old copies took part for ever, each cost thirty times the first.
    assert costs[-1] < 1.5 * REFRESHES * costs[0], costs
