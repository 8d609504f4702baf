"""Directories that no engine was fitted to: shows of the fixtures, listed anew with wordings of their own.

Each show's author adds what resembles another item (companions that quote it, re-runs, parts, recurring titles), and
two to five directories list it: a store, a topic list, a text directory, a new host, the author's blog. Damage, dates,
lengths and wordings are drawn with a seed; the same seed gives the same directories.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from aggregator.errors import AggregatorError
from aggregator.merger.matching.features.records import make_record
from aggregator.merger.matching.match import match_records
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Duration, Entry, Moment
from evaluation.matching.directories import FIXTURES, Items, Told, show
from evaluation.matching.scoring import Score, errors, group_ids, pooled, score
from evaluation.matching.wordings import HALVES, Wordings

SEEDS = 6
LEAST_PRECISION, LEAST_RECALL = 0.999, 0.988
FOLDERS = ("podcast", "rss", "atom", "rdf", "other_encoding")
_LEAST, _MOST = 8, 36  # items of a show
_SENTENCE = re.compile(r"(?<=[.!?。])\s+")
_MINUTE = 60


class _Habits(NamedTuple):
    """How one directory writes dates, lengths, titles and texts of all its items."""

    shift: timedelta
    day_only: bool
    swapped: bool
    late: float
    step: int
    offset: int
    title: str
    count_from: int
    width: int
    cut: str
    footer: str


@lru_cache(maxsize=1)
def shows() -> tuple[Path, ...]:
    """Return the feeds of the fixtures with enough items, one for each show."""
    found: dict[str, Path] = {}
    for path in (path for folder in FOLDERS for path in sorted((FIXTURES / folder).iterdir())):
        try:
            name, items = show(path)
        except AggregatorError:
            continue
        if len({said.title for said, _ in items}) >= _LEAST:
            found.setdefault(name, path)
    return tuple(found.values())


def listings(seed: int, half: str, path: Path) -> Items:
    """Return all entries of one show with the item that each is of."""
    chance = random.Random(f"{seed} {half} {path.name}")
    words, (name, items) = HALVES[half], show(path)
    start = chance.randrange(max(1, len(items) - _MOST))
    items = _authored(chance, words, items[start : start + _MOST])
    makers = {"store": _store, "topic": _topic, "text": _text_directory, "newhost": _new_host, "blog": _blog}
    chosen = chance.sample(("newhost", "store", "text", "topic"), chance.choice((2, 3, 3, 4)))
    chosen += ["blog"] if chance.random() < 0.35 else []
    host = [Told(replace(said, position=at), item) for at, (said, item) in enumerate(items)]
    out = host if chance.random() < 0.8 else []
    for source in chosen:
        share = 0.6 if source == "blog" else 0.92
        kept = [each for each in items if chance.random() < share]
        habits = _habits(chance, words, name)
        for at, (said, item) in enumerate(kept):
            bare = Entry(source, f"{source}-{at}", said.title, said.genre, at, show=name, published=said.published)
            bare = replace(bare, description=said.summary or said.description, duration=said.duration)
            number = habits.count_from + len(kept) - at
            out = [*out, Told(repair(makers[source](chance, habits, words, replace(bare, episode=number))), item)]
    return out


def _habits(chance: random.Random, words: Wordings, name: str) -> _Habits:
    """Draw the habits of one directory."""
    numbered = chance.random() < 0.4
    initials = "".join(word[0] for word in re.findall(r"\w+", name))[:3].upper() or "X"
    pattern = chance.choice(words.numbered if numbered else (*words.frames, "{t}", "{t}", "{t}"))
    return _Habits(
        shift=timedelta(hours=chance.choice((0, 0, 2, -5, 9, -8))),
        day_only=chance.random() < 0.6,
        swapped=chance.random() < 0.06,
        late=chance.choice((0.0, 0.0, 0.1)),
        step=chance.choice((1, _MINUTE, _MINUTE)),
        offset=chance.choice((0, 0, 0, 2, -7)),
        title=pattern.replace("{s}", name).replace("{a}", initials),
        count_from=chance.choice((0, 0, 12, 140)),
        width=chance.choice((120, 200, 255, 300)),
        cut=chance.choice(words.cuts),
        footer=chance.choice(words.footers),
    )


def _store(chance: random.Random, habits: _Habits, _: Wordings, said: Entry) -> Entry:
    """Return a store: the title as it is, a day, a rounded length, the whole text."""
    told = replace(said, episode=None, published=_date(chance, habits, said.published))
    return replace(told, duration=_length(habits, said.duration))


def _topic(chance: random.Random, habits: _Habits, _: Wordings, said: Entry) -> Entry:
    """Return a topic list: a decorated title, a day, a rounded length, a cut text."""
    told = replace(_store(chance, habits, _, said), title=_decorated(habits, said))
    return _shortened(told, habits)


def _text_directory(chance: random.Random, habits: _Habits, _: Wordings, said: Entry) -> Entry:
    """Return a directory of titles: a decorated title, a cut text, often neither date nor length."""
    told = replace(_topic(chance, habits, _, said), duration=None)
    return replace(told, published=None) if habits.step == 1 else told


def _new_host(chance: random.Random, habits: _Habits, _: Wordings, said: Entry) -> Entry:
    """Return a new host: decorated titles, all text and a footer, lengths some seconds off."""
    length = said.duration and Duration(max(1, said.duration.seconds + chance.randint(-11, 11)))
    text = "\n".join(filter(None, (said.description, habits.footer)))
    moved = _date(chance, habits._replace(day_only=False, swapped=False, late=0.0), said.published)
    return replace(said, title=_decorated(habits, said), description=text or None, duration=length, published=moved)


def _blog(chance: random.Random, _: _Habits, words: Wordings, said: Entry) -> Entry:
    """Return a blog: a post named after some words of the title, with a sentence of the text, up to 3 days later."""
    told = re.findall(r"\w[\w'’]{3,}", said.title)
    some = " ".join(told[:3]) if len(told) > 3 and chance.random() < 0.5 else said.title
    sentences = _SENTENCE.split(said.description or "")
    wordy = [sentence for sentence in sentences[:4] if len(sentence.split()) > 4]
    text = chance.choice(wordy) if wordy else said.description
    day = said.published and replace(said.published, at=said.published.at + timedelta(days=chance.choice((0, 0, 1, 3))))
    title = chance.choice(words.posts).format(t=some)
    return replace(said, title=title, description=text, published=day, duration=None, episode=None)


def _decorated(habits: _Habits, said: Entry) -> str:
    return habits.title.format(t=said.title, n=said.episode)


def _shortened(said: Entry, habits: _Habits) -> Entry:
    """Return the text on one line, cut after so many characters."""
    text = " ".join((said.description or "").split())
    return replace(said, description=(text if len(text) <= habits.width else text[: habits.width] + habits.cut) or None)


def _date(chance: random.Random, habits: _Habits, moment: Moment | None) -> Moment | None:
    """Return the date as a directory writes it: in its zone, by day, day and month swapped, some a day late."""
    if moment is None:
        return None
    at = moment.at + habits.shift + timedelta(days=int(chance.random() < habits.late))
    if habits.swapped and at.day <= 12:
        at = at.replace(day=at.month, month=at.day)
    if habits.day_only:
        return Moment(at.replace(hour=0, minute=0, second=0, microsecond=0), "day")
    return Moment(at)


def _length(habits: _Habits, length: Duration | None) -> Duration | None:
    if length is None or habits.step == 1:
        return length
    rounding: Callable[[float], int] = round if habits.offset == 0 else int
    minutes = rounding(length.seconds / _MINUTE)
    return Duration(minutes * _MINUTE, _MINUTE) if minutes else None


def _authored(chance: random.Random, words: Wordings, items: Items) -> Items:
    """Return the author's items, newest first, with some that resemble another: each is an item of its own."""
    out: Items = []
    weekly = chance.choice(words.weekly) if chance.random() < 0.25 else ""
    for place, (said, item) in enumerate(items):
        kind = chance.choices(("", "companion", "replay", "part", "shared", "rerun"), (150, 4, 4, 4, 2, 2))[0]
        if weekly and place % 5 == 0:
            text = said.description if place % 2 else None
            out.append(Told(replace(said, title=weekly, description=text, html=None, summary=None), f"{item}+weekly"))
            continue
        more = _resembling(chance, words, said, kind) if kind else None
        title = chance.choice(words.parts) if kind == "part" else "{t}"
        out.append(Told(replace(said, title=title.format(t=said.title, n=1)), item))
        if more is not None:
            more = replace(more, title=title.format(t=more.title, n=2))
            own = replace(more, key=f"{said.key}+{kind}", guid=None, link=None, enclosure=None, ids=(), episode=None)
            out.append(Told(own, f"{item}+{kind}"))
    return sorted(out, key=lambda told: -(told.said.published.at.timestamp() if told.said.published else 0.0))


