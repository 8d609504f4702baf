"""Make a table of records: their features as columns, so that millions of pairs can be compared at once."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from itertools import chain, count

import numpy as np
from msgspec.structs import replace

from aggregator.merger.matching.features.counted_ids import part_counted_ids
from aggregator.merger.matching.features.frame import ABSENT, Frame, Kept
from aggregator.merger.matching.features.listing_corrections import correct_dates
from aggregator.merger.matching.features.records import Record, list_unique_ids
from aggregator.merger.matching.features.show_scope import Scope, find_scopes
from aggregator.merger.matching.features.text_features import (
    find_stems,
    list_trigrams,
    split_titles,
)
from aggregator.merger.matching.features.texts import make_text_bags
from aggregator.merger.matching.features.title_ends import find_cut_titles, list_by_show
from aggregator.merger.matching.features.token_bags import (
    Bags,
    Bools,
    Ints,
    WordGroup,
    has_shared_features,
    list_unique,
    make_bags,
    make_group,
    measure_rarity,
    number_combinations,
    pack_bags,
    weigh_bags,
)
from aggregator.text.fold import fold
from aggregator.text.titles.titles import Title

# "GAG275", "WH-1000XM4"; and numbers longer than a date without separators: "773205957368037377"
_YEARED = re.compile(r"(?<!\s)\s*\((?:\d{4}|unknown)?\)$")  # "Album (1998)"
_CODE = re.compile(r"(?<![\w-])(?:[^\W\d_]{1,5}-?\d{2,6}(?:-?[^\W_]{1,6})?|\d{9,})(?![\w-])")
_TOTAL = re.compile(r"(?<=\d)\s?(?:of|von|de|di|sur|van|av|из|z|/)\s?(\d{1,4})\b", re.IGNORECASE)  # "2 of 12"
_BEGINNING = 200  # characters of a description that are kept; 80 of them are shown


def build_frame(records: Sequence[Record], kept: Kept | None = None) -> Frame:
    """Return the columns of records, sorted by id; ``kept`` is what a former run kept, ``None`` to keep nothing."""
    rows = tuple(sorted(part_counted_ids(correct_dates(records)), key=lambda record: record.id))
    scope = find_scopes(rows)
    sources, likely_scope = [row.source for row in rows], _make_column(scope.likely_scope)
    source, fresh = _encode(sources), np.array([row.fresh for row in rows], dtype=np.bool_)
    listing = make_group(number_combinations(likely_scope, source), fresh)
    learned: list[bool] = listing.learned.tolist()
    titles, kept_titles = split_titles(rows, scope, learned, kept.titles if kept else None)
    stem, names_of = find_stems(titles, sources, learned), tuple(_read_names(row, scope) for row in rows)
    title_grams, name_grams, groups = _weigh_grams(_bag_grams(titles, names_of), likely_scope, listing, fresh)
    core = _encode([title.core for title in titles])
    texts = make_text_bags(rows, source, groups, kept.texts if kept else None)
    numbers, digits, marks = _bag_numbers(rows, titles)
    ids, codes = list_unique_ids(rows), list_unique(sources, list(map(cache(_find_codes), (row.title for row in rows))))
    return Frame(
        records=tuple(map(_shorten, rows)),
        titles=titles,
        names_of=names_of,
        fresh=fresh,
        source=source,
        scope=_make_column(scope.rows),
        likely_scope=likely_scope,
        group_size=groups[0].sizes[groups[0].rows],
        kind=_encode([row.kind or None for row in rows]),
        first=_make_column(row.span.first for row in rows),
        last=_make_column(row.span.last for row in rows),
        core=core,
        repeats=_count_repeats(core, source, _make_column(scope.rows)),
        cut=np.array(find_cut_titles(rows, list_by_show(rows, scope.likely_scope), learned), dtype=np.bool_),
        series_words=_encode(stem),
        title_key=_key_titles(titles, stem, scope.likely_scope),
        title_number=_make_column(map(_find_number, rows, titles)),
        full_title=_encode(list(map(_make_full_title, titles, stem))),
        wordless=np.array([not any(map(str.isalpha, title.core)) for title in titles], dtype=np.bool_),
        day=_make_column(row.day for row in rows),
        year=_make_column(row.year for row in rows),
        seconds=_make_column(row.seconds for row in rows),
        step=_make_column(row.step for row in rows),
        season=_make_column(
            title.season if row.season is None else row.season for row, title in zip(rows, titles, strict=True)
        ),
        part=_make_column(title.part for title in titles),
        tag=_encode([title.tag for title in titles]),
        stage=_encode([tuple(each for each in title.digits if isinstance(each, str)) or None for title in titles]),
        title_grams=title_grams,
        name_grams=name_grams,
        tokens=_make_token_bags(f"{title.core} {extra}" for title, extra in zip(titles, names_of, strict=True)),
        descriptions=texts.descriptions,
        summaries=texts.summaries,
        sentences=texts.sentences,
        unique_ids=make_bags(ids),
        numbers=numbers,
        digits=digits,
        all_numbers=marks,
        codes=make_bags(codes),
        own=tuple(zip(texts.said, ids, codes, strict=True)),
        kept=None if kept is None else Kept(kept_titles or kept.titles, texts.kept or kept.texts),
    )


def _shorten(record: Record) -> Record:
    """Return the record with the beginning of its description only: the whole is in the columns."""
    text = record.description
    if text is None or len(text) <= _BEGINNING:
        return record if record.summary is None else replace(record, summary=None)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return replace(record, description=f"{text[:_BEGINNING]} {digest}", summary=None)


def _read_names(row: Record, scope: Scope) -> str:
    """Return show and author, folded, if they vary item by item; without single letters, which are initials."""
    fields = ((row.show, scope.show_varies), (row.author, scope.author_varies))
    words = " ".join(fold(_YEARED.sub("", value)) for value, varies in fields if value and varies)
    return " ".join(word for word in words.split() if len(word) > 1) or words


def _make_full_title(title: Title, stem: str | None) -> Hashable | None:
    """Return the full title (see ``Frame``), ``None`` without a number or a part."""
    return (*title[:4], title.tag) if stem is not None or title.numbers or title.part else None


def _key_titles(titles: Sequence[Title], stems: Sequence[str | None], shows: Sequence[int]) -> Ints:
    """Return the keys of titles (see ``Frame``)."""
    keys: list[Hashable | None] = []
    for title, words, show in zip(titles, stems, shows, strict=True):
        known = words is not None or any(map(str.isalpha, title.core))
        keys.append((show, title.core if words is None else words, title.part, title.tag) if known else None)
    return _encode(keys)


def _find_number(row: Record, title: Title) -> int | None:
    """Return the number of a title, or else of its entry; ``None`` if there is none or several."""
    digits = [each for each in title.digits if isinstance(each, int)]
    numbers = {*title.numbers} or {*digits} or {*row.numbers}
    return next(iter(numbers)) if len(numbers) == 1 else None


def _bag_grams(titles: Sequence[Title], names_of: Sequence[str]) -> tuple[Bags, Bags]:
    """Return the 3-grams of the core and of the names."""
    number: defaultdict[str, int] = defaultdict(count().__next__)

    @cache  # most sources list the same titles
    def number_trigrams(text: str) -> array[int]:
        return array("i", list(map(number.__getitem__, list_trigrams(text))))

    core, name = [number_trigrams(title.core) for title in titles], list(map(number_trigrams, names_of))
    return pack_bags(core, max(len(number), 1)), pack_bags(name, max(len(number), 1))


def _weigh_grams(
    grams_of: tuple[Bags, Bags], scope: Ints, listing: WordGroup, fresh: Bools
) -> tuple[Bags, Bags, tuple[WordGroup, WordGroup]]:
    """Return the bags weighted by the rarity of features in the show and in the listing, and these groups of rows.

    Features of all titles of a listing weigh nothing.
    """
    word_group = np.where(has_shared_features(grams_of, scope + 1, fresh), scope + 1, scope.max(initial=0) + 2)
    groups = make_group(word_group, fresh), listing
    rare = [measure_rarity(grams_of, group) for group in groups]
    core, name = grams_of
    return weigh_bags(core, rare), weigh_bags(name, rare), groups


def _bag_numbers(rows: Sequence[Record], titles: Sequence[Title]) -> tuple[Bags, Bags, Bags]:
    """Return bags of numbers, of the digits in the core, and of both with part ("X (Part 2)") and total ("2 of 12")."""
    number: dict[Hashable, int] = {}
    pairs = list(zip(rows, titles, strict=True))
    numbers = [(*row.numbers, *title.numbers) for row, title in pairs]
    parts = [() if title.part is None else (title.part,) for title in titles]
    digits: list[list[Hashable]] = [  # repeated ones numbered, so that "race 1, day 1" has another bag than "day 1"
        [(digit, each[:at].count(digit)) if digit in each[:at] else digit for at, digit in enumerate(each)]
        for each in (title.digits for title in titles)
    ]
    totals = (map(int, _TOTAL.findall(row.title)) for row in rows)
    every = make_bags(map(chain.from_iterable, zip(numbers, digits, parts, totals, strict=True)), number)
    return make_bags(numbers, number), make_bags(digits, number), every  # all three count in one width


def _find_codes(title: str) -> set[str]:
    """Return the model codes in a title, "QR-300" as "qr300"."""
    return {match[0].replace("-", "").casefold() for match in _CODE.finditer(title)}


def _count_repeats(core: Ints, source: Ints, scope: Ints) -> Ints:
    """Return for each row how often its core occurs in one source, at most, within its show.

    Items of no known show (scope -1) count for every show, and those of every show for them.
    """
    cores, scopes = core.tolist(), scope.tolist()
    often = Counter(zip(cores, source.tolist(), scopes, strict=True))
    every: Counter[tuple[int, int]] = Counter()
    for (one, place, _), times in often.items():
        every[one, place] += times
    most: defaultdict[tuple[int, int], int] = defaultdict(int)
    for (one, place, show), times in often.items():
        total = times + often[one, place, -1] if show >= 0 else every[one, place]
        most[one, show] = max(most[one, show], total)
    return np.array([most[key] for key in zip(cores, scopes, strict=True)], dtype=np.int64)


def _encode(values: Sequence[Hashable | None]) -> Ints:
    """Return whole numbers that are equal where the values are; ``ABSENT`` for ``None``."""
    number: dict[Hashable, int] = {}
    coded = [ABSENT if value is None else number.setdefault(value, len(number)) for value in values]
    return np.array(coded, dtype=np.int64)


def _make_token_bags(titles: Iterable[str]) -> Bags:
    """Return bags of the tokens of titles, numbered in the order of the alphabet.

    Of tokens that are equally rare the first are keys of blocks: which, may not depend on the names of sources.
    """
    rows = [title.split() for title in titles]
    return make_bags(rows, {token: number for number, token in enumerate(sorted({*chain.from_iterable(rows)}))})


def _make_column(values: Iterable[int | None]) -> Ints:
    return np.array([ABSENT if value is None else value for value in values], dtype=np.int64)
