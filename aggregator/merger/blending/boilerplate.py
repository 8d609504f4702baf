"""Learn and strip boilerplate: words that one source adds at the head or tail of many texts and the others lack.

No phrase is built in. A run of words is boilerplate if, over many items, it is at an end of one copy while the other
copies of the same item lack it, and copies hardly ever share it: what an author writes under every text is in all
copies, what a site adds is in its own. Whole runs and triples of words are counted: runs tell exactly where the text
ends, triples also recognise a run that is damaged or stands behind another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from msgspec import Struct, field
from rapidfuzz import fuzz

from aggregator.merger.blending.copies import PreparedCopy
from aggregator.text import truncation
from aggregator.text.tokens import tokenise

HEAD, TAIL = "\x02", "\x03"
_LEAST_ALONE = 3  # items in which one copy alone must have a phrase; at two, repetitions by chance count
_MOST_SHARED = 0.35  # of these, the share in which other copies may have it
_LONGEST = 60  # tokens; longer runs are text that the others lack, no longer boilerplate was seen
_ENDING = 3  # last words of a text, by which it is found in another one
_JOINT = 2  # triples across the joint of two phrases, which are unknown
_SAME = 80.0  # likeness (0 to 100) of a run and of what damage left of it
_LONGEST_DAMAGED = 200  # characters of a run that is compared so
_MOST_PHRASES = 200_000  # that are counted

_Line = tuple[str, ...]
"""The words of a copy, every number as #."""


class BoilerplateLearner(Struct):
    """Counts of runs and triples of keys at the ends of copies: in one copy only, and in several of one item."""

    alone: Counter[str] = field(default_factory=Counter)
    shared: Counter[str] = field(default_factory=Counter)
    runs: Counter[str] = field(default_factory=Counter)

    def add(self, copies: Sequence[PreparedCopy]) -> None:
        """Count the runs and triples of the copies of one item."""
        if len(copies) < 2:  # noqa: PLR2004 - without another copy that may lack it
            return
        lines = [_list_keys(copy) for copy in copies]
        inside = _list_triples(lines)
        several = _find_shared_triples(inside.values())
        tails = _find_shared_tails(lines, [line for line, copy in zip(lines, copies, strict=True) if not copy.cut])
        heads = _find_shared_heads(lines)
        self.runs.update(_make_phrase(tail, TAIL) for tail in tails)
        self.runs.update(_make_phrase(head, HEAD) for head in heads)
        ends = chain(map(_list_tail_triples, tails), map(_list_head_triples, heads))
        common = self._add_shared(copies, lines, inside).difference(*ends)
        for number, line in enumerate(lines):
            has_uncut_other = any(not copy.cut for other, copy in enumerate(copies) if other != number)
            for side, triples in _list_edge_triples(line).items():
                alone = _count_alone(triples, several) if lines.count(line) == 1 else 0
                self.shared.update(triple for triple in triples if triple in common)
                run = line[max(0, len(line) + 1 - alone) :] if side == TAIL else line[: max(0, alone - 1)]
                if has_uncut_other and not any(_has_run(other, run) for at, other in enumerate(lines) if at != number):
                    self.alone.update(triples[: max(0, alone - _JOINT)])
                    if 0 < len(run) < min(_LONGEST, len(line) - 1):
                        self.runs[_make_phrase(run, side)] += 1
        if self._count_phrases() > _MOST_PHRASES:
            self._drop_rarest()

    def _add_shared(
        self, copies: Sequence[PreparedCopy], lines: Sequence[_Line], inside: Mapping[_Line, set[str]]
    ) -> set[str]:
        """Return the triples that most of the uncut copies have; count the outermost word if all of them have it.

        Most, because two copies of four with the same tail may be one page and its mirror.
        """
        uncut = [line for line, copy in zip(lines, copies, strict=True) if line and not copy.cut]
        if len(uncut) < 2:  # noqa: PLR2004 - one copy shares nothing
            return set()
        for edge, at in ((HEAD, 0), (TAIL, -1)):
            outermost = {line[at] for line in uncut}
            if len(outermost) == 1:
                self.shared[_make_phrase([*outermost], edge)] += 1
        counts = Counter(chain.from_iterable(inside[line] for line in uncut))
        return {triple for triple, count in counts.items() if count > 1 and 2 * count > len(uncut)}

    def _drop_rarest(self) -> None:
        """Drop the rarest phrases until half of the room is free: memory stays bounded."""
        least = 1
        while self._count_phrases() > _MOST_PHRASES // 2:
            for counts in (self.alone, self.shared, self.runs):
                for phrase in [phrase for phrase, count in counts.items() if count <= least]:
                    del counts[phrase]
            least *= 2

    def _count_phrases(self) -> int:
        return len(self.alone) + len(self.shared) + len(self.runs)

    def find_phrases(self) -> frozenset[str]:
        """Return the runs and triples that are boilerplate, as strings that can be stored."""
        triples = {
            triple
            for triple, count in self.alone.items()
            if count >= _LEAST_ALONE and self.shared[triple] < _MOST_SHARED * count
        }
        runs = self._select_runs(self.runs)
        return frozenset(triples | runs | self._select_runs(_find_inner_runs(self.runs, runs)))

    def _select_runs(self, runs: Mapping[str, int]) -> set[str]:
        """Return the runs that one copy alone had often enough and that are hardly ever shared."""
        return {run for run, count in runs.items() if count >= _LEAST_ALONE and self._is_rarely_shared(run, count)}

    def _is_rarely_shared(self, run: str, count: int) -> bool:
        """Return whether a run is shared rarely compared with ``count``, by the rarest of its triples."""
        words = run.split(" ")
        if len(words) < 3:  # noqa: PLR2004 - one word and its edge
            return self.shared[run] < _MOST_SHARED * count
        rarest = min(self.shared[" ".join(words[i : i + 3])] for i in range(len(words) - 2))
        return rarest < _MOST_SHARED * count