def _resembling(chance: random.Random, words: Wordings, said: Entry, kind: str) -> Entry:
    """Another item that has much in common with this one."""
    length = Duration(chance.randint(600, 4000)) if said.duration else None
    text = said.description or ""
    if kind == "companion":
        quoted = " ".join(_SENTENCE.split(text)[:2])
        title = chance.choice(words.companions).format(t=said.title)
        return replace(
            _later(said, chance.randint(1, 4)), title=title, description=quoted, summary=None, duration=length
        )
    if kind == "replay":
        return replace(_later(said, chance.randint(60, 500)), title=chance.choice(words.replays).format(t=said.title))
    if kind == "rerun":
        return _later(said, chance.randint(150, 500))
    other = " ".join(chance.sample(text.split(), len(text.split())))
    days = chance.randint(7, 60)
    return replace(_later(said, days), description=other or None, summary=None, duration=length)


def _later(said: Entry, days: int) -> Entry:
    """Return the same some days on."""
    moment = said.published
    return replace(said, published=moment and replace(moment, at=moment.at + timedelta(days=days)))


def measure(seeds: int, feeds: Sequence[Path], *, wrong: bool = False) -> list[str]:
    """Print the pooled score of each half with its spread over seeds; return a line for each that does not hold."""
    failures = []
    for half in HALVES:
        runs: list[Score] = []
        for seed in range(seeds):
            own = [matched(seed, half, path, wrong=wrong) for path in feeds]
            runs.append(pooled(own))
        total = pooled(runs)
        print(f"unseen, {half:8} {total}")
        print(
            f"    precision {_spread([run.precision for run in runs])}, recall {_spread([run.recall for run in runs])}"
        )
        if round(total.precision, 4) < LEAST_PRECISION or round(total.recall, 4) < LEAST_RECALL:
            failures.append(f"unseen, {half}: {total}; at least P {LEAST_PRECISION} R {LEAST_RECALL}")
    return failures


def _spread(values: Sequence[float]) -> str:
    return f"{min(values):.4f} to {max(values):.4f} over {len(values)} seeds"


def matched(seed: int, half: str, path: Path, *, wrong: bool) -> Score:
    """Return the score of one show as a refresh matches it."""
    told = listings(seed, half, path)
    groups = group_ids(match_records([make_record(said) for said, _ in told]))
    truth = {said.id: item for said, item in told}
    if wrong:
        for line in errors(groups, truth, {said.id: said.title for said, _ in told}):
            print("   ", seed, half, line)
    return score(groups, truth)
