"""What a page adds to a text, seen by another copy that lacks it: marks of notes, times, a button behind a cut, a code.

A lone copy keeps all of it: a note may be the author's, a code an address for donations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aggregator.text.truncation import DOTS, LONGEST_MARK

NOTE = re.compile(r"\s?\[\d{1,3}\](?!\()")
TIME = re.compile(r"\[\d{1,2}:\d\d(?::\d\d)?\]\s*|^\(?\d{1,2}:\d\d(?::\d\d)?\)?\s+", re.MULTILINE)
# Letters of both cases and digits by the dozen: Base64 (RFC 4648) of a key, a signature, an attachment.
CODE = re.compile(r"(?:\s|^)(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)[A-Za-z0-9+/]{40,}={0,2}\s*$")
LONGEST_CODE = 4000
# A button has few words: "(cont.)", "Leggi l’articolo completo", 全文を読む.
BUTTON = re.compile(rf"({DOTS}\s*)([^\s.…].{{0,39}}(?<![.…]))$|({DOTS}\s*)(\([^.…]{{1,30}}\.?\))$")
MOST_WORDS = 5
# So much before the cut must stand in the other copy, without the word that may be torn, in characters.
CONTEXT = 12
LEAST_MARKS = 2


def without_additions(texts: Sequence[str]) -> list[str]:
    """Return the texts, each without what no other has of notes, times and a code, and without the button behind a cut.

    >>> without_additions(["One.[1] Two.[2] And so…(cont.)", "One. Two. And so it goes on and on."])[0]
    'One. Two. And so…'
    """
    if len(set(texts)) == 1:
        return list(texts)
    back = []
    for text in texts:
        others = [other for other in texts if other != text]
        shorter = text
        for marks in (NOTE, TIME):
            if len(marks.findall(text)) >= LEAST_MARKS and not any(marks.search(other) for other in others):
                shorter = marks.sub("", shorter)
        back.append(_without_button(_without_code(shorter, others), others) or text)
    return back


def _without_code(text: str, others: Sequence[str]) -> str:
    found = CODE.search(text[-LONGEST_CODE:])
    if not found or any(found.group().strip() in other for other in others):
        return text
    return text[: len(text) - len(found.group())]


def _without_button(text: str, others: Sequence[str]) -> str:
    """Return the text with the dots alone at its end, where a copy that goes on there has no such words."""
    tail = text[-LONGEST_MARK:]
    found = BUTTON.search(tail)
    if not found:
        return text
    dots, words = found[1] or found[3], found[2] or found[4]
    begun = _unspaced(dots + words.split()[0])
    bare = [_unspaced(other) for other in others]
    if len(words.split()) > MOST_WORDS or any(begun in other or _unspaced(words) in other for other in bare):
        return text
    before = tail[: found.start()].rstrip()
    known = _unspaced(before.rpartition(" ")[0] if " " in before else before[:-1])[-CONTEXT:]
    if len(known) < CONTEXT // 2:
        return text
    goes_on = any(known in other and len(other.rpartition(known)[2]) > len(words) for other in bare)
    return text[: len(text) - len(words)].rstrip() if goes_on else text


def _unspaced(text: str) -> str:
    return "".join(text.split())