def _has_run(line: _Line, run: _Line) -> bool:
    """Return whether a line has the words of a run somewhere, side by side, or near an end, each damaged or not."""
    first, size = run[:1], len(run)
    if any(line[at : at + size] == run for at, word in enumerate(line) if (word,) == first):
        return True
    words = " ".join(run)
    if size == 1 or len(words) > _LONGEST_DAMAGED:
        return False
    most = 3 * _LONGEST_DAMAGED
    ends = " ".join(line[: size + _LONGEST])[:most], " ".join(line[-size - _LONGEST :])[-most:]
    return any(len(end) >= len(words) and fuzz.partial_ratio(words, end) >= _SAME for end in ends)


def _find_shared_tails(lines: Sequence[_Line], whole: Sequence[_Line]) -> set[_Line]:
    """Return the tails that several lines have where one of the ``whole`` lines ends.

    A tail with a number is left to the author: "| Part 3", "(412)".
    """
    tails: set[_Line] = set()
    for shorter in set(whole):
        counts = Counter(filter(None, (_find_tail(shorter, line) for line in lines)))
        tails.update(tail for tail, count in counts.items() if count > 1 and "#" not in "".join(tail))
    return tails


def _find_shared_heads(lines: Sequence[_Line]) -> set[_Line]:
    """Return the heads that several lines have where another one begins; a cut one has its beginning."""
    backwards = [line[::-1] for line in lines]
    return {head[::-1] for head in _find_shared_tails(backwards, backwards)}


def _find_tail(shorter: _Line, line: _Line) -> _Line:
    """Return the words, two and more, that a line has behind the last ones of a shorter one; none if it ends alike."""
    last = shorter[-_ENDING:]
    if line[-len(last) :] == last:
        return ()
    first = 0 if shorter == last else max(0, len(line) - _LONGEST - _ENDING)
    places = range(len(line) - len(last) - 1, first, -1) if len(last) == _ENDING else range(1)
    end = next((at + len(last) for at in (*places, first) if line[at : at + len(last)] == last), len(line))
    return line[end:] if 1 < len(line) - end <= _LONGEST else ()


