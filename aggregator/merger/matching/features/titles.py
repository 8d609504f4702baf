"""The words of records as they are compared: titles without their show's decoration, names, descriptions."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from aggregator.merger.matching.features.record import Record
from aggregator.merger.matching.features.show_scope import Scope
from aggregator.text.fold import fold
from aggregator.text.titles.titles import Title, learn_frames, parse_title, strip_teaser

_DESCRIBED = 1000  # characters of a description that are compared; a directory's cut copy has 200 to 300
_REPEATED = 3  # items of a listing with one and the same sentence: it is not about the item
_YEARED = re.compile(r"(?<!\s)\s*\((?:\d{4}|unknown)?\)$")  # "Album (1998)"
_ADDRESS = re.compile(r"(?<!\S)\S+://\S+|www\.\S+")
_SENTENCE = re.compile(r"[.!?…\n](?:(?<=\n)|\s)")  # from its last character on, so that this one is looked for


def titled(rows: Sequence[Record], scope: Scope) -> tuple[Title, ...]:
    """The typed pieces of each title, the decoration of its own show taken off."""
    texts = [strip_teaser(row.title, row.description or "") for row in rows]
    listed: defaultdict[int, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    named: dict[int, str] = {}
    for row, text, show in zip(rows, texts, scope.shelf, strict=True):
        listed[show][row.source].append(text)
        if row.show and not scope.show_varies:
            named[show] = min(named.get(show, row.show), row.show, key=lambda name: (len(name), name))
    frames = {
        show: learn_frames([by[source] for source in sorted(by)], named.get(show, "")) for show, by in listed.items()
    }
    known: dict[tuple[str, int], Title] = {}  # most sources list the same titles
    for place in zip(texts, scope.shelf, strict=True):
        if place not in known:
            known[place] = parse_title(place[0], named.get(place[1], ""), frames[place[1]])
    return tuple(known[place] for place in zip(texts, scope.shelf, strict=True))


def named(row: Record, scope: Scope) -> str:
    """Show and author, folded, where they vary item by item and so tell items apart; initials stand for many."""
    fields = ((row.show, scope.show_varies), (row.author, scope.author_varies))
    words = " ".join(fold(_YEARED.sub("", value)) for value, varies in fields if value and varies)
    return " ".join(word for word in words.split() if len(word) > 1) or words


def told(rows: Sequence[Record], written: Sequence[str | None]) -> list[str]:
    """The folded words of a text of each row, without addresses and without sentences that its listing repeats.

    In one string with blanks between them, a sentence a line: as words apart they take eight times the memory.
    """
    lines = _lines(written)
    repeated = _repeated(rows, lines)
    return [_own(line, repeated[row.source]) for row, line in zip(rows, lines, strict=True)]


def _lines(written: Sequence[str | None]) -> list[str]:
    """The folded sentences of each text, one a line; of equal texts the same string."""
    known: dict[str, str] = {}
    for text in written:
        if (said := text or "") not in known:
            part = said[:_DESCRIBED]
            part = _ADDRESS.sub(" ", part) if "://" in part or "www." in part else part
            known[said] = "\n".join(map(fold, _SENTENCE.split(part)))
    return [known[text or ""] for text in written]


def _repeated(rows: Sequence[Record], lines: Sequence[str]) -> dict[str, frozenset[str]]:
    """The sentences that a listing repeats, by source; counted one by one only where their hashes recur."""
    hashes: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
    for row, line in zip(rows, lines, strict=True):
        hashes[row.source].extend(map(hash, set(line.split("\n"))))
    recurring = {source: _recurring(met) - {hash("")} for source, met in hashes.items()}
    often: dict[str, Counter[str]] = {source: Counter() for source in hashes}
    for row, line in zip(rows, lines, strict=True):
        if recurring[row.source]:
            told = set(line.split("\n"))
            often[row.source].update(each for each in told if hash(each) in recurring[row.source])
    return {
        source: frozenset(each for each, times in met.items() if times >= _REPEATED) for source, met in often.items()
    }


def _recurring(hashes: array[int]) -> set[int]:
    """The hashes that are met often enough for a sentence to be repeated."""
    values, times = np.unique(np.frombuffer(hashes, dtype=np.int64), return_counts=True)
    return set(values[times >= _REPEATED].tolist())


def _own(line: str, repeated: frozenset[str]) -> str:
    """The sentences that are the item's own; all, where it has no other."""
    said = line.split("\n") if repeated else []
    own = [sentence for sentence in said if sentence not in repeated]
    return "\n".join(own) if len(own) < len(said) and any(own) else line


def grams(text: str) -> dict[str, None]:
    """The runs of three characters of a text, blanks at its ends included, each once, in order.

    >>> list(grams("ab"))
    [' ab', 'ab ']
    """
    padded = f" {text} "
    return dict.fromkeys(padded[at : at + 3] for at in range(len(padded) - 2))
