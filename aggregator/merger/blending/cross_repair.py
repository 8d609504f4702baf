"""Repair copies of one text by comparison with another copy: lost letters, case, additions of a page.

One copy has "Ge?ici" or "Cafe creme", another "Geçici" or "Café crème". To check whether the second explains the first,
it is damaged in the same way: only where both are then equal, and more often than by chance, the letters are restored.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache, reduce
from itertools import chain, islice

from aggregator.text.alignment import find_equal_blocks, may_be_copies
from aggregator.text.chapter_lines import find_chapters
from aggregator.text.fold import STROKES
from aggregator.text.truncation import DOTS, LONGEST_MARK, has_dots

_LOSS_MARKS = ("?", "\ufffd")
_LEAST_LOST = 3  # letters that must be restored: one question mark behind a word is a question
_EXPLAINED_SHARE = 0.8  # of the lost letters; at two thirds, different texts of one length explain each other
_LEAST_AROUND = 4  # characters of an equal stretch in which a letter was lost; shorter ones are equal by chance
_LOSABLE = re.compile(r"[^\x00-\x7f]")
_MAY_BE_ACCENTED = re.compile("[\u00c0-\u1eff]")
_MARKED = re.compile(r"(?<!\S)[^\s?\ufffd]*+[?\ufffd]\S*+")
_MOST_ALIKE = 64  # words with one outline that are tried; in a script without ASCII all words of a length have one
_LONGEST_HALF = 30  # characters of a word before or behind a letter
_WORD = re.compile(r"\S+")
_Damage = Callable[[str], str]
_CASED_WORD = re.compile(r"[^\W\d_][\w'’]*")
_LEAST_WORDS = 2
_LEAST_WORDS_TITLED = 4
_LEAST_CASED_LETTERS = 6
_LEAST_STRETCH = 3  # characters of an equal stretch whose case is taken
_LEAST_SMALL = 0.25  # share of words in small letters

_NOTE = re.compile(r"\s?\[\d{1,3}\](?!\()")
_TIME = re.compile(r"\[\d{1,2}:\d\d(?::\d\d)?\]\s*|^\(?\d{1,2}:\d\d(?::\d\d)?\)?\s+", re.MULTILINE)
# Base64 (RFC 4648) of a key, a signature, an attachment.
_CODE = re.compile(r"(?:\s|^)(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)[A-Za-z0-9+/]{40,}={0,2}\s*$")
_SHORTEST_CODE = 40
_LONGEST_CODE = 4000
# A query of tracking parameters alone, which feeds append to every link.
_TRACKING = re.compile(r"\?utm_\w+=[\w-]+(?:&utm_\w+=[\w-]+)*(?![&\w])")
_MOST_QUERIES = 3
_MOST_LINKS = 8  # links with one query that are searched in the other copies
_TRACKED_LINK = re.compile(rf"(https?://[^\s?&]{{4,200}})({_TRACKING.pattern})")
# Label of a button behind an ellipsis: "(cont.)", "Leggi l’articolo completo", 全文を読む.
_BUTTON = re.compile(rf"({DOTS}\s*)([^\s.…].{{0,39}}(?<![.…]))$|({DOTS}\s*)(\([^.…]{{1,30}}\.?\))$")
_MOST_WORDS = 5  # of a label
_CONTEXT = 12  # characters before the cut that the other copy must have, without a word that may be incomplete
_LEAST_MARKS = 2  # notes or times in a text


def restore_lost_letters(texts: Sequence[str]) -> list[str]:
    """Return the texts in their order, with the letters that were lost to question marks, or of their accents.

    >>> restore_lost_letters(["Ge?ici g?n i?in", "Geçici gün için"])
    ['Geçici gün için', 'Geçici gün için']
    >>> restore_lost_letters(["Ou est-elle? A demain!", "Où est-elle? À demain!"])[0]
    'Ou est-elle? A demain!'
    """
    marked = any(mark in text for mark in _LOSS_MARKS for text in texts)
    if not marked and not any(_MAY_BE_ACCENTED.search(text) for text in texts):
        return list(texts)
    outlines = {text: _list_outlines(text) if marked else [] for text in texts}
    restored = []
    for text in texts:
        others = [other for other in outlines if other != text]
        restored.append(_restore_words(_restore_from_best(text, others), [outlines[other] for other in others]))
    return restored


def _restore_from_best(text: str, others: Sequence[str]) -> str:
    """Return the text with the letters of the copy that explains most of it: letters that the text has are not lost.

    Of a text without accents the letters with strokes ("ł") may have lost theirs, too.
    """
    mark = max(_LOSS_MARKS, key=text.count)
    lost_letters = text.count(mark)
    letters = frozenset(text)
    if lost_letters < _LEAST_LOST:
        lost_letters = 0
        if any(_strip_accent(one) != one for one in _count_losable(text) if ord(one) not in STROKES):
            return text

    def damage(one: str) -> str:
        return one if one.isascii() or one in letters else mark if lost_letters else _strip_accent(one)

    return max([(0, text), *(_explain_losses(text, other, damage, lost_letters) for other in others)])[1]


def _explain_losses(text: str, other: str, damage: _Damage, lost_letters: int) -> tuple[int, str]:
    """Return how many letters another copy restores, and the text with them; 0 if it does not explain the text.

    ``lost_letters`` are the question marks that stand for letters, 0 if these lost their accents.
    """
    counts = {one: count for one, count in _count_losable(other).items() if damage(one) != one}
    losable = sum(count for one, count in counts.items() if one not in _LOSS_MARKS)
    if losable < max(_LEAST_LOST, _EXPLAINED_SHARE * lost_letters):
        return 0, text
    damaged = other.translate({ord(one): damage(one) for one in counts})
    if not may_be_copies(text, damaged):
        return 0, text
    lost = [at for at, one in enumerate(other) if one in counts and one not in _LOSS_MARKS]
    origins: dict[int, int] = {}  # by the place of a letter, its place in the other copy
    reach = 0
    one, two = (_lower_in_place(text), _lower_in_place(damaged)) if lost_letters else (text, damaged)
    for i, j, size in find_equal_blocks(one, two):
        if size >= _LEAST_AROUND:
            reach = j + size
            origins |= {i + at - j: at for at in lost[bisect_left(lost, j) : bisect_left(lost, reach)]}
    lost_letters = lost_letters or bisect_left(lost, reach)
    explains = len(origins) >= _LEAST_LOST and len(origins) >= _EXPLAINED_SHARE * lost_letters
    return (len(origins), _insert_letters(text, other, origins)) if explains else (0, text)


def _insert_letters(text: str, other: str, origins: Mapping[int, int]) -> str:
    """Return the text with letters of another copy, but in words that would get letters of two of its, or of a part.

    A word that keeps some letters may be shorter or longer than that of the other copy.
    """
    letters = list(text)
    for word in _WORD.finditer(text):
        own = {place: origins[place] for place in range(*word.span()) if place in origins}
        first, last = min(own.values(), default=0), max(own.values(), default=0)
        whole = other[:first].rpartition(" ")[2] + other[first:].partition(" ")[0]
        if " " in other[first:last] or (len(whole) != len(word[0]) and not any(map(str.isalnum, word[0]))):
            continue
        for place, at in own.items():
            letters[place] = _fit_case(other, at, text, place)
    return "".join(letters)


def _fit_case(other: str, at: int, text: str, place: int) -> str:
    """Return a letter of another copy in the case of the word that gets it, where that copy has another case."""
    letter = other[at]
    begin, end = max(0, place - _LONGEST_HALF), place + 1 + _LONGEST_HALF
    word = text[begin:place].rpartition(" ")[2] + text[place + 1 : end].partition(" ")[0]
    around = other[max(0, at - 1) : at] + other[at + 1 : at + 2]
    if letter.isupper() and not any(map(str.islower, around)):
        fitted = letter.lower() if any(map(str.islower, word)) else letter
    else:
        in_capitals = word.isupper() and sum(map(str.isupper, word)) > 1  # one begins a word
        fitted = letter.upper() if letter.islower() and in_capitals else letter
    return fitted if len(fitted) == 1 else letter


def _count_losable(text: str) -> Mapping[str, int]:
    return {} if text.isascii() else Counter(_LOSABLE.findall(text))


def _restore_words(text: str, others: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Return the text with lost letters of single words, where the other copies (outlines and words) agree on them."""
    if not any(others) or not any(mark in text for mark in _LOSS_MARKS):
        return text
    marked = list(dict.fromkeys(_MARKED.findall(text)))
    outlines = _mask_letters("\n".join(marked)).split("\n")
    words: dict[str, Counter[str]] = {outline: Counter() for outline in outlines}
    for outline, word in chain.from_iterable(others):
        if outline in words:
            words[outline][word] += 1
    whole = {word: _find_whole_word(word, words[outline]) for word, outline in zip(marked, outlines, strict=True)}
    return _MARKED.sub(lambda found: found[0] if _ends_question(found) else whole[found[0]], text)