def _list_tail_triples(tail: _Line) -> set[str]:
    return set(_make_triples(tail, head=""))


def _list_head_triples(head: _Line) -> set[str]:
    return set(_make_triples(head, tail=""))


def _find_inner_runs(runs: Mapping[str, int], known: set[str]) -> Counter[str]:
    """Return the counts of runs between the text and a known run: "21 min" before a site's own words."""
    inner: Counter[str] = Counter()
    for run, count in runs.items():
        words = run.split(" ")
        if words[0] == HEAD:
            size = next((at for at in range(len(words) - 1, 1, -1) if " ".join(words[:at]) in known), 0)
            rest = _make_phrase(words[size:], HEAD) if size else ""
        else:
            size = next((at for at in range(1, len(words) - 1) if " ".join(words[at:]) in known), 0)
            rest = _make_phrase(words[:size], TAIL) if size else ""
        if rest:
            inner[rest] += count
    return inner


def strip_boilerplate(copies: Sequence[PreparedCopy], phrases: frozenset[str]) -> None:
    """Remove known boilerplate from the ends of each copy, where another copy of the item lacks it."""
    if not phrases or len(copies) < 2:  # noqa: PLR2004 - without another copy that may lack it
        return
    lines = [_list_keys(copy) for copy in copies]
    bounds = [
        _find_bounds(line, phrases, cut=copy.cut or truncation.ends_in_dots(copy.text))
        for copy, line in zip(copies, lines, strict=True)
    ]
    if all(found == (0, len(line)) for found, line in zip(bounds, lines, strict=True)):
        return
    inside = _list_triples(lines)
    for number, (copy, line) in enumerate(zip(copies, lines, strict=True)):
        others = [other for at, other in enumerate(lines) if at != number]
        start, end = (0, len(line)) if copy.keep else bounds[number]
        if start and not _is_lacked(line[:start], HEAD, others, inside):
            start = 0
        if end < len(line) and not _is_lacked(line[end:], TAIL, others, inside):
            end = len(line)
        if start or end < len(line):
            _keep_tokens(copy, start, end)


def _keep_tokens(copy: PreparedCopy, start: int, end: int) -> None:
    """Reduce a copy to the tokens of a stretch, which may now end in the mark of a cut."""
    behind = end < len(copy.tokens)
    copy.tokens = copy.tokens[start:end]
    copy.text = "".join(token.gap + token.surface for token in copy.tokens).strip()
    if behind:
        uncut = truncation.strip_cut_mark(copy.text)
        copy.cut = uncut.cut
        if uncut.cut:
            copy.text = truncation.strip_torn_word(uncut.text) if uncut.torn else uncut.text
            copy.tokens = tokenise(copy.text)


def _is_lacked(run: _Line, edge: str, others: Sequence[_Line], inside: Mapping[_Line, set[str]]) -> bool:
    """Return whether another line has no triple of the run at an edge, or lacks its single word."""
    if len(run) == 1:
        return any(run[0] not in line for line in others)
    triples = set(_make_triples(run, head="" if edge == TAIL else HEAD, tail="" if edge == HEAD else TAIL))
    return any(triples.isdisjoint(inside[line]) for line in others)


def _find_bounds(line: Sequence[str], phrases: frozenset[str], *, cut: bool) -> tuple[int, int]:
    """Return where the text begins and ends without boilerplate; a ``cut`` text may end in the beginning of some."""
    start, end = 0, len(line)
    while True:
        left = line[start:end]
        ends = left[-_LONGEST - _JOINT :][::-1], left[: _LONGEST + _JOINT]
        tail = max(_find_longest_run(left, phrases, TAIL), _measure_reach([*ends[0], HEAD], phrases, TAIL))
        tail = tail or (_find_begun_run(left, phrases) if cut else 0)
        head = max(_find_longest_run(left, phrases, HEAD), _measure_reach([*ends[1], TAIL], phrases, HEAD))
        if 0 < tail < len(left) - 1:
            end -= tail
        elif 0 < head < len(left) - 1:
            start += head
        else:
            return start, end


