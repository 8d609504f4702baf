"""Find the marks that pages leave at the end of a text that they cut.

An ellipsis alone proves nothing: one real description in ten ends in one (`docs/text.md`). Proof is the label of a
button behind it ("...Show More"), brackets around it, half a character, or that the caller knows of the cut.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Labels of the button that unfolds a text, in the languages of the podcast stores.
_BUTTON = (
    r"(?:show|read|see|view|learn|load)[ ]?(?:more|full|all)|more|continue reading|"
    r"mehr(?: anzeigen| lesen| erfahren)?|weiterlesen|(?:lire|voir|afficher) (?:la suite|plus)|plus|"
    r"(?:leer|ver|mostrar|saber|ler|llegir|mostra'n|mostra) (?:más|mais|més|di più)|"
    r"(?:leggi|mostra) (?:tutto|altro|di più)|"
    r"(?:lees|toon|meer) (?:meer|weergeven|lezen)|meer|читать (?:далее|дальше|ещё|полностью)|(?:показать )?(?:ещё|еще)|"
    r"devamını (?:oku|göster)|daha fazla(?: göster)?|περισσότερα|διαβάστε περισσότερα|"
    r"קרא עוד|קראו עוד|הצג עוד|עוד|続きを読む|もっと見る|さらに表示|더 ?보기|자세히 보기|"
    r"阅读更多|閱讀更多|显示更多|顯示更多|查看更多|更多|展开|อ่านต่อ|อ่านเพิ่มเติม|เพิ่มเติม|xem thêm|đọc tiếp|"
    r"więcej|czytaj (?:dalej|więcej)|"
    r"visa mer|läs mer|vis mere|læs mere|vis mer|les mer|näytä lisää|lue lisää|المزيد|بیشتر"
)
DOTS = r"(?:(?<!\.)\.{2,}|…|\. \. \.)"
_BUTTONED = re.compile(rf"(?<!\s)\s*{DOTS}\s*[\[(]?(?:{_BUTTON})[\])]?\s*+(?:[»›>→]++\s*+)?$", re.IGNORECASE)
_BRACKETED = re.compile(rf"(?<!\s)\s*(?:\[\s*{DOTS}\s*\]|\(\s*{DOTS}\s*\)|\[(?:{_BUTTON})\])\s*$", re.IGNORECASE)
_DOTS = re.compile(DOTS)
_DOTTED = re.compile(rf"{DOTS}\s*$")
_DOT_SIGNS = ("..", "…", ". .")
_SIGNS = (*_DOT_SIGNS, "]", "\ufffd")  # every mark contains one of these
LONGEST_MARK = 200
"""Characters at the end of a text in which a mark is looked for: texts of any length cost the same."""
_HALF_CHARACTER = re.compile("(?<!\ufffd)\ufffd{1,3}$")
_LOST_INSIDE = re.compile("\ufffd(?=[^\ufffd])")  # the last lost letter is then one of several, no sign of a cut
# Last character of a word that may be incomplete; a full stop or a closing bracket ends a word.
_INCOMPLETE = re.compile(r"[\w/(\[{@#&+=’'-]")
# Scripts without spaces between words: a cut falls between letters and leaves no incomplete word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class _Uncut(NamedTuple):
    """Text without the mark at its end, whether it is known to be cut, and whether its last word may be incomplete."""

    text: str
    cut: bool
    torn: bool


def strip_cut_mark(text: str, *, known: bool = False) -> _Uncut:
    """Return the text without a mark of truncation; if the cut is ``known``, an ellipsis goes too.

    >>> strip_cut_mark("We show how to consistently deci...Show More")
    _Uncut(text='We show how to consistently deci', cut=True, torn=True)
    >>> strip_cut_mark("And then there was one...")
    _Uncut(text='And then there was one...', cut=False, torn=False)
    """
    cut, torn, before = known, False, None
    while before != text:
        before = text
        head, tail = text[:-LONGEST_MARK], text[-LONGEST_MARK:]
        marks = (_BUTTONED, _BRACKETED, _HALF_CHARACTER)[: 2 if _LOST_INSIDE.search(text) else 3]
        for mark in marks if any(sign in tail for sign in _SIGNS) else ():
            found = mark.search(tail)
            if found and (found.start() or head):
                torn, cut = not found.group()[0].isspace(), True
                tail = tail[: found.start()]
        text = head + tail
        bare = text.rstrip(" \n.…") if cut else ""
        if bare and _DOTTED.search(text[len(bare) :]):
            torn, text = not text[len(bare)].isspace(), bare
    return _Uncut(text, cut, torn and text != "")


def has_dots(text: str) -> bool:
    """Return whether an ellipsis may stand anywhere in the text."""
    return any(sign in text for sign in _DOT_SIGNS)


def ends_in_dots(text: str) -> bool:
    """Return whether the text ends in an ellipsis, which may or may not be a cut."""
    tail = text[-LONGEST_MARK:].rstrip()
    return tail.endswith((".", "…")) and bool(_DOTTED.search(tail))


def starts_with_dots(text: str) -> bool:
    """Return whether the text begins with an ellipsis."""
    return bool(_DOTS.match(text))


def strip_torn_word(text: str) -> str:
    """Return the text without its last word if that may be incomplete and is not the only one.

    >>> strip_torn_word("down with the CUDA grap")
    'down with the CUDA'
    >>> strip_torn_word("why are 0/"), strip_torn_word("see https://example.org/d/1XD")
    ('why are', 'see')
    """
    head, last = (*text.rsplit(maxsplit=1), "", "")[:2]
    if not last or not _INCOMPLETE.match(last[-1]) or _UNSPACED.search(last):
        return text
    return head
