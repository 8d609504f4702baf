"""The copies of one text: repaired, weighed, tokenised, with the error rates of their sources."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from math import log

from msgspec import Struct, field
from msgspec.structs import fields, replace
from rapidfuzz import fuzz

from aggregator.merger.blending.cross_repair import (
    remove_page_additions,
    restore_case,
    restore_lost_letters,
    restore_misread_words,
)
from aggregator.merger.repair.fixers import RepairedText, repair_text
from aggregator.text.fold import fold
from aggregator.text.mojibake import detector
from aggregator.text.tokens import Token, tokenise


class Rates(Struct, frozen=True):
    """Probabilities for one copy: per word or mark of the text, and for the two ends of it.

    ``lost_word`` and ``lost_mark`` that one is missing; ``added_word`` and ``added_mark`` that a place holds one too
    many; ``wrong`` that a word is distorted; ``moved`` that a run stands in a wrong place; ``stuck`` that
    something is stuck to an end; ``short`` that a copy which looks whole ends early;
    ``restyled`` that its quotes and dashes were curled or straightened.
    """

    lost_word: float = 0.010
    added_word: float = 0.003
    lost_mark: float = 0.030
    added_mark: float = 0.003
    wrong: float = 0.020
    moved: float = 0.020
    stuck: float = 0.150
    short: float = 0.030
    restyled: float = 0.150

    def moreover(self, seen: Mapping[str, tuple[float, float]], strength: float) -> Rates:
        """These rates as ``strength`` earlier observations, with what was ``seen`` as (events, chances) added."""
        return replace(
            self,
            **{
                name: min(0.6, (getattr(self, name) * strength + events) / (strength + chances))
                for name, (events, chances) in seen.items()
            },
        )


DEFAULT_RATES = Rates()
RATE_NAMES = tuple(field.name for field in fields(Rates))


@lru_cache(maxsize=1 << 10)
def log_odds(likely: float, unlikely: float) -> float:
    """The weight of one observation in natural log-odds."""
    return log(likely / unlikely)


# What a kind of damage says about the rest of the copy (tuned on development shows; see docs/text.md).
_WEAR = {
    "mojibake": 0.10,
    "escape sequence": 0.02,
    "code page": 0.05,
    "entity": 0.02,
    "silent part": 0.02,
    "tag": 0.02,
    "foreign markup": 0.05,
    "quoted line": 0.1,
    "invisible": 0.02,
    "blank": 0.0,
    "letter form": 0.05,
    "link": 0.25,
    "escape": 0.08,
    "bold": 0.2,
    "bullet": 0.1,
    "hyphen": 0.25,
    "wrap": 0.0,
    "space": 0.1,
    "twice": 0.05,
    "look-alike": 0.2,
    "cut": 0.0,
    "torn word": 0.0,
}
FINISHED = tuple(".!?…)]}\"'”’»。！？」』）】")
_LEAST_SOUND = 0.12
# A tenth more trust outweighs two sound copies of less: (.8/.9)**6 is .49.
_TRUST_POWER = 6
# A source is trusted for what it says, not for what a transcription made of it: what is left of wrong decodings tells.
_ILLEGIBLE = 0.75


class Copy(Struct, frozen=True):
    """One copy of a text: whose it is, how far the source is trusted (0 to 1), whether it is known to be cut.

    ``wear`` are the causes of the changes it already went through (names of fixers), as evidence of its soundness;
    ``mended`` says that it went through all of them: a text that ``repair_text`` gave, blanks round it aside.
    ``keep`` says that its ends are text, whatever the other copies lack.
    """

    source: str
    text: str
    trust: float = 1.0
    cut: bool = False
    wear: tuple[str, ...] = ()
    mended: bool = False
    keep: bool = False


class PreparedCopy(Struct):
    """A copy at work: its tokens, whether it is cut, and the weight of its word in a vote."""

    source: str
    text: str
    cut: bool
    sound: float
    trust: float
    rates: Rates = DEFAULT_RATES
    keep: bool = False
    tokens: list[Token] = field(default_factory=list)
    seen: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The keys of the tokens."""
        return [token.key for token in self.tokens]

    @property
    def finished(self) -> bool:
        """Whether the text ends as a sentence does."""
        return bool(self.tokens) and self.tokens[-1].surface.endswith(FINISHED)

    @property
    def weight(self) -> float:
        """How much the witness's word weighs."""
        return self.sound * self.trust