def _ends_question(word: re.Match[str]) -> bool:
    """Return whether a question mark ends the word, and no small letter follows: it may be the author's."""
    return word[0].endswith("?") and not word.string[word.end() + 1 : word.end() + 2].islower()


def _list_outlines(text: str) -> list[tuple[str, str]]:
    """Return the words of a text that may have lost a letter in another copy, each behind its outline."""
    words = [] if text.isascii() else [word for word in dict.fromkeys(text.split()) if not word.isascii()]
    return list(zip(_mask_letters("\n".join(words)).split("\n"), words, strict=True)) if words else []


def _mask_letters(words: str) -> str:
    """Return the words with a question mark for each letter that may be lost."""
    return _LOSABLE.sub("?", words)


def _find_whole_word(word: str, counts: Mapping[str, int]) -> str:
    """Return the word with its lost letters: the most common of the words with its outline; itself on a tie."""
    if not counts or len(counts) > _MOST_ALIKE:
        return word
    letters, marks = sum(map(str.isalnum, word)), sum(map(word.count, _LOSS_MARKS))
    if marks > max(1, letters / 2) or not letters:
        return word
    fitting = [(count, other) for other, count in counts.items() if _may_be(word, other)]
    most = max(fitting, default=(0, word))
    return most[1] if [count for count, _ in fitting].count(most[0]) == 1 else word


