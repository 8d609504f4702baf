"""What the titles of one listing have in common before and after their own words: decoration, learned per listing.

``This week on Example Cast: X`` beside ``X`` elsewhere: no list of phrases can hold every such frame, but a listing
repeats its own. A frame is decoration only where taking it off leaves the listing's titles as different from one
another as they were: ``Race 1: Harbour`` and ``Race 2: Harbour`` keep their frames, and so does ``Inside: X`` where
``X`` is listed too. A frame that names a re-run, an extra or a part is never decoration.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from aggregator.text.fold import fold
from aggregator.text.titles.numbers import EDGE, undressed
from aggregator.text.titles.parts import part_of
from aggregator.text.titles.tags import tag_of

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

    def strip(self, text: str) -> tuple[str, tuple[int, ...]]:
        """The text without its longest frame on either side, and the number that a frame before it counts with."""
        numbers: tuple[int, ...] = ()
        head = self._head(text) if self.before else 0
        rest = text[head:]
        if head and (met := _COUNTED.match(rest)):
            numbers, rest = (int(met[1]),), rest[met.end() :]
        if self.after:
            rest = rest[: next((cut for cut in _tails(rest) if fold(rest[cut:]) in self.after), len(rest))]
        return rest.strip(EDGE) or text, numbers

    def _head(self, text: str) -> int:
        """Where the longest frame before the text ends, 0 where there is none; its mark may be lost."""
        for cut in _heads(text):
            if fold(text[:cut]) in self.before:
                return cut
        longest = 0
        for met in _SPACE.finditer(text[:_WIDEST]):
            if met.end() < len(text) and met.start() > 0 and fold(text[: met.start()]) in self.wordy:
                longest = met.end()
        return longest

    @property
    def wordy(self) -> frozenset[str]:
        """The frames before a title that are long enough to be known without the mark that ends them."""
        return frozenset(frame for frame in self.before if frame.count(" ") >= _WORDY)


NONE = Frames()


def learn(listings: Sequence[Sequence[str]]) -> Frames:
    """The frames that any listing of a show has in common, their numbers already taken off.

    A frame that one listing needs to tell its titles apart is nobody's decoration.

    >>> learn([[f"Hear this: {word}" for word in ("bread", "harbour", "copper")], ["bread"]]).before
    frozenset({'hear this'})
    >>> learn([["Race 1: Bay", "Race 2: Bay", "Race 1: Ford", "Race 2: Ford"]]).before
    frozenset()
    """
    lists = [sorted(set(titles)) for titles in listings]
    lists = [texts[:: len(texts) // _MOST + 1] for texts in lists]
    frames = Frames()
    every = {text: _core(text, frames) for text in set().union(*lists)}  # most sources list the same titles
    cores = [{text: every[text] for text in texts} for texts in lists]
    for frame, leads, carriers in _common(lists):
        wider = (
            Frames(frames.before | {frame}, frames.after) if leads else Frames(frames.before, frames.after | {frame})
        )
        after = [{**cores[at], **{text: _core(text, wider) for text in texts}} for at, texts in carriers.items()]
        if all(_distinct(new, cores[at]) for at, new in zip(carriers, after, strict=True)):
            frames = wider
            for at, new in zip(carriers, after, strict=True):
                cores[at] = new
    return frames


def _distinct(new: dict[str, str], old: dict[str, str]) -> bool:
    """Whether all titles keep words of their own and as many are different as before."""
    values = set(new.values())
    return len(values) >= len(set(old.values())) and ("" not in values or "" in old.values())


def _common(lists: Sequence[Sequence[str]]) -> list[tuple[str, bool, dict[int, list[str]]]]:
    """The frames that enough titles of a listing carry, with all titles that do, by listing.

    The most common stand first, and of equals the longer.
    """
    carriers: defaultdict[tuple[str, bool], defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    ends = {text: _ends(text) for text in set().union(*lists)}
    for at, texts in enumerate(lists):
        for text in texts:
            for end in ends[text]:
                carriers[end][at].append(text)
    found = []
    for (frame, leads), by in carriers.items():
        often = any(len(texts) >= max(_LEAST, _SHARE * len(lists[at])) for at, texts in by.items())
        if often and _decorative(frame):
            found.append((frame, leads, dict(by)))
    return sorted(found, key=lambda one: (-sum(map(len, one[2].values())), -len(one[0]), one[0], one[1]))


def _ends(text: str) -> set[tuple[str, bool]]:
    """What may be frames of a text, and whether they stand before the title."""
    before = {(fold(text[:cut]), True) for cut in _heads(text)}
    return before | {(fold(text[cut:]), False) for cut in _tails(text)}


def _decorative(frame: str) -> bool:
    """Whether a frame may be decoration at all: it has a word and no number, and names no re-run, extra or part."""
    if not frame or any(letter.isdigit() for letter in frame) or tag_of(frame) or tag_of(f"x ({frame})"):
        return False
    return part_of(f"{frame} 2: x")[0].number is None


def _core(text: str, frames: Frames) -> str:
    """The folded words that are left of a text, empty where only numbers and a part are."""
    core = fold(undressed(part_of(frames.strip(text)[0])[1])[0])
    return core if any(letter.isalpha() for letter in core) else ""


def _heads(text: str) -> list[int]:
    """Where a frame before the title may end, the longest first; something is left behind it."""
    cuts = [met.end() for met in _BREAK.finditer(text)]
    return [cut for cut in cuts[:_DEEPEST] if 0 < cut < len(text)][::-1]


def _tails(text: str) -> list[int]:
    """Where a frame after the title may begin, the longest first; something is left before it."""
    cuts = [met.start() for met in _OPEN.finditer(text) if met.start() > 0]
    return cuts[-_DEEPEST:]
