"""What records tell of their items, as bags of words: of each description, of each summary, and of both."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count

from aggregator.merger.matching.features.record import Record
from aggregator.merger.matching.features.titles import told
from aggregator.merger.matching.features.token_bags import Bags, Ints, bagged, gathered, rarity, weighted

_WORDY = 3  # blanks in a sentence that can be an item's own; "Free download." is none


def described(rows: Sequence[Record], groups: Sequence[Ints]) -> tuple[Bags, Bags, Bags, Bags]:
    """The words of each description and of each summary, weighted by how rare they are in ``groups`` of rows; of both;
    and the sentences that a source has once.

    The words of both may have no weights: they only make candidates.
    """
    number: defaultdict[str, int] = defaultdict(count().__next__)
    long = told(rows, [row.description for row in rows])
    if not any(row.summary for row in rows):
        words, sentences = _words(long, number), _sentences(rows, long)
        del long  # as large as the texts
        alone = gathered(words, max(len(number), 1))
        del words
        alone = weighted(alone, [rarity([alone], group) for group in groups])
        return alone, gathered([array("i")] * len(rows), alone.width), alone, sentences
    short = told(rows, [row.summary for row in rows])
    each = _words(chain.from_iterable(zip(long, short, strict=True)), number)
    sentences = _sentences(rows, ["\n".join(pair) for pair in zip(long, short, strict=True)])
    del long, short
    width = max(len(number), 1)
    both = gathered(_united(each[::2], each[1::2]), width)
    rare = [rarity([both], group) for group in groups]
    return weighted(gathered(each[::2], width), rare), weighted(gathered(each[1::2], width), rare), both, sentences


def _sentences(rows: Sequence[Record], lines: Sequence[str]) -> Bags:
    """The sentences of each text, by their hashes, that stand once in their source."""
    found = [{line for line in text.split("\n") if line.count(" ") >= _WORDY} for text in lines]
    often = Counter((row.source, hash(line)) for row, own in zip(rows, found, strict=True) for line in own)
    return bagged(
        [line for line in own if often[row.source, hash(line)] == 1] for row, own in zip(rows, found, strict=True)
    )


def _united(each: Sequence[array[int]], other: Sequence[array[int]]) -> list[array[int]]:
    """The words of each text and those of another that it lacks."""
    known: dict[tuple[int, int], array[int]] = {}
    found = []
    for pair in zip(each, other, strict=True):
        place = id(pair[0]), id(pair[1])
        if place not in known:
            has = set(pair[0])
            more = [word for word in pair[1] if word not in has]
            known[place] = pair[0] + array("i", more) if more else pair[0]
        found.append(known[place])
    return found


def _words(texts: Iterable[str], number: defaultdict[str, int]) -> list[array[int]]:
    """The numbers of the distinct words of each text."""
    known: dict[str, array[int]] = {}  # copies of one text are many
    found = []
    for text in texts:
        if text not in known:
            known[text] = array("i", list(dict.fromkeys(map(number.__getitem__, text.split()))))
        found.append(known[text])
    return found
