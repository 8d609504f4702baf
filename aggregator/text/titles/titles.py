"""Parse titles: their own words, season and numbers, part, re-run or extra; learn the decoration of a listing.

A number counts as an episode number only where it is marked as one ("#12", "Ep. 7", "S02E05", "447. X"); any other
digit belongs to the title's own words, so that "race 1" is not "race 2".

``This week on Example Cast: X`` beside ``X`` elsewhere: no list of phrases can hold every such frame, but a listing
repeats its own. A frame is decoration only where taking it off leaves the listing's titles as different from one
another as they were: ``Race 1: Harbour`` and ``Race 2: Harbour`` keep their frames, and so does ``Inside: X`` where
``X`` is listed too. A frame that names a re-run, an extra or a part is never decoration.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from aggregator.text.fold import fold, normalize
from aggregator.text.titles.markers import EDGE, find_part, find_release_stages, find_tag, strip_numbers

_LEAST = 3  # titles that must carry a frame
_SHARE = 0.1  # of the titles of a listing
_MOST = 1000  # titles that are looked at, evenly spaced: more teach nothing
_DEEPEST = 3  # breaks from either end that are looked at
_BREAK = re.compile(
    r"\s-\s|\s?\|\s?|:\s|\s[~•»]\s|[\])】]\s?|(?<=[^\W\d_])-(?=\w)|\s(?=#?\d{1,4}\b)|(?<=[^\W\d_])(?=\d{1,4}[\s:])"
)
_OPEN = re.compile(r"\s-\s|\s?\|\s?|\s[~•«]\s|\s?[\[(【]|:\s")
_SPACE = re.compile(r"\s")
_WIDEST = 80  # characters in which a frame is looked for
_WORDY = 2  # spaces of a frame that is known without its mark
_COUNTED = re.compile(r"#?(\d{1,5})(?!\.\d)[\s:.\-]+(?=\S)")  # "3.5.0" is no item 3


class Frames(NamedTuple):
    """The decoration of a listing, folded: what stands before and after a title's own words."""

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()

    def strip(self, text: str) -> tuple[str, tuple[int, ...], tuple[str, str]]:
        """Return the text without its longest frame on either side, the number behind the frame before it, and both
        frames, folded.
        """
        numbers: tuple[int, ...] = ()
        head = self._head(text) if self.before else 0
        rest, tail = text[head:], ""
        if head and (met := _COUNTED.match(rest)):
            numbers, rest = (int(met[1]),), rest[met.end() :]
        if self.after:
            cut = next((cut for cut in _tail_cuts(rest) if fold(rest[cut:]) in self.after), len(rest))
            rest, tail = rest[:cut], rest[cut:]
        own = rest.strip(EDGE)
        return (own, numbers, (fold(text[:head]), fold(tail))) if own else (text, numbers, ("", ""))

    def _head(self, text: str) -> int:
        """Return where the longest frame before the text ends, 0 where there is none; its mark may be lost."""
        for cut in _head_cuts(text):
            if fold(text[:cut]) in self.before:
                return cut
        longest = 0
        for met in _SPACE.finditer(text[:_WIDEST]):
            if met.end() < len(text) and met.start() > 0 and fold(text[: met.start()]) in self.wordy:
                longest = met.end()
        return longest

    def drop(self, frames: AbstractSet[str]) -> Frames:
        """Return the frames without some."""
        return Frames(self.before - frames, self.after - frames)

    @property
    def wordy(self) -> frozenset[str]:
        """The frames before a title that are long enough to be known without the mark that ends them."""
        return frozenset(frame for frame in self.before if frame.count(" ") >= _WORDY)


NO_FRAMES = Frames()