def _may_be(word: str, other: str) -> bool:
    """Return whether a word is another of its length with lost letters; a mark at its end may be a question mark."""
    if word[-1] in _LOSS_MARKS and not other[-1].isalpha():
        return False
    return all(
        one == whole or (one in _LOSS_MARKS and not whole.isascii()) for one, whole in zip(word, other, strict=True)
    )


@lru_cache(maxsize=4096)
def _strip_accent(letter: str) -> str:
    """Return a letter of Latin, Greek or Cyrillic without its accent; others unchanged.

    >>> _strip_accent("é"), _strip_accent("ł"), _strip_accent("й"), _strip_accent("が"), _strip_accent("a")
    ('e', 'l', 'и', 'が', 'a')
    """
    if not _MAY_BE_ACCENTED.match(letter):
        return letter
    first, *marks = list(unicodedata.normalize("NFD", letter).translate(STROKES))
    return first if all("\u0300" <= mark <= "\u036f" for mark in marks) else letter


class _Case(IntEnum):
    """Case of a text: one case for all letters, a capital at each word, or both cases as written by the author."""

    SINGLE = 0
    TITLED = 1
    MIXED = 2


def restore_case(texts: Sequence[str], trusts: Sequence[float]) -> list[str]:
    """Return the texts with the case of a copy that is trusted at least as much and has more information in it.

    A text in capitals, in small letters, or with a capital at each word has less than one that has both.

    >>> restore_case(["RAIN OVER PORTO", "Rain over Porto"], [1, 1])
    ['Rain over Porto', 'Rain over Porto']
    >>> restore_case(["RAIN OVER PORTO", "Rain over Porto"], [1, 0.5])[0]
    'RAIN OVER PORTO'
    """
    cases = [_find_case(text) for text in texts]
    if len(set(cases)) == 1:
        return list(texts)
    restored = []
    for text, case, trust in zip(texts, cases, trusts, strict=True):
        trusted = [(other, one) for other, one, theirs in zip(cases, texts, trusts, strict=True) if theirs >= trust]
        others = [one for other, one in trusted if other > case and (case is _Case.SINGLE or _has_small_words(one))]
        restored.append(reduce(_copy_case, sorted(others, key=_find_case), text))
    return restored


def _find_case(text: str) -> _Case:
    single = text in {text.upper(), text.lower()}
    if not single and text != text.title() and any(found[0][0].islower() for found in _CASED_WORD.finditer(text)):
        return _Case.MIXED
    words = [word for word in _CASED_WORD.findall(text) if word.lower() != word.upper()]
    if len(words) < _LEAST_WORDS or sum(map(len, words)) < _LEAST_CASED_LETTERS:
        return _Case.MIXED
    if single:
        return _Case.SINGLE
    titled = text == text.title() or not any(word[0].islower() or word[1:] != word[1:].lower() for word in words)
    return _Case.TITLED if titled and len(words) >= _LEAST_WORDS_TITLED else _Case.MIXED


def _has_small_words(text: str) -> bool:
    """Return whether enough words begin with a small letter for it to be no mistake."""
    words: list[str] = _CASED_WORD.findall(text)
    small = sum(word[0].islower() for word in words)
    return small >= _LEAST_WORDS and small >= _LEAST_SMALL * len(words)


