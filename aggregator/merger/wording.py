"""The words of records as they are compared: titles without their show's decoration, names, descriptions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from aggregator.merger.record import Record
from aggregator.merger.scope import Scope
from aggregator.text.folding import folded
from aggregator.text.titles import Title, learn, pieces, untold

_DESCRIBED = 1000  # characters of a description that are compared; a directory's cut copy has 200 to 300
_REPEATED = 3  # items of a listing with one and the same sentence: it is not about the item
_YEARED = re.compile(r"(?<!\s)\s*\((?:\d{4}|unknown)?\)$")  # "Album (1998)"
_ADDRESS = re.compile(r"(?<!\S)\S+://\S+|www\.\S+")
_SENTENCE = re.compile(r"[.!?…\n](?:(?<=\n)|\s)")  # from its last character on, so that this one is looked for


def titled(rows: Sequence[Record], scope: Scope) -> tuple[Title, ...]:
    """The typed pieces of each title, the decoration of its own show taken off."""
    texts = [untold(row.title, row.description or "") for row in rows]
    listed: defaultdict[int, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    named: dict[int, str] = {}
    for row, text, show in zip(rows, texts, scope.shelf, strict=True):
        listed[show][row.source].append(text)
        if row.show and not scope.show_varies:
            named[show] = min(named.get(show, row.show), row.show, key=lambda name: (len(name), name))
    frames = {show: learn([by[source] for source in sorted(by)], named.get(show, "")) for show, by in listed.items()}
    known: dict[tuple[str, int], Title] = {}  # most sources list the same titles
    for place in zip(texts, scope.shelf, strict=True):
        if place not in known:
            known[place] = pieces(place[0], named.get(place[1], ""), frames[place[1]])
    return tuple(known[place] for place in zip(texts, scope.shelf, strict=True))


def named(row: Record, scope: Scope) -> str:
    """Show and author, folded, where they vary item by item and so tell items apart; initials stand for many."""
    fields = ((row.show, scope.show_varies), (row.author, scope.author_varies))
    words = " ".join(folded(_YEARED.sub("", value)) for value, varies in fields if value and varies)
    return " ".join(word for word in words.split() if len(word) > 1) or words


def told(rows: Sequence[Record], written: Sequence[str | None]) -> list[str]:
    """The folded words of a text of each row, without addresses and without sentences that its listing repeats.

    In one string with blanks between them: as words apart they take eight times the memory.
    """
    texts = [(text or "")[:_DESCRIBED] for text in written]
    texts = [_ADDRESS.sub(" ", text) if "://" in text or "www." in text else text for text in texts]
    parts = {text: [folded(sentence) for sentence in _SENTENCE.split(text)] for text in set(texts)}
    often: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row, text in zip(rows, texts, strict=True):
        often[row.source].update(set(parts[text]))
    whole = {text: " ".join(said) for text, said in parts.items()}
    out = []
    for row, text in zip(rows, texts, strict=True):
        times = often[row.source]
        own = [sentence for sentence in parts[text] if times[sentence] < _REPEATED]
        out.append(whole[text] if len(own) == len(parts[text]) or not any(own) else " ".join(own))
    return out


def grams(text: str) -> dict[str, None]:
    """The runs of three characters of a text, blanks at its ends included, each once, in order.

    >>> list(grams("ab"))
    [' ab', 'ab ']
    """
    padded = f" {text} "
    return dict.fromkeys(padded[at : at + 3] for at in range(len(padded) - 2))
