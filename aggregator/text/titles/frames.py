"""Learn the decoration that listings put around the titles of a show.

One listing has ``This week on Example Cast: X``, another ``X``. No list of phrases has every such frame, but a listing
repeats its own. A frame is decoration only if the titles of the listing are as different from each other without it:
``Race 1: Harbour`` and ``Race 2: Harbour`` keep their frames, and so does ``Inside: X`` where ``X`` is listed, too.
A frame that names a re-run, an extra or a part is never decoration.

Most frames end in a mark (a colon, a bar, a bracket) and are repeated. Words without a mark ("We talk about X",
"X is out") are decoration if another listing has such a title without them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from aggregator.text.fold import fold
from aggregator.text.titles.markers import EDGE, find_part, find_tag, strip_numbers

MIN_TITLES = 3
"""Titles of a listing that show what it adds to them, at least."""

MIN_SHARE = 0.1
"""The same as a share of its titles."""

MAX_TITLES = 1000
"""Titles of a listing that are examined, evenly spaced."""

_DEEPEST = 3  # breaks from either end that are examined
_BREAK = re.compile(
    r"\s-\s|\s?\|\s?|:\s|\s[~•»]\s|[\])】]\s?|(?<=[^\W\d_])-(?=\w)|\s(?=#?\d{1,4}\b)|(?<=[^\W\d_])(?=\d{1,4}[\s:])"
)
_OPEN = re.compile(r"\s-\s|\s?\|\s?|\s[~•«]\s|\s?[\[(【]|:\s")
_SPACE = re.compile(r"\s")
_WIDEST = 80  # characters of a frame without a mark, at most
_CONTRASTED = 2  # titles of a listing that must have words without a mark
_TELLING = 8  # characters of a title that another listing has without them
_WORDS = 5  # words without a mark, at most
_COUNTED = re.compile(r"#?(\d{1,5})(?!\.\d)[\s:.\-]+(?=\S)")  # "3.5.0" is not item 3


_Carriers = defaultdict[tuple[str, bool], defaultdict[int, list[str]]]
_Candidate = tuple[str, bool, dict[int, list[str]]]  # a frame, whether it leads, the titles that have it by listing


class Frames(NamedTuple):
    """Frames of a listing, folded: ``before`` and ``after`` a title with a mark; ``heads`` and ``tails`` without.

    ``alone`` are those that stand beside nothing but a number or part.
    """

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    tails: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()

    def has(self, words: str) -> bool:
        """Return whether folded words are a frame."""
        return any(words in kept for kept in self)

    def strip(self, text: str) -> tuple[str, tuple[int, ...], tuple[str, ...]]:
        """Return the text without its longest frames, the number behind the first one, and both frames, folded."""
        numbers: tuple[int, ...] = ()
        head = next((cut for cut in _find_head_cuts(text) if fold(text[:cut]) in self.before), 0) if self.before else 0
        head = head or self._find_words(text, self.heads, leads=True)
        rest = text[head:]
        if head and (match := _COUNTED.match(rest)):
            numbers, rest = (int(match[1]),), rest[match.end() :]
        cut = next((cut for cut in _find_tail_cuts(rest) if fold(rest[cut:]) in self.after), 0) if self.after else 0
        cut = cut or self._find_words(rest, self.tails, leads=False) or len(rest)
        rest, tail = rest[:cut], rest[cut:]
        own = rest.strip(EDGE)
        return (own, numbers, (fold(text[:head]), fold(tail))) if own else (text, numbers, ())

    @staticmethod
    def _find_words(text: str, frames: AbstractSet[str], *, leads: bool) -> int:
        """Return where the longest of some frames without a mark ends (``leads``) or begins; 0 without one."""
        blanks = [match.start() for match in _SPACE.finditer(text[:_WIDEST] if leads else text)] if frames else []
        if leads:
            return next((at + 1 for at in reversed(blanks) if at + 1 < len(text) and fold(text[:at]) in frames), 0)
        return next((at for at in blanks if at > 0 and len(text) - at < _WIDEST and fold(text[at:]) in frames), 0)

    def add(self, frame: str, *, leads: bool, marked: bool = True) -> Frames:
        """Return the frames and one more."""
        if marked:
            return self._replace(before=self.before | {frame}) if leads else self._replace(after=self.after | {frame})
        return self._replace(heads=self.heads | {frame}) if leads else self._replace(tails=self.tails | {frame})

    def drop(self, frames: AbstractSet[str]) -> Frames:
        """Return the frames without some."""
        return Frames(*(kept - frames for kept in self))


NO_FRAMES = Frames()


def mine_frames(listings: Sequence[Sequence[str]], repeated: AbstractSet[str] = frozenset()) -> Frames:
    """Return the decoration in lists of titles, one for each listing of a show, whose numbers are removed.

    A frame that a listing needs to tell its titles apart is no decoration; titles in ``repeated`` do not count.

    >>> mine_frames([[f"Hear this: {word}" for word in ("bread", "harbour", "copper")], ["bread"]]).before
    frozenset({'hear this'})
    >>> mine_frames([["Race 1: Bay", "Race 2: Bay", "Race 1: Ford", "Race 2: Ford"]]).before
    frozenset()
    """
    lists = [sorted(set(titles)) for titles in listings]
    lists = [texts[:: len(texts) // MAX_TITLES + 1] for texts in lists]
    frames = Frames()
    again = {_fold_core(text, frames) for text in repeated}
    every = {text: _fold_core(text, frames) for text in set().union(*lists)}  # most sources list the same titles
    cores = [{text: every[text] for text in texts} for texts in lists]
    frames, cores = _try_frames(frames, cores, again, _find_common(lists), marked=True)
    return _try_frames(frames, cores, again, _find_contrasts(cores), marked=False)[0]


def _try_frames(
    frames: Frames,
    cores: list[dict[str, str]],
    again: AbstractSet[str],
    candidates: Iterable[_Candidate],
    *,
    marked: bool,
) -> tuple[Frames, list[dict[str, str]]]:
    """Return the frames with the candidates that no listing needs, and the cores of all titles without these."""
    for frame, leads, carriers in candidates:
        wider = frames.add(frame, leads=leads, marked=marked)
        after = [{**cores[at], **{text: _fold_core(text, wider) for text in texts}} for at, texts in carriers.items()]
        if all(_stay_distinct(new, cores[at], again) for at, new in zip(carriers, after, strict=True)):
            frames = wider
            for at, new in zip(carriers, after, strict=True):
                cores[at] = new
    return frames, cores


def _find_contrasts(cores: Sequence[dict[str, str]]) -> list[_Candidate]:
    """Return words before or after titles of a listing without which another listing has one of these titles.

    The other listing must never have these words.
    """
    where: defaultdict[str, set[int]] = defaultdict(set)
    carriers: _Carriers = defaultdict(lambda: defaultdict(list))
    for at, own in enumerate(cores):
        for text, core in own.items():
            where[core].add(at)
            for frame, leads in _list_word_ends(core):
                carriers[frame, leads][at].append(text)

    def is_contrasted(frame: str, *, leads: bool) -> bool:
        by = carriers[frame, leads]
        more = [cores[at][text] for at, texts in by.items() if len(texts) >= _CONTRASTED for text in texts]
        rests = (core[len(frame) + 1 :] if leads else core[: -len(frame) - 1] for core in more)
        return any(len(rest) >= _TELLING and not where.get(rest, set()) <= by.keys() for rest in rests)

    return _rank({end: by for end, by in carriers.items() if is_contrasted(end[0], leads=end[1])})


def _list_word_ends(core: str) -> Iterator[tuple[str, bool]]:
    """Yield the first and the last words of a core, and whether they stand before the rest."""
    words = core.split()
    for size in range(1, min(_WORDS, len(words) - 1) + 1):
        yield " ".join(words[:size]), True
        yield " ".join(words[-size:]), False


def _stay_distinct(new: dict[str, str], old: dict[str, str], repeated: AbstractSet[str]) -> bool:
    """Return whether all titles keep words of their own, and as many of them are different as before.

    Repeated ones do not count: "New: Letters" and "Now: Letters" are a weekly title.
    """
    own = {text: core for text, core in new.items() if core not in repeated}
    values = set(own.values())
    return len(values) >= len({old[text] for text in own}) and ("" not in values or "" in old.values())


def _find_common(lists: Sequence[Sequence[str]]) -> list[_Candidate]:
    """Return the frames with a mark that enough titles of a listing have."""
    carriers: _Carriers = defaultdict(lambda: defaultdict(list))
    ends = {
        text: {(fold(text[:cut]), True) for cut in _find_head_cuts(text)}
        | {(fold(text[cut:]), False) for cut in _find_tail_cuts(text)}
        for text in set().union(*lists)
    }
    for at, texts in enumerate(lists):
        for text in texts:
            for end in ends[text]:
                carriers[end][at].append(text)
    return _rank(
        {
            end: by
            for end, by in carriers.items()
            if any(len(texts) >= max(MIN_TITLES, MIN_SHARE * len(lists[at])) for at, texts in by.items())
        }
    )


def _rank(carriers: Mapping[tuple[str, bool], dict[int, list[str]]]) -> list[_Candidate]:
    """Return the frames that may be decoration, the most common first, then the longest."""
    found = [(frame, leads, by) for (frame, leads), by in carriers.items() if _is_decorative(frame)]
    return sorted(found, key=lambda one: (-sum(map(len, one[2].values())), -len(one[0]), one[0], one[1]))


def _is_decorative(frame: str) -> bool:
    """Return whether a frame may be decoration: it is not empty, has no number, and names no re-run, extra or part."""
    if not frame or any(letter.isdigit() for letter in frame) or find_tag(frame) or find_tag(f"x ({frame})"):
        return False
    return find_part(f"{frame} 2: x")[0] is None


def _fold_core(text: str, frames: Frames) -> str:
    """Return the folded words of a text without frames, numbers and part; empty where no word is left."""
    core = fold(strip_numbers(find_part(frames.strip(text)[0])[1])[0])
    return core if any(letter.isalpha() for letter in core) else ""


def _find_head_cuts(text: str) -> list[int]:
    """Return where a frame before the title may end, the longest first; never at the end of the text."""
    cuts = [match.end() for match in _BREAK.finditer(text)]
    return [cut for cut in cuts[:_DEEPEST] if 0 < cut < len(text)][::-1]


def _find_tail_cuts(text: str) -> list[int]:
    """Return where a frame after the title may begin, the longest first; never at the start of the text."""
    cuts = [match.start() for match in _OPEN.finditer(text) if match.start() > 0]
    return cuts[-_DEEPEST:]
