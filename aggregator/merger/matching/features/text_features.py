"""Prepare the titles of records for comparison, without their show's decoration, and their names.

The evidence of a title that is only a number ("Episode 12", "第12回") is its number alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise

from aggregator.merger.matching.features.habits import MIN_SERIES, MIN_TITLES, NEARLY_ALL
from aggregator.merger.matching.features.listing_corrections import find_series_frames
from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.features.scripts import write_in_latin
from aggregator.merger.matching.features.show_scope import Scope
from aggregator.merger.matching.features.show_titles import parse_shows
from aggregator.merger.matching.features.title_ends import list_by_show, strip_shared_ends, type_days
from aggregator.text.fold import fold
from aggregator.text.titles.markers import strip_numbers
from aggregator.text.titles.titles import Title, strip_teaser

_COUNTER_DENSE = 3  # numbers by which a counter may grow for each title
_COUNTER_ORDER = 0.9  # share of its steps in one direction
_NUMBER, _WORD = r"(?P<number>\d{1,4})", r"[^\d\s]{1,16}\s{0,2}[^\w\s]{0,2}"
_GAP = r"[^\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u109f]"  # no mark of Hebrew, Arabic or Indic letters
_COUNTERS = (
    re.compile(rf"(?P<before>(?:{_WORD})?){_NUMBER}(?![.,]\d)(?P<after>[^\W\d_]{{0,3}}\W+)(?=\S)"),
    re.compile(rf"(?<=\S)(?P<before>{_GAP}{{1,8}}{_WORD})(?<!\d[.,]){_NUMBER}(?P<after>\W{{0,8}})$"),
    re.compile(rf"(?<=\S)(?P<before>{_GAP}{{1,8}})(?<!\d[.,]){_NUMBER}(?P<after>[^\W\d_]{{0,3}}\W{{0,8}})$"),
)  # of a title's beginning, "Puntata 12: X" or "12회 X", and of its end, "X, afl. 12" or "X [12]"
_LONGEST_COUNTER = 36  # characters of a counter at the end of a title
# Letters that Chinese and Korean titles have for a bar, "EP12丨X", and the stroke that stretches Arabic words.
_LETTERS = str.maketrans("丨ㅣ", "||", "\u0640")
_FILE_ENDING = re.compile(r"\.(?:mp3|mp4|m4[abv]|aac|og[ga]|opus|wav|flac|mov|webm)$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


def split_titles(
    rows: Sequence[Record], scope: Scope, learned: Sequence[bool], kept: bytes | None = None
) -> tuple[tuple[Title, ...], bytes | None]:
    """Return the typed pieces of each title, without the decoration of its show.

    Also return what is to be kept of them. ``learned`` and ``kept`` are as in ``show_titles.parse_shows``.
    """
    by_show = list_by_show(rows, scope.likely_scope)
    told = [_FILE_ENDING.sub("", text.translate(_LETTERS)) for text in _strip_teasers(rows, learned)]
    texts = type_days(rows, told, by_show, learned)
    texts, counts = _strip_counters(rows, texts, by_show, learned)
    texts = strip_shared_ends(texts, by_show, learned)
    names: dict[int, str] = {}
    for row, show in zip(rows, scope.likely_scope, strict=True):
        if row.show and not scope.show_varies:
            names[show] = min(names.get(show, row.show), row.show, key=lambda name: (len(name), name))
    shows, keep = parse_shows(by_show, texts, learned, names, kept)
    titles = [shows[show].titles[text] for text, show in zip(texts, scope.likely_scope, strict=True)]
    if series := find_series_frames(rows, titles, scope.likely_scope, learned):
        shows |= {show: shows[show].drop(frames) for show, frames in series.items()}
        titles = [shows[show].titles[text] for text, show in zip(texts, scope.likely_scope, strict=True)]
    counted = [
        title._replace(numbers=tuple(sorted({*title.numbers, *numbers}))) if numbers else title
        for title, numbers in zip(titles, counts, strict=True)
    ]
    in_latin = write_in_latin(counted, rows, scope.likely_scope, learned)
    return _keep_only_numbers(in_latin, rows, scope.likely_scope, learned), keep


def _keep_only_numbers(
    titles: Sequence[Title], rows: Sequence[Record], shows: Sequence[int], learned: Sequence[bool]
) -> tuple[Title, ...]:
    """Return the titles with their number in the core if the titles of a show differ in nothing else ("12. Show").

    Four in five titles of a listing must have the same words, with at least three numbers. A number with a mark
    ("Mailbag #12") does not count if there are texts.
    """
    listings = list(zip(shows, (row.source for row in rows), strict=True))
    counted = [
        len(title.numbers) == 1 and not title.digits and (row.title[:1].isdigit() or not row.description)
        for title, row in zip(titles, rows, strict=True)
    ]
    size: Counter[tuple[int, str]] = Counter()
    often: Counter[tuple[tuple[int, str], str]] = Counter()
    numbers: defaultdict[tuple[tuple[int, str], str], set[int]] = defaultdict(set)
    for title, listing, is_counted, is_learned in zip(titles, listings, counted, learned, strict=True):
        size[listing] += is_learned
        often[listing, title.core] += is_learned
        if is_counted and is_learned:
            numbers[listing, title.core].add(title.numbers[0])
    alone = {
        (listing[0], core)
        for (listing, core), found in numbers.items()
        if len(found) >= MIN_TITLES and often[listing, core] >= NEARLY_ALL * size[listing]
    }
    return tuple(
        title._replace(core=f"{title.numbers[0]} {title.core}", digits=title.numbers)
        if is_counted and (show, title.core) in alone
        else title
        for title, (show, _), is_counted in zip(titles, listings, counted, strict=True)
    )


def _strip_teasers(rows: Sequence[Record], learned: Sequence[bool]) -> list[str]:
    """Return the titles without a last segment that repeats the beginning of the description.

    The segment stays if other titles of the listing begin with the same words: these are decoration, and the
    description begins with the title itself.
    """
    heads = [_DIGITS.sub("#", row.title.partition(": ")[0].casefold()) for row in rows]
    often: Counter[tuple[str, str]] = Counter()
    for row, head, is_learned in zip(rows, heads, learned, strict=True):
        often[row.source, head] += is_learned
    return [
        strip_teaser(row.title, row.description or "") if often[row.source, head] == is_learned else row.title
        for row, head, is_learned in zip(rows, heads, learned, strict=True)
    ]


def _strip_counters(
    rows: Sequence[Record],
    texts: Sequence[str],
    by_show: Mapping[int, Mapping[str, Sequence[int]]],
    learned: Sequence[bool],
) -> tuple[list[str], list[tuple[int, ...]]]:
    """Return the titles without the numbers that the listing adds to nearly every title, and these numbers.

    Such a counter at one end of titles ("Puntata 12: X", "X [12]") is recognised by its numbers: all different, close
    to one another, and in order.
    """
    found = list(texts)
    counts: list[tuple[int, ...]] = [()] * len(rows)
    match_counter = cache(_match_counter)  # most sources list the same titles
    for places in (places for listings in by_show.values() for places in listings.values()):
        for pattern in _COUNTERS:
            find = partial(match_counter, pattern)
            shape = _find_counter(rows, [at for at in places if learned[at]], found, find)
            for at in places if shape is not None else ():
                match = find(found[at])
                if match is not None and _shape(match) == shape:
                    found[at] = f"{found[at][: match.start()]}{found[at][match.end() :]}"
                    counts[at] += (int(match["number"]),)
    return found, counts


def _find_counter(
    rows: Sequence[Record], places: Sequence[int], texts: Sequence[str], find: Callable[[str], re.Match[str] | None]
) -> tuple[str, str] | None:
    """Return the shape of the counter that a listing adds to its titles, as those at some places show it."""
    least = max(MIN_SERIES, NEARLY_ALL * len(places))
    if len(places) < least:
        return None
    matches = {at: match for at in places if (match := find(texts[at]))}
    shapes = Counter(map(_shape, matches.values()))
    shape, often = max(shapes.items(), key=lambda item: item[1], default=(None, 0))
    if often < least:
        return None
    carriers = {at: match for at, match in matches.items() if _shape(match) == shape}
    rest = {
        strip_numbers(f"{texts[at][: match.start()]}{texts[at][match.end() :]}")[0] for at, match in carriers.items()
    }
    ordered = sorted(carriers, key=lambda at: (rows[at].position or 0, rows[at].day or 0))
    numbers = [int(carriers[at]["number"]) for at in ordered]
    rising = sum(one < other for one, other in pairwise(numbers))
    dense = max(numbers) - min(numbers) < _COUNTER_DENSE * len(numbers)
    steady = max(rising, len(numbers) - 1 - rising) >= _COUNTER_ORDER * (len(numbers) - 1)
    telling = 2 * len(rest) > len(carriers)  # else numbers are all that the titles have
    return shape if len(set(numbers)) == len(numbers) and dense and steady and telling else None


def _shape(match: re.Match[str]) -> tuple[str, str]:
    """Return what stands beside the number of a counter."""
    return fold(match["before"]), match["after"]


def _match_counter(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match of a counter if the rest of the title has a letter."""
    match = (
        pattern.match(text) if pattern is _COUNTERS[0] else pattern.search(text, max(0, len(text) - _LONGEST_COUNTER))
    )
    if match is None or not any(map(str.isalpha, f"{text[: match.start()]}{text[match.end() :]}")):
        return None
    return match


