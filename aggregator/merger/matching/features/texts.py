"""Make bags of the words of descriptions and summaries, without what a listing repeats.

What follows from a text alone, its sentences and their words, is kept from run to run: a sentence is the digest of its
folded words, a word its place in a vocabulary. Nothing of the result depends on what was kept.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import count, pairwise
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from aggregator.merger.matching.features.frame import OUTDATED
from aggregator.merger.matching.features.habits import MIN_TITLES
from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.features.token_bags import (
    Bags,
    Bools,
    Ints,
    Narrow,
    WordGroup,
    find_first,
    measure_rarity,
    number_combinations,
    pack_flat,
    weigh_bags,
)
from aggregator.model.record import make_msgpack_decoder
from aggregator.text.fold import fold

_DESCRIBED = 1000  # characters of a description that are compared; a directory's cut copy has 200 to 300
_ADDRESS = re.compile(r"(?<!\S)\S+://\S+|www\.\S+")
_SENTENCE = re.compile(r"[.!?…\n](?:(?<=\n)|\s)")  # from its last character on, so that this one is looked for
_WORDY = 4  # words of a sentence that can be an item's own; "Free download." is none
_DIGEST_BYTES = 16


class TextBags(NamedTuple):
    """The words of descriptions and of summaries, and sentences that a source has once (see ``Frame``).

    ``said`` is what each row has of these, as bytes. ``kept`` is what was made of all texts, for a later run, and
    ``None`` if what was kept is not outdated.
    """

    descriptions: Bags
    summaries: Bags
    sentences: Bags
    said: Sequence[bytes]
    kept: bytes | None


class _Kept(Struct, frozen=True):
    """Distinct texts by their digests, their sentences by their digests, their words by the vocabulary.

    ``ends`` are those of each text among the sentences, and of each sentence among the words.
    """

    texts: bytes = b""
    text_ends: bytes = b""
    sentences: bytes = b""
    sentence_ends: bytes = b""
    words: bytes = b""
    vocabulary: str = ""


class _Texts(Struct, frozen=True):
    """The same as columns: the sentences of text ``t`` are those from ``starts[t]`` to ``starts[t + 1]``."""

    starts: Ints
    sentences: NDArray[np.uint64]
    word_starts: Ints
    words: NDArray[np.int32]
    vocabulary: list[str]

    def select(self, which: Ints) -> _Texts:
        """Return some texts in an order."""
        at, _ = _gather(self.starts, which)
        places, _ = _gather(self.word_starts, at)
        starts, word_starts = (
            np.concatenate(([0], np.cumsum(np.diff(before)[some])))
            for before, some in ((self.starts, which), (self.word_starts, at))
        )
        return _Texts(starts, self.sentences[at], word_starts, self.words[places], self.vocabulary)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = make_msgpack_decoder(_Kept)


def make_text_bags(
    rows: Sequence[Record], source: Ints, groups: Sequence[WordGroup], kept: bytes | None = None
) -> TextBags:
    """Return bags of the words of texts and of sentences.

    Words are weighted by their rarity in ``groups`` of rows, the last of which are the listings. ``source`` is the
    number of the source of each row, ``kept`` what a former run kept, ``None`` if nothing is to be kept.
    """
    place: dict[str, int] = {}
    columns = [
        np.array([place.setdefault((text or "")[:_DESCRIBED], len(place)) for text in column], dtype=np.int64)
        for column in ([row.description for row in rows], [row.summary for row in rows])
    ]
    digests = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest() for text in place]
    texts, new = _read_texts(list(place), digests, kept or b"")
    number = np.unique(texts.sentences, return_inverse=True)[1].astype(np.int32)
    listing = groups[-1]
    sentences = [_list_sentences(texts, column, number, (source, listing.learned)) for column in columns]
    words = [_list_words(texts, *each) for each in sentences]
    owners, features = _unite(words, len(texts.vocabulary))
    used = features[find_first(np.zeros_like(features), features, len(texts.vocabulary))]  # in their order in the rows
    number_of_word, width = np.zeros(len(texts.vocabulary), dtype=np.int32), max(len(used), 1)
    number_of_word[used] = np.arange(len(used))
    long, short = (pack_flat(rows_of, number_of_word[said], width, len(rows)) for rows_of, said in words)
    both = pack_flat(owners, number_of_word[features], width, len(rows))
    rare = [measure_rarity([both], group) for group in groups]
    own = _find_own_sentences(texts, sentences, number, source)
    distinct, own_numbers = np.unique(number[own[1]], return_inverse=True)
    parts = [_split_rows(texts.sentences[at], each, len(rows)) for each, at in (*sentences, own)]
    return TextBags(
        weigh_bags(long, rare),
        weigh_bags(short, rare),
        pack_flat(own[0], own_numbers, max(len(distinct), 1), len(rows)),
        [b"%d %d " % (len(one), len(two)) + one + two + three for one, two, three in zip(*parts, strict=True)],
        _pack(digests, texts) if new and kept is not None else None,
    )


def _read_texts(written: Sequence[str], digests: Sequence[bytes], kept: bytes) -> tuple[_Texts, bool]:
    """Return texts as columns, and whether so many of them are new that what is kept is outdated."""
    before = _DECODER.decode(kept) if kept else _Kept()
    ends, word_ends, words, sentences = array("i"), array("i"), array("i"), array("Q")
    for column, value in ((ends, before.text_ends), (word_ends, before.sentence_ends), (words, before.words)):
        column.frombytes(value)
    sentences.frombytes(before.sentences)
    starts = range(0, len(before.texts), _DIGEST_BYTES)
    known = {before.texts[at : at + _DIGEST_BYTES]: number for number, at in enumerate(starts)}
    number = dict(zip(before.vocabulary.split(), count(), strict=False))
    for text, digest in zip(written, digests, strict=True):
        if digest not in known:
            known[digest] = len(ends)
            for sentence in _split_sentences(text):
                sentences.append(int.from_bytes(blake2b(sentence.encode(), digest_size=8).digest(), "little"))
                words.extend([number.setdefault(word, len(number)) for word in sentence.split()])
                word_ends.append(len(words))
            ends.append(len(sentences))
    every = _Texts(
        np.concatenate(([0], np.frombuffer(ends, dtype=np.int32))).astype(np.int64),
        np.frombuffer(sentences, dtype=np.uint64),
        np.concatenate(([0], np.frombuffer(word_ends, dtype=np.int32))).astype(np.int64),
        np.frombuffer(words, dtype=np.int32),
        list(number),
    )
    new = len(known) - len(starts) > OUTDATED * len(known)
    return every.select(np.array([known[digest] for digest in digests], dtype=np.int64)), new


def _pack(digests: Sequence[bytes], texts: _Texts) -> bytes:
    """Return texts for a later run, with the words that they have."""
    used = np.bincount(texts.words, minlength=len(texts.vocabulary)) > 0
    words = (np.cumsum(used) - 1)[texts.words]
    return _ENCODER.encode(
        _Kept(
            b"".join(digests),
            texts.starts[1:].astype(np.int32).tobytes(),
            texts.sentences.tobytes(),
            texts.word_starts[1:].astype(np.int32).tobytes(),
            words.astype(np.int32).tobytes(),
            " ".join([texts.vocabulary[word] for word in np.flatnonzero(used).tolist()]),
        )
    )


def _split_sentences(text: str) -> Iterator[str]:
    """Yield the folded sentences of a text, without addresses."""
    beginning = _ADDRESS.sub(" ", text) if "://" in text or "www." in text else text
    yield from filter(None, map(fold, _SENTENCE.split(beginning)))


def _gather(starts: Ints, which: Ints | Narrow) -> tuple[Narrow, Narrow]:
    """Return the places of the parts of some wholes, and the number of the whole of each; each begins at its start."""
    sizes = np.diff(starts)[which]
    owners = np.repeat(np.arange(len(which), dtype=np.int32), sizes)
    first = (starts[which] - np.cumsum(sizes) + sizes).astype(np.int32)
    return np.arange(len(owners), dtype=np.int32) + np.repeat(first, sizes), owners


def _list_sentences(texts: _Texts, column: Ints, number: Narrow, listed: tuple[Ints, Bools]) -> tuple[Narrow, Narrow]:
    """Return the rows and places of the sentences of a column of texts that its listing does not repeat."""
    at, owners = _gather(texts.starts, column)
    kept = _drop_repeated(owners, number[at], *listed)
    return owners[kept], at[kept]


def _drop_repeated(owners: Narrow, sentences: Narrow, source: Ints, learned: Bools) -> Bools:
    """Return which sentences of rows their source does not repeat in ``learned`` ones; all of a row without another."""
    cell = number_combinations(source[owners], sentences)
    first = find_first(owners, sentences, int(sentences.max(initial=0)) + 1)
    often = np.bincount(cell, weights=first & learned[owners])
    own = (often < MIN_TITLES)[cell]
    found: Bools = own | (np.bincount(owners, weights=own, minlength=len(source)) == 0)[owners]
    return found


def _list_words(texts: _Texts, owners: Narrow, at: Narrow) -> tuple[Narrow, Narrow]:
    """Return the rows and numbers of the distinct words of some sentences of rows."""
    places, of = _gather(texts.word_starts, at)
    rows, words = owners[of], texts.words[places]
    first = find_first(rows, words, len(texts.vocabulary))
    return rows[first], words[first]


def _unite(several: Sequence[tuple[Narrow, Narrow]], width: int) -> tuple[Narrow, Narrow]:
    """Return the distinct features of rows from several columns of (row, feature), row by row."""
    owners, features = (np.concatenate(column) for column in zip(*several, strict=True))
    order = np.argsort(owners, kind="stable")
    owners, features = owners[order], features[order]
    first = find_first(owners, features, width)
    return owners[first], features[first]


def _find_own_sentences(
    texts: _Texts, sentences: Sequence[tuple[Narrow, Narrow]], number: Narrow, source: Ints
) -> tuple[Narrow, Narrow]:
    """Return the rows and places of sentences of several words that no other row of its source has."""
    wordy = np.diff(texts.word_starts) >= _WORDY
    place = np.zeros(int(number.max(initial=0)) + 1, dtype=np.int32)
    place[number] = np.arange(len(number))
    owners, own = _unite([(rows[wordy[at]], number[at[wordy[at]]]) for rows, at in sentences], len(place))
    cell = number_combinations(source[owners], own)
    once = np.bincount(cell)[cell] == 1
    return owners[once], place[own[once]]


def _split_rows(values: NDArray[np.uint64], owners: Narrow, rows: int) -> list[bytes]:
    """Return the values of each row as bytes."""
    ends = (8 * np.cumsum(np.bincount(owners, minlength=rows))).tolist()
    every = values.tobytes()
    return [every[start:end] for start, end in pairwise([0, *ends])]