def prepare_copies(copies: Sequence[Copy]) -> list[PreparedCopy]:
    """The witnesses that say anything, in an order that does not depend on that of the copies; not yet in tokens."""
    top = max((copy.trust for copy in copies), default=1.0) or 1.0
    called = []
    for copy in copies:
        mended = RepairedText(copy.text.strip(), copy.cut, ()) if copy.mended else repair_text(copy.text, cut=copy.cut)
        clear = _ILLEGIBLE if "\ufffd" in mended.text or detector.count_oddities(mended.text) else 1.0
        trust = (max(copy.trust, 0.01) * clear / top) ** _TRUST_POWER
        called.append(
            PreparedCopy(
                copy.source, mended.text, mended.cut, _measure_soundness(mended, copy.wear), trust, keep=copy.keep
            )
        )
    texts = restore_lost_letters(restore_misread_words(remove_page_additions([witness.text for witness in called])))
    for witness, text in zip(called, restore_case(texts, [witness.trust for witness in called]), strict=True):
        witness.text = text
    called.sort(key=lambda one: (-one.weight, one.source, one.text, one.cut, one.trust))
    return [witness for witness in called if witness.text.strip()]


def tokenise_copies(witnesses: list[PreparedCopy]) -> list[PreparedCopy]:
    """The same witnesses, each with the tokens of its text."""
    for witness in witnesses:
        witness.tokens = tokenise(witness.text)
    return witnesses


def trust_about_marks(
    having: Collection[int], lacking: Collection[int], witnesses: Sequence[PreparedCopy]
) -> list[float]:
    """Return how far each witness is trusted about a mark that some of them have and others lack.

    Marks are lost far oftener than invented, and two sources do not invent the same one. So where two sources and more
    have a mark that fewer sources lack, trust counts as the config gives it and not by its power.
    """
    sources = {witnesses[number].source for number in having}
    if len(sources) > max(1, len({witnesses[number].source for number in lacking})):
        return [witness.trust ** (1 / _TRUST_POWER) for witness in witnesses]
    return [witness.trust for witness in witnesses]


def _measure_soundness(mended: RepairedText, wear: Sequence[str] = ()) -> float:
    """How far a copy can be believed, from .12 to 1, by the kinds of damage that were met in it."""
    causes = [change.cause for change in mended.changes] + list(wear)
    loss = sum(_WEAR.get(cause, 0.1) for cause in set(causes))
    residue = 0.15 * (min(2, detector.count_oddities(mended.text)) + ("\ufffd" in mended.text))
    return max(_LEAST_SOUND, 1 - loss - residue)


_ALIKE = 82.0
"""How far two folded titles resemble each other (0 to 100) that are spellings of one: one lost or garbled word in four
stays above it, a show's prefix or another part number of a short title falls below."""


_SOUND = 0.95
"""The soundness (0 to 1) of a copy in which nothing but markup and invisible characters was mended."""


def select_title_variants(witnesses: Sequence[PreparedCopy]) -> list[PreparedCopy]:
    """Return the witnesses that resemble the most trusted one; of equally trusted ones the one that most resemble."""
    names = [fold(witness.text) for witness in witnesses]
    top = max(witness.trust for witness in witnesses)
    tied = [number for number, witness in enumerate(witnesses) if witness.trust >= top]
    kin = {one: [other for other in range(len(names)) if _is_variant(witnesses, names, one, other)] for one in tied}
    anchor = max(tied, key=lambda one: (len(kin[one]), witnesses[one].sound, names[one]))
    return [witnesses[number] for number in kin[anchor]]


def find_sounder_title(witnesses: Sequence[PreparedCopy], reading: str) -> PreparedCopy | None:
    """Return the undamaged witness nearest to a reading that only damaged ones of more trust have, else ``None``."""
    saying = [witness for witness in witnesses if witness.text == reading]
    if not saying or any(witness.sound >= _SOUND for witness in saying):
        return None
    trust = max(witness.trust for witness in saying)
    sound = [one for one in witnesses if one.sound >= _SOUND and not one.cut and one.trust < trust]
    return max(sound, key=lambda witness: (fuzz.ratio(witness.text, reading), witness.text), default=None)


def _is_variant(witnesses: Sequence[PreparedCopy], names: Sequence[str], one: int, other: int) -> bool:
    """Return whether two titles are spellings of one; a cut one need only resemble the beginning of the other."""
    left, right = names[one], names[other]
    if witnesses[one].cut and len(left) < len(right):
        right = right[: len(left)]
    elif witnesses[other].cut and len(right) < len(left):
        left = left[: len(right)]
    if left == right:
        return True
    return _numbers_of(left) == _numbers_of(right) and fuzz.ratio(left, right) >= _ALIKE


def _numbers_of(title: str) -> list[str]:
    return [word for word in title.split() if word.isdigit()]