def _find_longest_run(line: Sequence[str], phrases: frozenset[str], edge: str) -> int:
    """Return the length of the longest known run at an edge."""
    outermost = line[-1 if edge == TAIL else 0] if line else ""
    for size in _index_sizes(phrases).get((edge, outermost), ()):
        if size < len(line) and _make_phrase(line[-size:] if edge == TAIL else line[:size], edge) in phrases:
            return size
    return 0


def _find_begun_run(line: Sequence[str], phrases: frozenset[str]) -> int:
    """Return the length of the longest beginning (two words and more) of a known tail at the end of a cut text."""
    beginnings = _index_beginnings(phrases)
    most = min(_LONGEST, len(line) - 1)
    return next((size for size in range(most, 1, -1) if " ".join(line[-size:]) in beginnings), 0)


@lru_cache(maxsize=8)
def _index_beginnings(phrases: frozenset[str]) -> frozenset[str]:
    """Return the beginnings of the known tails, of two words and more."""
    tails = [phrase.split(" ")[:-1] for phrase in phrases if phrase.endswith(TAIL)]
    return frozenset(" ".join(words[:size]) for words in tails for size in range(2, len(words)))


@lru_cache(maxsize=8)
def _index_sizes(phrases: frozenset[str]) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return the lengths of the known runs, the longest first, by edge and outermost word."""
    sizes: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for phrase in phrases:
        words = phrase.split(" ")
        if words[0] == HEAD:
            sizes[HEAD, words[1]].add(len(words) - 1)
        if words[-1] == TAIL:
            sizes[TAIL, words[-2]].add(len(words) - 1)
    return {outermost: tuple(sorted(found, reverse=True)) for outermost, found in sizes.items()}


def _measure_reach(line: Sequence[str], phrases: frozenset[str], edge: str) -> int:
    """Return how many tokens from the edge inward are made of known triples."""
    padded = [edge, *line[: _LONGEST + _JOINT]]
    reach = misses = 0
    for i in range(len(padded) - 2):
        triple = padded[i : i + 3]
        if " ".join(triple if edge == HEAD else reversed(triple)) in phrases:
            reach, misses = i + 2, 0
            continue
        misses += 1
        if misses > _JOINT or not reach:
            break
    return reach


def _find_shared_triples(inside: Iterable[set[str]]) -> set[str]:
    """Return the triples that are in several sets."""
    every: set[str] = set()
    several: set[str] = set()
    for triples in inside:
        several |= every & triples
        every |= triples
    return several


def _count_alone(triples: Sequence[str], several: set[str]) -> int:
    """Return how many triples from the edge inward no other copy has; 0 if none of them is shared."""
    return next((count for count, triple in enumerate(triples) if triple in several), 0)


def _make_phrase(words: Sequence[str], edge: str) -> str:
    return " ".join((*words, TAIL) if edge == TAIL else (HEAD, *words))


def _list_edge_triples(line: Sequence[str]) -> dict[str, list[str]]:
    """Return the triples from the tail inward, and from the head inward."""
    tail = list(_make_triples(line[-_LONGEST:], head=HEAD if len(line) <= _LONGEST else ""))
    return {TAIL: tail[::-1], HEAD: list(_make_triples(line[:_LONGEST], tail=TAIL if len(line) <= _LONGEST else ""))}


def _list_triples(lines: Iterable[_Line]) -> dict[_Line, set[str]]:
    """Return the triples of each line."""
    return {line: set(_make_triples(line)) for line in dict.fromkeys(lines)}


def _make_triples(line: Sequence[str], head: str = HEAD, tail: str = TAIL) -> Iterator[str]:
    padded = [*filter(None, [head]), *line, *filter(None, [tail])]
    return map(" ".join, zip(padded, padded[1:], padded[2:], strict=False))


def _list_keys(copy: PreparedCopy) -> _Line:
    return tuple([token.unnumbered for token in copy.tokens])