def _copy_case(text: str, other: str) -> str:
    """Return the text with the letters of another one wherever both differ in case only.

    The other letters of a word that gets small letters become small as well, so that no word has a case that no copy
    has ("SAVAIT" and "saviat" are not "savAIt"); its first letter as that of the other word.
    """
    one, two = _lower_in_place(text), _lower_in_place(other)
    if not may_be_copies(one, two):
        return text
    letters = list(text)
    capital = text[:1].isupper()
    source = [-1] * len(text)  # the place of each letter in the other text
    for i, j, size in find_equal_blocks(one, two):
        if size >= _LEAST_STRETCH:
            letters[i : i + size] = other[j : j + size]
            source[i : i + size] = range(j, j + size)
    for word in _CASED_WORD.finditer(text):
        start, end = word.span()
        own = [at for at in range(start, end) if source[at] < 0]
        given = next((at for at in range(start, end) if source[at] >= 0 and letters[at].islower()), None)
        if own and given is not None:
            for at in own:
                letters[at] = one[at]
            if own[0] == start and _begins_with_capital(other, source[given]):
                letters[start] = text[start].upper() if len(text[start].upper()) == 1 else text[start]
    return (letters[0].upper() if capital else letters[0]) + "".join(letters[1:])


def _begins_with_capital(text: str, at: int) -> bool:
    """Return whether the word at a place begins with a capital."""
    while at > 0 and (text[at - 1].isalpha() or text[at - 1] == "\ufffd"):
        at -= 1
    return text[at].isupper()


def _lower_in_place(text: str) -> str:
    """Return the text in small letters and of the same length ("İ" would become two characters)."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def remove_tracking(texts: Sequence[str], trusts: Sequence[float]) -> list[str]:
    """Return the texts without tracking queries on links, if a copy trusted at least as much has one without.

    >>> remove_tracking(
    ...     ["See http://a.example?utm_source=rss http://b.example?utm_source=rss", "See http://a.example"], [1, 1]
    ... )[0]
    'See http://a.example http://b.example'
    """
    cleaned = []
    for text, trust in zip(texts, trusts, strict=True):
        shorter = text
        for query, _ in Counter(_TRACKING.findall(text)).most_common(_MOST_QUERIES):
            found = islice((one[1] for one in _TRACKED_LINK.finditer(text) if one[2] == query), _MOST_LINKS)
            links = set(found)
            others = [
                other for other, theirs in zip(texts, trusts, strict=True) if theirs >= trust and query not in other
            ]
            if any(link in other for other in others for link in links):
                shorter = shorter.replace(query, "")
        cleaned.append(shorter)
    return cleaned


def remove_page_additions(texts: Sequence[str]) -> list[str]:
    """Return the texts without notes, times and Base64 that another lacks, and without the button behind a cut.

    The numbers of notes, and the times, are such as no other copy has. Times that all are those of a list of chapters
    stay: they are the author's.

    A single copy keeps them: a note may be the author's, Base64 an address for donations.

    >>> remove_page_additions(["One.[1] Two.[2] And so…(cont.)", "One. Two. And so it goes on and on."])[0]
    'One. Two. And so…'
    """
    if len(set(texts)) == 1:
        return list(texts)
    cleaned = []
    for text in texts:
        others = [other for other in texts if other != text]
        shorter = text
        for marks in [marks for sign, marks in (("[", _NOTE), (":", _TIME)) if sign in text]:
            added = {mark.strip() for mark in marks.findall(text)}
            agreed = any(mark in other for mark in added for other in others)
            if marks is _TIME and len(find_chapters(text, None)) == len(marks.findall(text)):
                continue
            if len(added) >= _LEAST_MARKS and not agreed and not all(marks.search(other) for other in others):
                shorter = marks.sub("", shorter)
        cleaned.append(_remove_button(_remove_code(shorter, others), others) or text)
    return cleaned


def _remove_code(text: str, others: Sequence[str]) -> str:
    last = text.rsplit(maxsplit=1)[-1:]
    found = _CODE.search(text[-_LONGEST_CODE:]) if last and len(last[0]) >= _SHORTEST_CODE else None
    if not found or any(found.group().strip() in other for other in others):
        return text
    return text[: len(text) - len(found.group())]


def _remove_button(text: str, others: Sequence[str]) -> str:
    """Return the text without the words behind its last ellipsis, if another copy goes on there without them."""
    tail = text[-LONGEST_MARK:]
    found = _BUTTON.search(tail) if has_dots(tail) else None
    if not found:
        return text
    dots, words = found[1] or found[3], found[2] or found[4]
    start = _remove_spaces(dots + words.split()[0])
    bare = [_remove_spaces(other) for other in others]
    if len(words.split()) > _MOST_WORDS or any(start in other or _remove_spaces(words) in other for other in bare):
        return text
    before = tail[: found.start()].rstrip()
    known = _remove_spaces(before.rpartition(" ")[0] if " " in before else before[:-1])[-_CONTEXT:]
    if len(known) < _CONTEXT // 2:
        return text
    goes_on = any(known in other and len(other.rpartition(known)[2]) > len(words) for other in bare)
    return text[: len(text) - len(words)].rstrip() if goes_on else text


def _remove_spaces(text: str) -> str:
    return "".join(text.split())