def _mine_frames(listings: Sequence[Sequence[str]], repeated: AbstractSet[str] = frozenset()) -> Frames:
    """Return the frames that any listing of a show has in common, their numbers already taken off.

    A frame that one listing needs to tell its titles apart is no decoration, but for titles that another repeats.

    >>> _mine_frames([[f"Hear this: {word}" for word in ("bread", "harbour", "copper")], ["bread"]]).before
    frozenset({'hear this'})
    >>> _mine_frames([["Race 1: Bay", "Race 2: Bay", "Race 1: Ford", "Race 2: Ford"]]).before
    frozenset()
    """
    lists = [sorted(set(titles)) for titles in listings]
    lists = [texts[:: len(texts) // _MOST + 1] for texts in lists]
    frames = Frames()
    again = {_fold_core(text, frames) for text in repeated}
    every = {text: _fold_core(text, frames) for text in set().union(*lists)}  # most sources list the same titles
    cores = [{text: every[text] for text in texts} for texts in lists]
    for frame, leads, carriers in _find_common(lists):
        wider = (
            Frames(frames.before | {frame}, frames.after) if leads else Frames(frames.before, frames.after | {frame})
        )
        after = [{**cores[at], **{text: _fold_core(text, wider) for text in texts}} for at, texts in carriers.items()]
        if all(_stay_distinct(new, cores[at], again) for at, new in zip(carriers, after, strict=True)):
            frames = wider
            for at, new in zip(carriers, after, strict=True):
                cores[at] = new
    return frames


def _stay_distinct(new: dict[str, str], old: dict[str, str], repeated: AbstractSet[str]) -> bool:
    """Return whether all titles keep words of their own and as many are different as before.

    Those that another listing repeats do not count: "New: Letters" and "Now: Letters" are a weekly title.
    """
    own = {text: core for text, core in new.items() if core not in repeated}
    values = set(own.values())
    return len(values) >= len({old[text] for text in own}) and ("" not in values or "" in old.values())


def _find_common(lists: Sequence[Sequence[str]]) -> list[tuple[str, bool, dict[int, list[str]]]]:
    """Return the frames that enough titles of a listing carry, with all titles that do, by listing.

    The most common stand first, and of equals the longer.
    """
    carriers: defaultdict[tuple[str, bool], defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    ends = {text: _list_ends(text) for text in set().union(*lists)}
    for at, texts in enumerate(lists):
        for text in texts:
            for end in ends[text]:
                carriers[end][at].append(text)
    found = []
    for (frame, leads), by in carriers.items():
        often = any(len(texts) >= max(_LEAST, _SHARE * len(lists[at])) for at, texts in by.items())
        if often and _is_decorative(frame):
            found.append((frame, leads, dict(by)))
    return sorted(found, key=lambda one: (-sum(map(len, one[2].values())), -len(one[0]), one[0], one[1]))


def _list_ends(text: str) -> set[tuple[str, bool]]:
    """Return what may be frames of a text, and whether they stand before the title."""
    before = {(fold(text[:cut]), True) for cut in _head_cuts(text)}
    return before | {(fold(text[cut:]), False) for cut in _tail_cuts(text)}


def _is_decorative(frame: str) -> bool:
    """Return whether a frame may be decoration: it has a word and no number, and names no re-run, extra or part."""
    if not frame or any(letter.isdigit() for letter in frame) or find_tag(frame) or find_tag(f"x ({frame})"):
        return False
    return find_part(f"{frame} 2: x")[0].number is None


def _fold_core(text: str, frames: Frames) -> str:
    """Return the folded words that are left of a text, empty where only numbers and a part are."""
    core = fold(strip_numbers(find_part(frames.strip(text)[0])[1])[0])
    return core if any(letter.isalpha() for letter in core) else ""


def _head_cuts(text: str) -> list[int]:
    """Return where a frame before the title may end, the longest first; something is left behind it."""
    cuts = [met.end() for met in _BREAK.finditer(text)]
    return [cut for cut in cuts[:_DEEPEST] if 0 < cut < len(text)][::-1]


def _tail_cuts(text: str) -> list[int]:
    """Return where a frame after the title may begin, the longest first; something is left before it."""
    cuts = [met.start() for met in _OPEN.finditer(text) if met.start() > 0]
    return cuts[-_DEEPEST:]


_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−－"), "-")
_LONGEST = 500  # characters of a title that are looked at; the longest of the fixtures has 402
_TEASER = 3  # words that a title must share with its description to be no title
_SENTENCE = re.compile(r"[.!?]\s+")
_DIGITS = re.compile(r"\d{1,9}")
_ROMANS = (
    *("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"),
    *("XI", "XII", "XIII", "XIV", "XV", "XVI", "XVII", "XVIII", "XIX", "XX"),
)
_ROMAN = re.compile(
    rf"(?<![A-Za-z0-9])(?:({'|'.join(sorted({*_ROMANS} - {'I', 'V', 'X'}, key=len, reverse=True))})(?!\w)|([IV])$)"
)


class Title(NamedTuple):
    """The typed pieces of a title.

    ``core`` is the folded rest once the show's name, decoration, numbers and part are gone (never empty where the
    title has a word); ``numbers`` are all episode numbers found, ascending; ``part`` and ``parts`` are 2 and 3 for
    "Part 2 of 3"; ``tag`` is ``replay``, ``companion``, ``bonus``, ``trailer`` or ``None``; ``digits`` are the
    numbers left in a core that has words, ascending, each as often as it stands there, then the stages of a
    release ("rc" of "3.5.0rc1", "final" of "3.5.0"). ``frames`` are the decoration that was taken off before and
    behind it, folded.
    """

    core: str
    season: int | None = None
    numbers: tuple[int, ...] = ()
    part: int | None = None
    parts: int | None = None
    tag: str | None = None
    digits: tuple[int | str, ...] = ()
    frames: tuple[str, str] = ("", "")


def parse_title(title: str, show: str = "", frames: Frames = NO_FRAMES) -> Title:
    """Return the typed pieces of a title, the show's own name and the listing's decoration taken off.

    >>> parse_title("Example Cast #40 - 252: Notes on Soup (Part 2)", "Example Cast")[:4]
    ('notes on soup', None, (40, 252), 2)
    >>> parse_title("Practice 3: race 1").digits
    (1, 3)
    >>> parse_title("Anvil 3.5.0 RC 2").digits
    (0, 2, 3, 5, 'rc')
    """
    text = _clean(title)
    part, rest = find_part(text)
    name = fold(show)
    rest, season, numbers = strip_numbers(rest, name)
    taken = ("", "")
    if frames != NO_FRAMES:
        rest, counted, taken = frames.strip(rest)
        rest, inner, further = strip_numbers(rest, name)
        numbers += counted + further
        season = inner if season is None else season
    core = fold(rest) or fold(text)
    worded = any(letter.isalpha() for letter in core)
    figures = sorted([*map(int, _DIGITS.findall(core)), *_roman_numbers(rest)])
    digits: tuple[int | str, ...] = (*figures, *find_release_stages(rest)) if worded else ()
    tag = find_tag(rest) or find_tag(text)
    return Title(core, season, tuple(sorted(set(numbers))), part.number, part.total, tag, digits, taken)


def learn_frames(listings: Sequence[Sequence[str]], show: str = "") -> Frames:
    """Return the decoration that the titles of a show have in common, given one list of titles for each listing."""
    name = fold(show)
    every = {title for titles in listings for title in titles}
    bare = {title: strip_numbers(find_part(_clean(title))[1], name)[0] for title in every}
    repeated = {bare[title] for titles in listings for title, times in Counter(titles).items() if times > 1}
    return _mine_frames([[bare[title] for title in titles] for titles in listings], repeated)


def _roman_numbers(text: str) -> list[int]:
    """Return the roman numbers of a title that is not all in capitals; I and V only at its end, X never."""
    found = [met[0] for met in _ROMAN.finditer(text)]
    shouted = bool(found) and not any(map(str.islower, text)) and any(map(str.isupper, _ROMAN.sub("", text)))
    return [] if shouted else [_ROMANS.index(number) + 1 for number in found]


def strip_teaser(title: str, description: str) -> str:
    """Return the title without a last segment that only begins the item's own description.

    >>> strip_teaser("Copper Kettle: In this one we look", "In this one we look at copper kettles.")
    'Copper Kettle'
    >>> strip_teaser("Copper Kettle: A History", "In this one we look at copper kettles.")
    'Copper Kettle: A History'
    """
    head, colon, tail = title.partition(": ")
    teaser = fold(tail)
    if not colon or teaser.count(" ") < _TEASER - 1 or not any(word.isalpha() for word in fold(head).split()):
        return title
    starts = [met.end() for met in _SENTENCE.finditer(description[:_LONGEST])][:2]
    return head if any(fold(description[at : at + _LONGEST]).startswith(teaser) for at in (0, *starts)) else title


def _clean(title: str) -> str:
    """Return a title in compatibility form with plain dashes and single spaces, at most 500 characters of it.

    Without a last ellipsis: a directory marks by it what it has cut, and it would hide a number before it.
    """
    plain = normalize("NFKC", title[:_LONGEST]).translate(_DASHES)
    return " ".join(plain.split()).removesuffix("...").rstrip() or title
