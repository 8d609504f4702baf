"""Blend the copies of a text into one reading, each token with its sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import chain, groupby, pairwise
from math import sqrt
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.blending import vote
from aggregator.merger.blending.aligned_copies import Column, align_copies, place_moved_runs
from aggregator.merger.blending.boilerplate import strip_boilerplate
from aggregator.merger.blending.copies import (
    DEFAULT_RATES,
    Copy,
    PreparedCopy,
    find_sounder_title,
    prepare_copies,
    select_copies_of_one_text,
    select_title_variants,
    tokenise_copies,
)
from aggregator.merger.blending.source_model import EMPTY_MODEL, NO_ODDS, SourceModel
from aggregator.merger.blending.spelling import Voters, choose_spelling, make_voters
from aggregator.merger.blending.truncation import mark_cut_copies
from aggregator.merger.blending.word_breaks import match_word_breaks
from aggregator.text.tokens import is_unspaced

_ALL_CUT = 0.6  # factor of the confidence where no copy is whole
_DIFFERENT = 0.5  # share of the shortest copy that a reading must have, else the copies are of different texts
# Runs of columns that the same copies have: of long texts with more, copies of one text have at most .3 for a column,
# letters drawn at random .5 and more, and rare letters many columns (tests/robustness/documents/test_time_bounds.py).
_MANY_RUNS = 5000
_SCATTERED = 0.4
_UNLIKE = 2  # columns for a token of the longest copy
_LOOSE_END = " \n.…,;:–—-"


class Text(Struct, frozen=True, kw_only=True):
    """The copies of one field of one item.

    ``language`` is without its region ("en" of "en-US"); ``show`` is the show whose learned style applies.
    """

    field: str
    copies: tuple[Copy, ...]
    language: str | None = None
    show: str | None = None


class Run(Struct, frozen=True):
    """A stretch of the reading, the sources that have it, and its confidence (0 to 1)."""

    text: str
    sources: tuple[str, ...]
    confidence: float


_ReadToken = tuple[str, tuple[str, ...], float]
"""A token of the reading with the gap before it, the sources that have it, and its confidence."""


class Reading(Struct, frozen=True):
    """The best reading of several copies.

    ``confidence`` is the mean over tokens, ``least`` the lowest, of tokens and of the decisions to leave some out (both
    0 to 1). ``cut`` is true where no copy is whole: the text then ends in one "…".
    """

    text: str
    confidence: float = 0.0
    least: float = 0.0
    cut: bool = False
    tokens: Sequence[_ReadToken] = ()

    @property
    def main_source(self) -> str:
        """Return the source that has most of the tokens, "" without any."""
        carried = Counter(chain.from_iterable(sources for _, sources, _ in self.tokens))
        return max(sorted(carried), key=carried.__getitem__, default="")

    @property
    def provenance(self) -> tuple[Run, ...]:
        """Return the runs of the reading, in order."""
        return tuple(_join_runs(self.tokens))


def base_language(tag: str) -> str | None:
    """Return a language tag without its region, in small letters; ``None`` for an empty tag.

    >>> base_language("de-DE"), base_language("zh_TW"), base_language(" ")
    ('de', 'zh', None)
    """
    return tag.strip().lower().replace("_", "-").partition("-")[0] or None


def read_text(text: Text, model: SourceModel = EMPTY_MODEL) -> Reading:
    """Return the best reading of the copies; their order does not matter, empty ones are ignored.

    Only the copies that resemble the most trusted one count: others are different titles or texts.
    """
    prepared = prepare_copies(text.copies)
    if not prepared:
        return Reading("")
    if len({copy.text for copy in prepared}) == 1:
        return _read_alone(prepared)
    for copy in tokenise_copies(prepared):
        copy.rates = model.rates.get(copy.source, DEFAULT_RATES)
    strip_boilerplate(prepared, model.phrases)
    match_word_breaks(prepared, text.language)
    mark_cut_copies(prepared)
    prepared = [copy for copy in prepared if copy.tokens]
    is_title = text.field == "title"
    prepared = select_title_variants(prepared) if is_title else select_copies_of_one_text(prepared)
    columns = align_copies(prepared)
    if _are_different(columns, prepared):
        return _read_best(prepared)
    columns = place_moved_runs(columns, prepared)
    voters = make_voters(prepared, text.language, model.styles.get(text.show or "", NO_ODDS))
    reading = _read_columns(columns, voters)
    sounder = find_sounder_title(prepared, reading.text) if is_title else None
    return _read_alone([sounder]) if sounder else reading


def _read_alone(copies: Sequence[PreparedCopy], contested: int = 1) -> Reading:
    """Return the text of equal copies, or of the one chosen from ``contested`` different texts."""
    sources = tuple(sorted({copy.source for copy in copies}))
    cut = all(copy.cut for copy in copies)
    confidence = _measure_belief(copies) * (_ALL_CUT if cut else 1.0) / contested
    return _make_reading([(copies[0].text, sources, confidence)], cut=cut)


def _read_best(copies: Sequence[PreparedCopy]) -> Reading:
    """Return the most believed of copies that are of different texts."""
    best = max(copies, key=lambda one: (one.weight, not one.cut, len(one.tokens)))
    return _read_alone([best], contested=len(copies))


def _are_different(columns: Sequence[Column], copies: Sequence[PreparedCopy]) -> bool:
    """Return whether long copies agree in nothing but scattered tokens, so that they are of different texts."""
    if len(columns) <= _MANY_RUNS:
        return False
    runs = 1 + sum(one.cells.keys() != two.cells.keys() for one, two in pairwise(columns))
    longest = max(len(copy.tokens) for copy in copies)
    return runs > _MANY_RUNS and (runs > _SCATTERED * len(columns) or len(columns) > _UNLIKE * longest)


def _read_columns(columns: Sequence[Column], voters: Voters) -> Reading:
    copies = voters.copies
    cut = all(copy.cut for copy in copies)
    whole = _ALL_CUT if cut else 1.0
    tokens: list[_ReadToken] = []
    find_writers = cache(partial(_find_writers, copies=copies))
    before: Column | None = None
    doubt = 0.0
    for stretch in vote.weigh_stretches(columns, copies):
        probability = stretch.probability
        if stretch.odds < 0:
            doubt = max(doubt, probability)
            continue
        having = tuple(stretch.columns[0].cells)
        for at, after in pairwise([*_find_disputed(stretch.columns), len(stretch.columns)]):
            disputed, *agreed = stretch.columns[at:after]
            text, writers, share = choose_spelling(disputed, voters)
            gap = _choose_gap(before, disputed, copies) if before else ""
            sources, belief = find_writers(writers)
            tokens.append((gap + text, sources, probability * share * belief * whole))
            sources, belief = find_writers(having)
            same = [column.cells[having[0]] for column in agreed]
            tokens += [(token.gap + token.surface, sources, probability * belief * whole) for token in same]
            before = stretch.columns[after - 1]
    if len(tokens) < _DIFFERENT * min(len(copy.tokens) for copy in copies):
        return _read_best(copies)
    reading = _make_reading(tokens, cut=cut)
    return replace(reading, least=min(reading.least, 1 - doubt))


def _find_disputed(columns: Sequence[Column]) -> list[int]:
    """Return the places of a stretch where copies differ in the token or in its position, and the first place."""
    first, *others = columns[0].cells
    tokens = [column.cells[first] for column in columns]
    places = [column.places[first] for column in columns]
    disputed = {0}
    if places != list(range(places[0], places[0] + len(places))):
        disputed.update(at for at, (one, next_one) in enumerate(pairwise(places), 1) if one + 1 != next_one)
    for other in others:
        theirs = [column.cells[other] for column in columns]
        if theirs != tokens:
            disputed.update([at for at, (one, two) in enumerate(zip(tokens, theirs, strict=True)) if one is not two])
    return sorted(disputed)


def _find_writers(numbers: Sequence[int], copies: Sequence[PreparedCopy]) -> tuple[tuple[str, ...], float]:
    """Return the sources of the copies that have a token, and the belief in them together."""
    writers = [copies[number] for number in numbers]
    return tuple(sorted({writer.source for writer in writers})), _measure_belief(writers)


def _measure_belief(writers: Sequence[PreparedCopy]) -> float:
    """Return the belief in copies that agree on a token, 0 to 1: a single sound copy .8, two and more 1."""
    return min(1.0, 0.6 + 0.2 * len(writers)) * sqrt(max((writer.sound for writer in writers), default=0.5))


def _make_reading(tokens: Sequence[_ReadToken], *, cut: bool) -> Reading:
    scores = [score for _, _, score in tokens]
    if cut and tokens:
        tokens = _mark_cut(tokens)
    text = "".join([one for one, _, _ in tokens])
    confidence = sum(scores) / len(scores) if scores else 0.0
    return Reading(text, confidence, min(scores, default=0.0), cut, tokens)


def _mark_cut(tokens: Sequence[_ReadToken]) -> list[_ReadToken]:
    """Return the tokens with one ellipsis in place of the marks at their end."""
    kept = list(tokens)
    while len(kept) > 1 and not kept[-1][0].rstrip(_LOOSE_END):
        kept.pop()
    text, sources, score = kept[-1]
    return [*kept[:-1], (text.rstrip(_LOOSE_END) + "…", sources, score)]


def _join_runs(tokens: Sequence[_ReadToken]) -> Iterator[Run]:
    """Yield neighbouring tokens with the same sources and similar confidence as one run, with the lowest of these."""
    alike = [
        ("".join([text for text, _, _ in group]), *known) for known, group in groupby(tokens, key=itemgetter(1, 2))
    ]
    for (sources, _), runs in groupby(alike, key=lambda one: (one[1], round(one[2], 1))):
        same = list(runs)
        yield Run("".join([text for text, _, _ in same]), sources, min(score for _, _, score in same))


def _choose_gap(before: Column, column: Column, copies: Sequence[PreparedCopy]) -> str:
    """Return the gap between two tokens: the copies that have them side by side vote by weight.

    Without such a copy it is a blank, except in scripts without spaces.
    """
    near, places = before.places, column.places
    gaps = {number: token.gap for number, token in column.cells.items() if near.get(number, -2) + 1 == places[number]}
    if gaps:
        ballots: dict[str, float] = {}
        for number, gap in gaps.items():
            ballots[gap] = ballots.get(gap, 0.0) + copies[number].weight
        return max(ballots, key=lambda gap: (ballots[gap], gap))
    return "" if is_unspaced(before.key) and is_unspaced(column.key) else " "
