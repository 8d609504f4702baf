"""Choose the spelling of each token, part by part: the word, and the marks before and behind it.

Quotes, dashes and ellipses are typographic (’ “ ” – — …) or plain (' " - ...): one style for a whole text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from aggregator.merger.blending.aligned_copies import Column
from aggregator.merger.blending.copies import PreparedCopy, log_odds, trust_about_marks
from aggregator.text.alignment import ocr_shape
from aggregator.text.fold import STROKES, is_of_word, normalize
from aggregator.text.word_frequencies import frequency

# Kinds of marks, each with its typographic and its plain forms; a text may have a style for each.
_KINDS = (("’‘“”", ("'", '"')), ("–—", ()), ("…", ("...",)))
_DASHES = 1
_BEYOND_ASCII = re.compile(r"[^\W\d_a-z]")
_TEX_QUOTES = re.compile("``|''")
_ASKING = "?¿؟？"
_DASH = re.compile(r"--|(?<!\S)-(?!\S)")
_PLAIN_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})
# Natural log-odds for and against a word by itself:
_KNOWN = 2.5  # in the word list: 12 times as likely as an unknown one, which may be a name
_ACCENTED = 0.5
_MOST_CREDIT = 3.4
_BROKEN = 5.0  # with U+FFFD
_LOST = "\ufffd"
_TRACKED = re.compile(r"[?&](?:utm_[a-z]+|[fgdy]clid|gclsrc|msclkid|mc_[ce]id|igshid|_hsenc)=")
_TRACKED_COST = 6.0  # a link with tracking parameters
_SLIP_COST = 3.0
# Vote of a copy in plain style, where one in typographic style has 1 and little is known of the show: folding makes
# marks plain, hardly anything makes them typographic. Chosen with evaluation.text.habits.
_PLAIN_VOTE = 0.35
_SURE_ODDS = 0.5  # of a show's style
_BLIND_VOTE = 0.08  # on a letter that a copy never writes ("ß", "ё", "é"), where one that does has 1
# A slip is so many times as rare as the right word: "fiir" 56,000 times as "für", "Wusten" 120 times as "Wüsten"; at 10
# times "Plane" would give way to "Pläne".
_RARER = 100

_Sides = tuple[int, ...]


class Voters(NamedTuple):
    """The copies that vote on spelling, the language and the style of the text.

    ``letters`` are those beyond ASCII of each copy. ``mixers`` are, for each kind of mark, the numbers of the copies
    that have it in both styles.
    """

    copies: Sequence[PreparedCopy]
    language: str | None
    style: _Sides
    letters: Sequence[frozenset[str]]
    mixers: Sequence[set[int]]


def choose_spelling(column: Column, voters: Voters) -> tuple[str, tuple[int, ...], float]:
    """Return the best spelling of a column, the copies that have it, and its share of the evidence (0 to 1)."""
    cells = column.cells
    tokens = list(cells.values())
    if len({token.surface for token in tokens}) == 1:
        return tokens[0].surface, tuple(cells), 1.0
    word, share = _choose_word(column, voters)
    begins = not any(column.places.values())
    ends = all(place == len(voters.copies[number].tokens) - 1 for number, place in column.places.items())
    lead = _choose_marks({number: token.lead for number, token in cells.items()}, voters, at_end=begins)
    trail = _choose_marks({number: token.trail for number, token in cells.items()}, voters, at_end=ends)
    writers = tuple(number for number, token in cells.items() if token.word == word)
    return lead + word + trail, writers, share


def make_voters(copies: Sequence[PreparedCopy], language: str | None, odds: Sequence[float]) -> Voters:
    """Return the copies as voters, with the style of quotes, dashes and ellipses that they prefer.

    ``odds`` are the natural log-odds that texts of the show are typographic, for each kind. A tie is typographic:
    pages make marks plain more often than typographic.
    """
    votes = list(odds)
    mixers: list[set[int]] = [set() for _ in _KINDS]
    for number, copy in enumerate(copies):
        weight = copy.trust * log_odds(1 - copy.rates.restyled, copy.rates.restyled)
        for kind, (curled, plain) in enumerate(_count_styles(copy.text)):
            share = _PLAIN_VOTE if plain > curled and abs(odds[kind]) < _SURE_ODDS else 1.0
            votes[kind] += weight * share * _compare(curled, plain)
            if curled and plain:
                mixers[kind].add(number)
    letters = [frozenset(_BEYOND_ASCII.findall(copy.written.lower())) for copy in copies]
    return Voters(copies, language, tuple(1 if vote >= 0 else -1 for vote in votes), letters, mixers)


def count_sides(text: str) -> _Sides:
    """Return the prevailing style of quotes, dashes and ellipses in a text: 1 typographic, -1 plain, 0 for a tie.

    >>> count_sides("It’s “fine” - or so..."), count_sides("fine")
    ((1, -1, -1), (0, 0, 0))
    """
    return tuple(_compare(curled, plain) for curled, plain in _count_styles(text))


def _compare(curled: int, plain: int) -> int:
    return (curled > plain) - (curled < plain)


def _count_styles(text: str) -> list[tuple[int, int]]:
    """Return for each kind how often a text has it in typographic and in plain style."""
    counts = [(sum(map(text.count, curled)), sum(map(text.count, plain))) for curled, plain in _KINDS]
    if "-" in text:
        counts[_DASHES] = counts[_DASHES][0], len(_DASH.findall(text))
    return counts


def _fold_marks(surface: str) -> str:
    """Return a surface in plain style; TeX has dashes of two and three hyphens, and quotes of two marks."""
    return _TEX_QUOTES.sub('"', surface.translate(_PLAIN_MARKS)).replace("---", "-").replace("--", "-")


def _choose_word(column: Column, voters: Voters) -> tuple[str, float]:
    ballots: defaultdict[str, float] = defaultdict(float)
    seen = _find_seen(column, voters)
    for number, token in column.cells.items():
        copy = voters.copies[number]
        weight = copy.trust * log_odds(1, copy.rates.wrong)
        if token.word in seen:
            ballots[token.word] += weight
            continue
        ballots[token.word] += weight * _BLIND_VOTE
        meant = {other.word for other in column.cells.values() if other.key == token.key and other.word in seen}
        if len(meant) == 1:
            ballots[meant.pop()] += weight * (1 - _BLIND_VOTE)
    if len(ballots) == 1:
        return next(iter(ballots)), 1.0
    groups: dict[str, list[str]] = {}
    for word in sorted(ballots):
        groups.setdefault(_strip_marks(word), []).append(word)
    scores = {}
    for letters, group in groups.items():
        credit = max(_measure_credit(word, voters.language) * (word in seen) for word in group)
        slip = _SLIP_COST * _is_slip(group, seen, voters.language)
        scores[letters] = sum(ballots[word] for word in group) + credit - slip
    group = groups[max(scores, key=lambda letters: (scores[letters], letters))]
    parts = {number: token.word for number, token in column.cells.items() if token.word in group}
    return _choose_marks(parts, voters), sum(ballots[word] for word in group) / sum(ballots.values())


def _find_seen(column: Column, voters: Voters) -> set[str]:
    """Return the words of a column without those whose copy cannot write the letters that another copy has in one.

    A copy cannot write a letter that it has nowhere in its text. A word with letters that were restored from another
    copy counts if no copy has written it in another way.
    """
    written: dict[str, set[str]] = {}
    for number, token in column.cells.items():
        if voters.letters[number].issuperset(_BEYOND_ASCII.findall(token.word.lower())):
            written.setdefault(token.key, set()).add(token.word)
    seen = set()
    for number, token in column.cells.items():
        same = written.get(token.key, set())
        lacking = any(_lacks_letters(token.word.lower(), one.lower(), voters.letters[number]) for one in same)
        if not lacking and (token.word in same or not same):
            seen.add(token.word)
    return seen


def _lacks_letters(word: str, other: str, letters: frozenset[str]) -> bool:
    """Return whether a word is another one without accents, or with ss for ß, of letters that its copy has nowhere."""
    plain = other if "ß" in letters else other.replace("ß", "ss")
    if word == other or len(word) != len(plain):
        return False
    lost = [(mine, theirs) for mine, theirs in zip(word, plain, strict=True) if mine != theirs]
    return letters.isdisjoint(theirs for _, theirs in lost) and all(
        mine == normalize("NFD", theirs)[0].translate(STROKES) for mine, theirs in lost
    )


def _is_slip(group: Sequence[str], seen: Collection[str], language: str | None) -> bool:
    """Return whether the words look like one of those ``seen`` that is far more frequent in the language."""
    limit = _RARER * max(frequency(word, language) for word in group)
    shapes = {ocr_shape(word) for word in group}
    others = (other for other in seen if other not in group and ocr_shape(other) in shapes)
    return any(frequency(other, language) > limit for other in others)


@lru_cache(maxsize=1 << 12)
def _strip_marks(word: str) -> str:
    return "".join(filter(is_of_word, word)) or _fold_marks(word)


@lru_cache(maxsize=1 << 12)
def _measure_credit(word: str, language: str | None) -> float:
    """Return the natural log-odds of a spelling by itself, at most a little less than those of a second copy."""
    share = frequency(word, language)
    credit = _KNOWN + 0.1 * log(share * 1e6) if share else 0.0
    credit += _ACCENTED * (not word.isascii())
    cost = _BROKEN * (_LOST in word) + _TRACKED_COST * bool(_TRACKED.search(word))
    return min(_MOST_CREDIT, credit) - cost


def _choose_marks(parts: dict[int, str], voters: Voters, *, at_end: bool = False) -> str:
    """Return the likeliest of texts that differ in marks: inside a text, a mark is lost more often than added.

    Around a text (``at_end``) sources add all but question marks.
    """
    if len(set(parts.values())) == 1:
        return next(iter(parts.values()))
    if any(_LOST not in part for part in parts.values()):
        parts = {number: part.replace(_LOST, "") for number, part in parts.items()}
    counts = {number: sum(not is_of_word(letter) for letter in _fold_marks(part)) for number, part in parts.items()}
    most = max(counts.values())
    fullest = {number for number, count in counts.items() if count == most}
    alike = len({_fold_marks(parts[number]) for number in fullest}) == 1
    added = at_end and len({sum(map(part.count, _ASKING)) for part in parts.values()}) == 1
    trusts = trust_about_marks(fullest if alike and not added else (), counts.keys() - fullest, voters.copies)
    ballots: defaultdict[str, float] = defaultdict(float)
    for number, part in parts.items():
        rates = voters.copies[number].rates
        full = number in fullest
        weight = log_odds(1, rates.added_mark) if full else log_odds(1 - rates.added_mark, rates.lost_mark)
        ballots[part] += trusts[number] * weight
    return _choose_most_voted(ballots, voters.style, _find_unrestyled(parts, voters))


def _choose_most_voted(ballots: Mapping[str, float], style: _Sides, unrestyled: frozenset[str]) -> str:
    """Return the choice with the most votes, its variants of style counted together, in the preferred style."""
    groups: dict[str, list[str]] = {}
    for choice in sorted(ballots):
        groups.setdefault(_fold_marks(choice), []).append(choice)
    scores = {plain: sum(ballots[one] for one in group) for plain, group in groups.items()}
    group = groups[max(scores, key=lambda plain: (scores[plain], len(plain), plain))]

    def count_fitting(choice: str) -> int:
        return sum(wanted * side for wanted, side in zip(style, count_sides(choice), strict=True))

    return max(group, key=lambda one: (one in unrestyled, count_fitting(one), ballots[one], one))


def _find_unrestyled(parts: Mapping[int, str], voters: Voters) -> frozenset[str]:
    """Return the parts of the most trusted copies that have a disputed kind of mark in both styles.

    These were not restyled: that makes a text uniform.
    """
    if not any(voters.mixers):
        return frozenset()
    taken = [set(kind) for kind in zip(*map(count_sides, parts.values()), strict=True)]
    numbers = set().union(*(who for who, side in zip(voters.mixers, taken, strict=True) if len(side) > 1))
    trusts = {number: voters.copies[number].trust for number in parts}
    numbers &= {number for number, trust in trusts.items() if trust == max(trusts.values())}
    return frozenset(part for number, part in parts.items() if number in numbers)
