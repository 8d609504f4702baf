"""Blend: several copies of one text become one reading, every token with the sources that have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.blending import boilerplate, vote
from aggregator.merger.blending.aligned_copies import Column, backbone_first, weave
from aggregator.merger.blending.block_moves import relocate
from aggregator.merger.blending.copies import Copy, Witness, call, in_tokens
from aggregator.merger.blending.error_rates import DEFAULT
from aggregator.merger.blending.source_model import NO_ODDS, NOTHING, Lore
from aggregator.merger.blending.spelling import Bench, mixers, preferred_style, spell
from aggregator.merger.blending.title_variants import of_one_title, sounder
from aggregator.merger.blending.truncation import see_stops
from aggregator.merger.blending.word_breaks import match_seams
from aggregator.text.tokens import unspaced

ALL_CUT = 0.6
# Where less than half of the shortest copy stands, the copies are of different texts, and each outvotes the others.
APART = 0.5
LOOSE_END = " \n.…,;:–—-"

__all__ = ["Copy", "Reading", "Run", "blend"]


class Run(Struct, frozen=True):
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
    provenance: tuple[Run, ...] = ()


_Told = tuple[str, tuple[str, ...], float]
"""A token of the reading, with what stands before it: the sources that have it, and how sure it is."""


def blend(
    copies: Sequence[Copy],
    *,
    language: str | None = None,
    lore: Lore = NOTHING,
    show: str | None = None,
    title: bool = False,
) -> Reading:
    """Return the best reading of the copies; their order does not matter, an empty one says nothing.

    Titles that differ by more than spelling are different titles: of copies of a ``title`` those that resemble the most
    trusted one are read.
    """
    witnesses = call(copies)
    if not witnesses:
        return Reading("", 0.0, 0.0)
    if len({witness.text for witness in witnesses}) == 1:
        return _alone(witnesses)
    for witness in in_tokens(witnesses):
        witness.rates = lore.rates.get(witness.source, DEFAULT)
    boilerplate.strip(witnesses, lore.phrases)
    match_seams(witnesses, language)
    see_stops(witnesses)
    if title:
        witnesses = of_one_title(witnesses)
    reading = _blended(witnesses, language, lore.styles.get(show or "", NO_ODDS))
    better = sounder(witnesses, reading.text) if title else None
    return _alone([better]) if better else reading


def _blended(witnesses: Sequence[Witness], language: str | None, odds: Sequence[float]) -> Reading:
    """Return the reading of witnesses whose ends are settled; ``odds`` are those of the style of the show."""
    columns = relocate(weave(witnesses, backbone_first(witnesses)), witnesses)
    bench = Bench(witnesses, language, preferred_style(witnesses, odds), mixers(witnesses))
    return _read(columns, bench)


def _alone(witnesses: Sequence[Witness], contested: int = 1) -> Reading:
    """The reading where all witnesses say the same, or are the most believed side of several that tell other texts."""
    sources = tuple(sorted({witness.source for witness in witnesses}))
    cut = all(witness.cut for witness in witnesses)
    sure = _belief(witnesses) * (ALL_CUT if cut else 1.0) / contested
    return _reading([(witnesses[0].text, sources, sure)], witnesses, cut=cut)


def _read(columns: Sequence[Column], bench: Bench) -> Reading:
    """The reading that the votes on the columns give."""
    witnesses = bench.witnesses
    cut = all(witness.cut for witness in witnesses)
    told: list[_Told] = []
    known: dict[tuple[int, ...], tuple[tuple[str, ...], float]] = {}
    before: Column | None = None
    doubt = 0.0
    for stretch in vote.weighed(columns, witnesses):
        probability = stretch.probability
        if stretch.odds < 0:
            doubt = max(doubt, probability)
            continue
        for column in stretch.columns:
            text, writers, share = spell(column, bench)
            gap = _gap(before, column, witnesses) if before else ""
            if writers not in known:
                known[writers] = _spoken(writers, witnesses)
            sources, belief = known[writers]
            told.append((gap + text, sources, probability * share * belief * (ALL_CUT if cut else 1.0)))
            before = column
    if len(told) < APART * min(len(witness.tokens) for witness in witnesses):
        best = max(witnesses, key=lambda one: (one.weight, not one.cut, len(one.tokens)))
        return _alone([best], contested=len(witnesses))
    reading = _reading(told, witnesses, cut=cut)
    return replace(reading, least=min(reading.least, 1 - doubt))


def _spoken(numbers: Sequence[int], witnesses: Sequence[Witness]) -> tuple[tuple[str, ...], float]:
    """The sources that write a token, and how far they can be believed together."""
    writers = [witnesses[number] for number in numbers]
    return tuple(sorted({writer.source for writer in writers})), _belief(writers)


def _belief(writers: Sequence[Witness]) -> float:
    """How far those who write a token so can be believed together: a lone sound copy .8, three and more 1."""
    return min(1.0, 0.6 + 0.2 * len(writers)) * sqrt(max((writer.sound for writer in writers), default=0.5))


def _reading(told: Sequence[_Told], witnesses: Sequence[Witness], *, cut: bool) -> Reading:
    scores = [score for _, _, score in told]
    if cut and told:
        told = _cut_short(told)
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
        provenance=tuple(_joined(told)),
    )


def _cut_short(told: Sequence[_Told]) -> list[_Told]:
    """The tokens of a text that nobody has whole, the last one ending in one ellipsis in place of other marks."""
    kept = list(told)
    while len(kept) > 1 and not kept[-1][0].rstrip(LOOSE_END):
        kept.pop()
    text, sources, score = kept[-1]
    return [*kept[:-1], (text.rstrip(LOOSE_END) + "…", sources, score)]


def _joined(told: Sequence[_Told]) -> Iterator[Run]:
    """The tokens with neighbours of one provenance made one; its confidence is the lowest."""
    tenths = {score: round(score, 1) for score in {score for _, _, score in told}}
    for _, group in groupby(told, key=lambda one: (one[1], tenths[one[2]])):
        same = list(group)
        yield Run("".join([text for text, _, _ in same]), same[0][1], min(score for _, _, score in same))


def _gap(before: Column, column: Column, witnesses: Sequence[Witness]) -> str:
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
    return "" if unspaced(before.key) and unspaced(column.key) else " "
