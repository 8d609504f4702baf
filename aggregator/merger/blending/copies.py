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
    remove_tracking,
    restore_case,
    restore_lost_letters,
)
from aggregator.merger.repair.fixers import RepairedText, repair_text
from aggregator.text.fold import fold
from aggregator.text.mojibake.redecode import count_oddities
from aggregator.text.tokens import Token, tokenise

# By how much each kind of damage lowers the belief in the rest of a copy (tuned on development shows; docs/text.md).
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
_FINISHED = tuple(".!?…)]}\"'”’»。！？」』）】")
_LEAST_SOUND = 0.12
# With this power a tenth more trust outweighs two sound copies of less: (.8/.9)**6 is .49.
_TRUST_POWER = 6
_ILLEGIBLE = 0.75  # of the trust in a source is left where its copy still shows a wrong decoding
_ALIKE = 82.0
"""How far two folded titles resemble each other (0 to 100) that are spellings of one: one lost or garbled word in four
stays above it, a show's prefix or another part number of a short title falls below."""
_SOUND = 0.95
"""The soundness (0 to 1) of a copy in which nothing but markup and invisible characters was repaired."""


class Rates(Struct, frozen=True):
    """Error rates of one copy as probabilities: per word or mark of the text, and for its two ends.

    ``lost_word`` and ``lost_mark``: one is missing; ``added_word`` and ``added_mark``: a place holds one too many;
    ``wrong``: a word is distorted; ``moved``: a run stands in a wrong place; ``stuck``: something is stuck to an end;
    ``short``: a copy that looks whole ends early; ``restyled``: quotes and dashes were curled or straightened.
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

    def updated(self, seen: Mapping[str, tuple[float, float]], strength: float) -> Rates:
        """Return these rates, as ``strength`` observations, with what was ``seen`` as (events, chances) added."""
        return replace(
            self,
            **{
                name: min(0.6, (getattr(self, name) * strength + events) / (strength + chances))
                for name, (events, chances) in seen.items()
            },
        )


DEFAULT_RATES = Rates()
RATE_NAMES = tuple(field.name for field in fields(Rates))


class Copy(Struct, frozen=True):
    """One copy of a text: its source, how far that is trusted (0 to 1), whether the copy is known to be cut.

    ``wear`` names the fixers that already changed it, ``mended`` says that all of them have run. ``keep`` says that
    its ends are text, whatever the other copies lack.
    """

    source: str
    text: str
    trust: float = 1.0
    cut: bool = False
    wear: tuple[str, ...] = ()
    mended: bool = False
    keep: bool = False


class PreparedCopy(Struct):
    """A repaired copy with its tokens and its weight in a vote; the stages of blending shorten and mark it."""

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
        """Return whether the text ends as a sentence does."""
        return bool(self.tokens) and self.tokens[-1].surface.endswith(_FINISHED)

    @property
    def weight(self) -> float:
        """The weight in a vote."""
        return self.sound * self.trust


@lru_cache(maxsize=1 << 10)
def log_odds(likely: float, unlikely: float) -> float:
    """Return the weight of one observation in natural log-odds."""
    return log(likely / unlikely)


def prepare_copies(copies: Sequence[Copy]) -> list[PreparedCopy]:
    """Return the copies that are not empty, repaired, in an order that does not depend on the given one.

    They are not in tokens yet.
    """
    top = max((copy.trust for copy in copies), default=1.0) or 1.0
    prepared = []
    for copy in copies:
        repaired = (
            RepairedText(copy.text.strip(), copy.cut, ()) if copy.mended else repair_text(copy.text, cut=copy.cut)
        )
        clear = _ILLEGIBLE if "\ufffd" in repaired.text or count_oddities(repaired.text) else 1.0
        trust = (max(copy.trust, 0.01) * clear / top) ** _TRUST_POWER
        sound = _measure_soundness(repaired, copy.wear)
        prepared.append(PreparedCopy(copy.source, repaired.text, repaired.cut, sound, trust, keep=copy.keep))
    trusts = [one.trust for one in prepared]
    texts = remove_tracking(remove_page_additions([one.text for one in prepared]), trusts)
    texts = restore_lost_letters(texts)
    for one, text in zip(prepared, restore_case(texts, trusts), strict=True):
        one.text = text
    prepared.sort(key=lambda one: (-one.weight, one.source, one.text, one.cut, one.trust))
    return [one for one in prepared if one.text.strip()]


def _measure_soundness(repaired: RepairedText, wear: Sequence[str]) -> float:
    """Return how far a copy can be believed, from .12 to 1, by the kinds of damage found in it."""
    causes = {change.cause for change in repaired.changes} | set(wear)
    residue = min(2, count_oddities(repaired.text)) + ("\ufffd" in repaired.text)
    return max(_LEAST_SOUND, 1 - sum(_WEAR.get(cause, 0.1) for cause in sorted(causes)) - 0.15 * residue)


def tokenise_copies(copies: list[PreparedCopy]) -> list[PreparedCopy]:
    """Set the tokens of each copy, and return the copies."""
    for copy in copies:
        copy.tokens = tokenise(copy.text)
    return copies


def trust_about_marks(having: Collection[int], lacking: Collection[int], copies: Sequence[PreparedCopy]) -> list[float]:
    """Return how far each copy is trusted about a mark that some of them have and others lack.

    Marks are lost far oftener than invented, and two sources do not invent the same one. So where two sources and more
    have a mark that fewer sources lack, trust counts as the config gives it and not by its power.
    """
    sources = {copies[number].source for number in having}
    if len(sources) > max(1, len({copies[number].source for number in lacking})):
        return [copy.trust ** (1 / _TRUST_POWER) for copy in copies]
    return [copy.trust for copy in copies]


def select_title_variants(copies: Sequence[PreparedCopy]) -> list[PreparedCopy]:
    """Return the copies that resemble the most trusted one; of equally trusted ones the one that most resemble."""
    names = [fold(copy.text) for copy in copies]
    top = max(copy.trust for copy in copies)
    tied = [number for number, copy in enumerate(copies) if copy.trust >= top]
    kin = {one: [other for other in range(len(names)) if _is_variant(copies, names, one, other)] for one in tied}
    anchor = max(tied, key=lambda one: (len(kin[one]), copies[one].sound, names[one]))
    return [copies[number] for number in kin[anchor]]


def _is_variant(copies: Sequence[PreparedCopy], names: Sequence[str], one: int, other: int) -> bool:
    """Return whether two titles are spellings of one; a cut one need only resemble the beginning of the other."""
    left, right = names[one], names[other]
    if copies[one].cut and len(left) < len(right):
        right = right[: len(left)]
    elif copies[other].cut and len(right) < len(left):
        left = left[: len(right)]
    return left == right or (_numbers_of(left) == _numbers_of(right) and fuzz.ratio(left, right) >= _ALIKE)


def _numbers_of(title: str) -> list[str]:
    return [word for word in title.split() if word.isdigit()]


def find_sounder_title(copies: Sequence[PreparedCopy], reading: str) -> PreparedCopy | None:
    """Return the undamaged copy nearest to a reading that only damaged copies of more trust have, else ``None``."""
    having = [copy for copy in copies if copy.text == reading]
    if not having or any(copy.sound >= _SOUND for copy in having):
        return None
    trust = max(copy.trust for copy in having)
    sound = [one for one in copies if one.sound >= _SOUND and not one.cut and one.trust < trust]
    return max(sound, key=lambda copy: (fuzz.ratio(copy.text, reading), copy.text), default=None)
