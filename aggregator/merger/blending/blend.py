"""Learn from the copies of texts, and blend those of one text into one reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.blending import boilerplate, vote
from aggregator.merger.blending.aligned_copies import Column, align_copies, order_by_reliability, place_moved_runs
from aggregator.merger.blending.copies import (
    DEFAULT_RATES,
    Copy,
    PreparedCopy,
    find_sounder_title,
    prepare_copies,
    select_title_variants,
    tokenise_copies,
)
from aggregator.merger.blending.source_model import EMPTY_MODEL, NO_ODDS, SourceLearner, SourceModel
from aggregator.merger.blending.spelling import Voters, choose_spelling, choose_style, find_mixed_styles
from aggregator.merger.blending.truncation import mark_cut_copies
from aggregator.merger.blending.word_breaks import match_word_breaks
from aggregator.text.tokens import is_unspaced

_ALL_CUT = 0.6
# Where less than half of the shortest copy stands, the copies are of different texts, and each outvotes the others.
_APART = 0.5
_LOOSE_END = " \n.…,;:–—-"


class _Run(Struct, frozen=True):
    """A stretch of the reading, the sources that have it, and how sure it is (0 to 1)."""

    text: str
    sources: tuple[str, ...]
    confidence: float


class Reading(Struct, frozen=True):
    """The best reading of several copies.

    ``confidence`` is the mean over tokens, ``least`` the lowest of them and of how sure it is that nothing left out is
    text (both 0 to 1). ``cut`` is true where nobody had the whole text: it then ends in one "…". ``witness`` is the
    source that carries most of the tokens, ``agreeing`` are the sources whose own text is the reading. ``provenance``
    are runs of tokens, in order.
    """

    text: str
    confidence: float = 1.0
    least: float = 1.0
    cut: bool = False
    witness: str = ""
    agreeing: tuple[str, ...] = ()
    provenance: tuple[_Run, ...] = ()


_ReadToken = tuple[str, tuple[str, ...], float]
"""A token of the reading, with what stands before it: the sources that have it, and how sure it is."""


def blend(
    copies: Sequence[Copy],
    *,
    language: str | None = None,
    lore: SourceModel = EMPTY_MODEL,
    show: str | None = None,
    title: bool = False,
) -> Reading:
    """Return the best reading of the copies; their order does not matter, an empty one says nothing.

    Titles that differ by more than spelling are different titles: of copies of a ``title`` those that resemble the most
    trusted one are read.
    """
    witnesses = prepare_copies(copies)
    if not witnesses:
        return Reading("", 0.0, 0.0)
    if len({witness.text for witness in witnesses}) == 1:
        return _read_alone(witnesses)
    for witness in tokenise_copies(witnesses):
        witness.rates = lore.rates.get(witness.source, DEFAULT_RATES)
    boilerplate.strip_boilerplate(witnesses, lore.phrases)
    match_word_breaks(witnesses, language)
    mark_cut_copies(witnesses)
    if title:
        witnesses = select_title_variants(witnesses)
    reading = _blend_prepared(witnesses, language, lore.styles.get(show or "", NO_ODDS))
    better = find_sounder_title(witnesses, reading.text) if title else None
    return _read_alone([better]) if better else reading


def _blend_prepared(witnesses: Sequence[PreparedCopy], language: str | None, odds: Sequence[float]) -> Reading:
    """Return the reading of witnesses whose ends are settled; ``odds`` are those of the style of the show."""
    columns = place_moved_runs(align_copies(witnesses, order_by_reliability(witnesses)), witnesses)
    bench = Voters(witnesses, language, choose_style(witnesses, odds), find_mixed_styles(witnesses))
    return _read_columns(columns, bench)


def _read_alone(witnesses: Sequence[PreparedCopy], contested: int = 1) -> Reading:
    """The reading where all witnesses say the same, or are the most believed side of several that tell other texts."""
    sources = tuple(sorted({witness.source for witness in witnesses}))
    cut = all(witness.cut for witness in witnesses)
    sure = _measure_belief(witnesses) * (_ALL_CUT if cut else 1.0) / contested
    return _make_reading([(witnesses[0].text, sources, sure)], witnesses, cut=cut)


def _read_columns(columns: Sequence[Column], bench: Voters) -> Reading:
    """The reading that the votes on the columns give."""
    witnesses = bench.witnesses
    cut = all(witness.cut for witness in witnesses)
    told: list[_ReadToken] = []
    known: dict[tuple[int, ...], tuple[tuple[str, ...], float]] = {}
    before: Column | None = None
    doubt = 0.0
    for stretch in vote.weigh_stretches(columns, witnesses):
        probability = stretch.probability
        if stretch.odds < 0:
            doubt = max(doubt, probability)
            continue
        for column in stretch.columns:
            text, writers, share = choose_spelling(column, bench)
            gap = _choose_gap(before, column, witnesses) if before else ""
            if writers not in known:
                known[writers] = _find_writers(writers, witnesses)
            sources, belief = known[writers]
            told.append((gap + text, sources, probability * share * belief * (_ALL_CUT if cut else 1.0)))
            before = column
    if len(told) < _APART * min(len(witness.tokens) for witness in witnesses):
        best = max(witnesses, key=lambda one: (one.weight, not one.cut, len(one.tokens)))
        return _read_alone([best], contested=len(witnesses))
    reading = _make_reading(told, witnesses, cut=cut)
    return replace(reading, least=min(reading.least, 1 - doubt))


def _find_writers(numbers: Sequence[int], witnesses: Sequence[PreparedCopy]) -> tuple[tuple[str, ...], float]:
    """The sources that write a token, and how far they can be believed together."""
    writers = [witnesses[number] for number in numbers]
    return tuple(sorted({writer.source for writer in writers})), _measure_belief(writers)


def _measure_belief(writers: Sequence[PreparedCopy]) -> float:
    """How far those who write a token so can be believed together: a lone sound copy .8, three and more 1."""
    return min(1.0, 0.6 + 0.2 * len(writers)) * sqrt(max((writer.sound for writer in writers), default=0.5))


def _make_reading(told: Sequence[_ReadToken], witnesses: Sequence[PreparedCopy], *, cut: bool) -> Reading:
    scores = [score for _, _, score in told]
    if cut and told:
        told = _mark_cut(told)
    text = "".join([one for one, _, _ in told])
    carried: Counter[str] = Counter()
    for sources, times in Counter([sources for _, sources, _ in told]).items():
        carried.update(dict.fromkeys(sources, times))
    return Reading(
        text,
        confidence=sum(scores) / len(scores) if scores else 0.0,
        least=min(scores, default=0.0),
        cut=cut,
        witness=max(sorted(carried), key=lambda source: carried[source], default=""),
        agreeing=tuple(sorted({witness.source for witness in witnesses if witness.text == text.removesuffix("…")})),
        provenance=tuple(_join_runs(told)),
    )


def _mark_cut(told: Sequence[_ReadToken]) -> list[_ReadToken]:
    """The tokens of a text that nobody has whole, the last one ending in one ellipsis in place of other marks."""
    kept = list(told)
    while len(kept) > 1 and not kept[-1][0].rstrip(_LOOSE_END):
        kept.pop()
    text, sources, score = kept[-1]
    return [*kept[:-1], (text.rstrip(_LOOSE_END) + "…", sources, score)]


def _join_runs(told: Sequence[_ReadToken]) -> Iterator[_Run]:
    """The tokens with neighbours of one provenance made one; its confidence is the lowest."""
    tenths = {score: round(score, 1) for score in {score for _, _, score in told}}
    for _, group in groupby(told, key=lambda one: (one[1], tenths[one[2]])):
        same = list(group)
        yield _Run("".join([text for text, _, _ in same]), same[0][1], min(score for _, _, score in same))


def _choose_gap(before: Column, column: Column, witnesses: Sequence[PreparedCopy]) -> str:
    """What stands between two tokens, as those have it who have both side by side; else a blank, if the script has."""
    near, places = before.places, column.places
    number = next(iter(places))
    gaps = [token.gap for token in column.cells.values()]
    if gaps.count(gaps[0]) == len(gaps) and near.get(number, -2) + 1 == places[number]:
        return gaps[0]
    ballots: dict[str, float] = {}
    for number, token in column.cells.items():
        if near.get(number, -2) + 1 == places[number]:
            ballots[token.gap] = ballots.get(token.gap, 0.0) + witnesses[number].weight
    if ballots:
        return max(ballots, key=lambda gap: (ballots[gap], gap))
    return "" if is_unspaced(before.key) and is_unspaced(column.key) else " "


class Text(Struct, frozen=True, kw_only=True):
    """The copies of one field of one item.

    ``language`` is without its region ("en" of "en-US"): word lists have none. ``show`` is the show that the text is
    of, whose style is learned.
    """

    field: str
    copies: tuple[Copy, ...]
    language: str | None = None
    show: str | None = None


def learn_sources(texts: Iterable[Text]) -> SourceModel:
    """Return what the texts teach about their sources and shows; memory is bounded."""
    observer = SourceLearner()
    for text in texts:
        observer.hear(text.copies, text.language, text.show)
    return observer.lore()


def read_text(text: Text, lore: SourceModel = EMPTY_MODEL) -> Reading:
    """Return the best reading of a text."""
    return blend(text.copies, language=text.language, lore=lore, show=text.show, title=text.field == "title")


def base_language(tag: str) -> str | None:
    """Return a language without its region, in small letters; ``None`` where there is none.

    >>> base_language("de-DE"), base_language("zh_TW"), base_language(" ")
    ('de', 'zh', None)
    """
    return tag.strip().lower().replace("_", "-").partition("-")[0] or None