def list_trigrams(text: str) -> dict[str, None]:
    """Return the runs of three characters of a text, blanks at its ends included, each once, in order.

    >>> list(list_trigrams("ab"))
    [' ab', 'ab ']
    """
    padded = f" {text} "
    return dict.fromkeys(padded[at : at + 3] for at in range(len(padded) - 2))


def find_stems(titles: Sequence[Title], sources: Sequence[str], learned: Sequence[bool]) -> list[str | None]:
    """Return the words beside the number of each title that is only a number ("Episode 12"), else ``None``.

    The words are "" if they mark an episode number. A title is only a number if the words beside its one number mark
    an episode number, or there are none, or three ``learned`` titles of the listing have the same words with other
    numbers.
    """
    found = [_find_stem(title) for title in titles]
    cores: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for title, source, stem, is_learned in zip(titles, sources, found, learned, strict=True):
        if stem and is_learned:
            cores[source, stem].add(title.core)
    shapes = {stem for (_, stem), different in cores.items() if len(different) >= MIN_TITLES} | {""}
    return [stem if stem in shapes else None for stem in found]


def _find_stem(title: Title) -> str | None:
    """Return the words beside the one number of a core, "" if it is marked as an episode number, else ``None``."""
    digits = _DIGITS.findall(title.core)
    if len(digits) != 1:
        return None
    return "" if int(digits[0]) in title.numbers else " ".join(_DIGITS.sub(" ", title.core).split())
