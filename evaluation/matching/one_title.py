"""Shows that give many items one title, and listings of these that differ as a whole.

`cases` are named situations with one difference at a time: a mirror that is late, a zone that is not given, a move to
a host that stamps items anew, a listing that counts otherwise, one that is behind. `drawn` are daily shows and shows
of two editions a day with all habits drawn by a seed. Each entry's key ends in the number of its item.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from aggregator.merger.matching.features.records import make_record
from aggregator.merger.matching.match import match_records
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Span

SEEDS = 6
TITLES = ("Morgenlage", "Le point du soir", "Wieści z portu", "ニュース便り", "The Harbour Brief", "Новости дня")
TEXTS = ("wind", "ferry", "strike", "harvest", "budget", "bridge", "school", "clinic", "verdict", "tram", "flood")
_WORDS = (
    *("Anker", "Bojen", "Deiche", "Ebbe", "Flut", "Gezeiten"),
    *("Hafen", "Inseln", "Kähne", "Lotsen", "Mole", "Netze"),
)
START = datetime(2025, 3, 3, tzinfo=UTC)
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_NEVER_SEEN: Mapping[str, datetime] = MappingProxyType({})


class Told(NamedTuple):
    """What is true of one item."""

    number: int
    at: datetime
    seconds: int
    title: str
    text: str | None


class Count(NamedTuple):
    """Pairs of entries: joined rightly, joined wrongly, and missed."""

    right: int
    wrong: int
    missed: int


def count(entries: Sequence[Entry], seen: Mapping[str, datetime] = _NEVER_SEEN) -> Count:
    """Match the entries and count their pairs of two sources; ``seen`` is when each was first seen, by its id."""
    truth = {entry.id: entry.key.rpartition("-")[2] for entry in entries}
    records = [make_record(entry, (), seen.get(entry.id)) for entry in entries]
    found = match_records(records)
    names = [record.id for record in found.frame.records]
    joined = [pair for group in found.groups for pair in combinations([names[row] for row in group], 2)]
    right = sum(truth[one] == truth[other] for one, other in joined)
    by_item: dict[str, list[str]] = {}
    for name, item in truth.items():
        by_item.setdefault(item, []).append(name)
    pairs = sum(len(names) * (len(names) - 1) // 2 for names in by_item.values())
    return Count(right, len(joined) - right, pairs - right)


def items(hours: float, size: int, title: str, **said: object) -> list[Told]:
    """Return items at a steady distance, the first at 5:04:11 UTC or `hour`; lengths are `equal` or drawn."""
    chance = random.Random(f"{hours} {size} {title}")
    hour = said.get("hour", 5.0696)
    out = []
    for number in range(size):
        at = START + timedelta(hours=float(str(hour)) + number * hours)
        seconds = 600 if said.get("equal") else chance.randint(300, 2400)
        text = " ".join(chance.sample(TEXTS, 4)) + "." if said.get("texts") else None
        out.append(Told(number, at.replace(microsecond=0), seconds, title, text))
    return out


Write = Callable[[Told], dict[str, object]]


def host(told: Sequence[Told], name: str = "host", *, seen: int = 1, **how: object) -> Iterator[Entry]:
    """Yield entries with instant, length to the second and audio. `late`: seconds, by item; `whole`: no seconds."""
    late, title, number = how.get("late"), how.get("title"), how.get("number")
    for place, item in enumerate(reversed(told)):
        at = item.at + timedelta(seconds=float(late(item)) if callable(late) else 0.0)
        at = at.replace(second=0) if how.get("whole") else at
        key = f"{name}{seen}-{item.number}"
        named = title(item) if callable(title) else item.title
        length = None if how.get("bare") else Duration(item.seconds)
        audio = Enclosure(f"https://{name}{seen}.example/{item.number}.mp3")
        yield Entry(
            name,
            key,
            str(named),
            guid=key,
            published=Moment(at),
            duration=length,
            description=item.text,
            enclosure=audio,
            position=place,
            span=Span(seen, seen),
            episode=number(item) if callable(number) else None,
        )


def page(told: Sequence[Told], name: str = "page", **how: object) -> Iterator[Entry]:
    """Yield entries of a directory. `zone`: hours; `clock`: local times, else days; `step`: of lengths, 0 for none."""
    zone, step, title, seen = how.get("zone", 0), int(str(how.get("step", 60))), how.get("title"), 1
    for place, item in enumerate(reversed(told)):
        at = item.at + timedelta(hours=float(str(zone)))
        if how.get("clock"):
            when = Moment(at.replace(second=0), "minute", zoned=False)
        else:
            at = at.replace(hour=0, minute=0, second=0)
            if how.get("swapped") and at.day <= 12:
                at = at.replace(day=at.month, month=at.day)
            when = Moment(at, "day", zoned=False)
        length = Duration(max(1, round(item.seconds / step)) * step, step) if step else None
        named = title(item) if callable(title) else item.title
        text = item.text if how.get("texts") else None
        key = f"{name}-{item.number}"
        yield Entry(
            name,
            key,
            str(named),
            published=when,
            duration=length,
            description=text,
            position=place,
            span=Span(seen, seen),
        )


_Case = tuple[str, bool, list[Entry]]  # its name, whether something tells which entries are one, and the entries


def _mirrors_late() -> Iterator[_Case]:
    """Yield a mirror that is late."""
    for at, hours in enumerate((1, 2, 4, 12)):
        for name, late in (
            ("36 s", lambda _: 36),
            ("2 min", lambda _: 120),
            ("36 to 120 s", lambda item: 36 + item.number * 37 % 85),
            ("10 to 240 s", lambda item: 10 + item.number * 83 % 231),
        ):
            for how in ({}, {"equal": True}):
                told = items(hours, 20, TITLES[at], **how)
                bare = bool(how)
                entries = [*host(told, bare=bare), *host(told, "mirror", late=late, bare=bare)]
                yield f"A every {hours} h, mirror {name} late{', no lengths' if bare else ''}", True, entries


def _editions_at_midnight() -> Iterator[_Case]:
    """Yield editions at midnight UTC."""
    for hours, hour in ((6, 0), (8, 0), (12, 0)):
        for how in ({}, {"equal": True}):
            told = items(hours, 16, TITLES[1], hour=hour, **how)
            yield f"B every {hours} h at midnight, same instants", True, [*host(told), *host(told, "mirror")]


def _moved() -> Iterator[_Case]:
    """Yield a daily show that moves."""
    for name, how in (
        ("unchanged", {}),
        ("seconds dropped", {"whole": True}),
        ("an hour off", {"late": lambda _: 3600}),
        ("an hour off, seconds dropped", {"late": lambda _: 3600, "whole": True}),
    ):
        for kind in ({}, {"equal": True}):
            told = items(24, 20, TITLES[2], **kind)
            moved = [*host(told[:15]), *host(told, seen=2, **how)]  # type: ignore[arg-type]  # by name
            yield f"C daily, moved, {name}", True, moved


def _twelve_hourly() -> Iterator[_Case]:
    """Yield a page in a zone that it does not name, every twelve hours."""
    for behind in (0, 1, 2):
        for kind in ({}, {"equal": True}):
            for zone in (0, 2, -5, 9):
                told = items(12, 20, TITLES[3], **kind)
                known = bool(not kind)
                entries = [*host(told), *page(told[: 20 - behind], zone=zone, clock=True, step=60)]
                yield f"D every 12 h, zone {zone} not given, {behind} behind", known, entries


def _hourly() -> Iterator[_Case]:
    """Yield the same every hour."""
    for behind in (0, 1, 4):
        for kind in ({}, {"equal": True}):
            for zone in (0, 1, -7):
                told = items(1, 20, TITLES[4], **kind)
                entries = [*host(told), *page(told[: 20 - behind], zone=zone, clock=True, step=60)]
                yield f"E every hour, zone {zone} not given, {behind} behind", not kind, entries


def _counted_higher() -> Iterator[_Case]:
    """Yield a page that counts higher."""
    for pattern in ("Episode {}", "The Brief (#{})", "Morning Post #{}", "Folge {}"):
        for more in (1, 2):
            for kind in ({}, {"equal": True}):
                told = items(24, 20, TITLES[5], **kind)
                entries = [
                    *host(told, title=lambda item, p=pattern: p.format(40 + item.number), bare=bool(kind)),
                    *page(
                        told,
                        title=lambda item, p=pattern, m=more: p.format(40 + m + item.number),
                        step=0 if kind else 60,
                    ),
                ]
                yield f"F {pattern} counted {more} higher", not kind, entries


def _week_ahead() -> Iterator[_Case]:
    """Yield a page a week ahead with the same numbers."""
    for pattern in ("Episode {}", "Folge {}"):
        told = items(7 * 24, 16, TITLES[0])
        early = [item._replace(at=item.at - timedelta(days=7)) for item in told]
        entries = [
            *host(told, title=lambda item, p=pattern: p.format(40 + item.number)),
            *page(early, title=lambda item, p=pattern: p.format(40 + item.number)),
        ]
        yield f"G {pattern}, a week ahead with the same numbers", True, entries


def _days_and_months() -> Iterator[_Case]:
    """Yield a page with day and month exchanged."""
    for prefix in ("S1E{} | {}", "{} - {}", "{}. {}"):
        told = [item._replace(title=_WORDS[item.number % 12]) for item in items(24 * 3 + 7, 12, TITLES[0])]
        entries = [
            *host(told),
            *page(told, swapped=True, title=lambda item, p=prefix: p.format(item.number + 1, item.title)),
        ]
        yield f"H {prefix}, day and month exchanged", True, entries


def _days_alone() -> Iterator[_Case]:
    """Yield a page with a day only."""
    for zone in (-8, 0, 9):
        for behind in (0, 1):
            told = items(24, 20, TITLES[1], equal=True)
            yield (
                f"I daily, a day only, zone {zone}, {behind} behind",
                False,
                [
                    *host(told, bare=True),
                    *page(told[: 20 - behind], zone=zone, step=0),
                ],
            )


def _other_editions() -> Iterator[_Case]:
    """Yield other editions, which must stay apart."""
    for apart in (12, 24):
        told = items(24, 15, TITLES[2], equal=True)
        others = [item._replace(number=100 + item.number, at=item.at + timedelta(hours=apart)) for item in told]
        evening = [item for item in others if apart == 12 or item.number == 114]
        yield f"X other editions {apart} h later", True, [*host(told), *host(evening, "evening")]


def cases() -> Iterator[_Case]:
    """Yield each case; the first letter of its name is its kind."""
    for kind in (
        _mirrors_late,
        _editions_at_midnight,
        _moved,
        _twelve_hourly,
        _hourly,
        _counted_higher,
        _week_ahead,
        _days_and_months,
        _days_alone,
        _other_editions,
    ):
        yield from kind()


class Polled(NamedTuple):
    """Listings that were polled: its kind and name, the entries, and when each was first seen, by its id."""

    kind: str
    name: str
    entries: list[Entry]
    seen: dict[str, datetime]


_LATE: tuple[tuple[str, Callable[[int], float]], ...] = (
    ("soon", lambda _: 0.05),
    ("before the next", lambda _: 0.6),
    ("by turns soon and after the next", lambda number: 0.05 + number * 0.37 % 1.3),
    ("after the next", lambda _: 1.05),
)
"""How late a page lists an item by its number, in distances of items."""


def polled() -> Iterator[Polled]:
    """Yield a host and a page without zone, polled each quarter of an hour while the last third of the items came."""
    for hours, clock in ((1, True), (6, True), (12, True), (24, False)):
        for (name, late), zone, audio in product(_LATE, (0, 3, -8, 9), (True, False)):
            told = items(hours, 36, TITLES[(hours + zone) % 6], equal=True)
            kind = f"every {hours} h, {'local times' if clock else 'days'}, listed {name}"
            yield Polled(kind, f"zone {zone}", *_poll(told, zone, late, clock=clock, audio=audio))


def _poll(
    told: Sequence[Told], zone: int, late: Callable[[int], float], *, clock: bool, audio: bool
) -> tuple[list[Entry], dict[str, datetime]]:
    """Return what the polls saw, and when; the first one saw all that had come by then."""
    distance, step = told[1].at - told[0].at, timedelta(minutes=15)
    begin, end = (told[at].at + 0.5 * distance for at in (23, 35))

    def come(after: timedelta, item: Told) -> datetime:
        return begin + step * max(0, -((begin - item.at - after) // step))

    by_page = {item: come(distance * late(item.number), item) for item in told}
    listed = [item for item in told if by_page[item] <= end]
    hosted, paged = list(host(told, bare=True)), list(page(listed, zone=zone, clock=clock, step=0))
    hosted = hosted if audio else [replace(each, enclosure=None) for each in hosted]
    seen = {each.id: come(timedelta(), item) for each, item in zip(hosted, reversed(told), strict=True)}
    seen |= {each.id: by_page[item] for each, item in zip(paged, reversed(listed), strict=True)}
    return [*hosted, *paged], seen


def drawn(seed: int) -> list[list[Entry]]:
    """Return the listings of 24 shows, daily or twice a day."""
    chance = random.Random(f"one title {seed}")
    return [_draw(chance) for _ in range(24)]


def _draw(chance: random.Random) -> list[Entry]:
    hours = chance.choice((24, 24, 24, 12, 12, 10.5))
    told = items(
        hours,
        chance.randint(14, 50),
        chance.choice(TITLES),
        equal=chance.random() < 0.3,
        texts=chance.random() < 0.4,
        hour=chance.choice((0, 5.0696, 6.5, 11.25, 17, 22.7)),
    )
    out = list(host(told)) if chance.random() < 0.85 else []
    for name in chance.sample(("mirror", "store", "zoned", "days", "newhost"), chance.choice((1, 2, 2, 3))):
        kept = [item for item in told if chance.random() < 0.95]
        kept = kept[: len(kept) - chance.choice((0, 0, 0, 1))][-chance.choice((10, 25, 50, 50)) :]
        if name == "mirror":
            low, high = sorted((chance.randint(0, 200), chance.randint(0, 200)))
            out += host(kept, name, late=lambda item, low=low, high=high: low + item.number * 83 % (high - low + 1))
        elif name == "store":
            out += host(kept, name, whole=True, bare=chance.random() < 0.3)
        elif name == "zoned":
            zone = chance.choice((-8, -5, 0, 1, 2, 9))
            out += page(kept, name, zone=zone, clock=True, step=chance.choice((0, 60)), texts=chance.random() < 0.5)
        elif name == "days":
            zone = chance.choice((-8, -5, 0, 0, 2, 9))
            out += page(kept, name, zone=zone, step=chance.choice((0, 60, 60)), texts=chance.random() < 0.5)
        elif any(entry.source == "host" for entry in out):
            off = chance.choice((0, 0, 3600, -3600))
            out += host(kept, seen=2, late=lambda _, off=off: off, whole=chance.random() < 0.5)
    if chance.random() < 0.15:
        later, others = chance.choice((3, 6, 12)) if hours == 24 else 3, []
        for item in told:
            text = item.text and " ".join(chance.sample(TEXTS, 4)) + "."
            at = item.at + timedelta(hours=later)
            others.append(Told(1000 + item.number, at, item.seconds + 240, item.title, text))
        out += host(others, "evening")
    return out


def measure(seeds: int = SEEDS, *, wrong: bool = False) -> None:
    """Print the figures of all cases and of the drawn shows."""
    totals: dict[str, list[int]] = {}
    for name, told, entries in cases():
        found = count(entries)
        row = totals.setdefault(name[0], [0, 0, 0, 0])
        for at, value in enumerate((found.right, found.wrong, found.missed if told else 0, found.missed)):
            row[at] += value
        if wrong and (found.wrong or (told and found.missed)):
            print(f"  {name}: right {found.right} wrong {found.wrong} missed {found.missed}")
    for letter, (right, mixed, missed, every) in totals.items():
        print(
            f"one title, cases {letter}: right {right} wrong {mixed} missed {missed} that can be told, {every} of all"
        )
    _measure_polled(wrong=wrong)
    sums = Count(0, 0, 0)
    for seed in range(seeds):
        for at, entries in enumerate(drawn(seed)):
            found = count(entries)
            sums = _add(sums, found)
            if wrong and (found.wrong or found.missed):
                print(f"  seed {seed} show {at}: {found}")
    precision, recall = sums.right / max(1, sums.right + sums.wrong), sums.right / max(1, sums.right + sums.missed)
    print(f"one title, drawn: P {precision:.4f} R {recall:.4f} ({sums.wrong} wrong, {sums.missed} missed)")


def _measure_polled(*, wrong: bool) -> None:
    """Print the figures of listings that were polled: by what they list alone, and with when it was first seen."""
    totals: dict[str, tuple[Count, Count]] = {}
    for each in polled():
        found = count(each.entries), count(each.entries, each.seen)
        before = totals.get(each.kind, (Count(0, 0, 0), Count(0, 0, 0)))
        totals[each.kind] = _add(before[0], found[0]), _add(before[1], found[1])
        if wrong and (found[1].wrong or found[1].missed):
            print(f"  {each.kind}, {each.name}: {found[0]} -> {found[1]}")
    for kind, (alone, timed) in totals.items():
        changes = ", ".join(f"{name} {getattr(alone, name)} -> {getattr(timed, name)}" for name in Count._fields)
        print(f"one title, polled, {kind}: {changes}")


def _add(one: Count, other: Count) -> Count:
    return Count(*(mine + theirs for mine, theirs in zip(one, other, strict=True)))
