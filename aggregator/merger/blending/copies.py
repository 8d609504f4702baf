"""Witnesses: the copies of one text, mended and cut into tokens, each with the weight of its word."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct, field

from aggregator.merger.blending.error_rates import DEFAULT, Rates
from aggregator.merger.repair.fixers import Mended, mend
from aggregator.text.casing import recased
from aggregator.text.lost_letters import restored
from aggregator.text.misread_words import reworded
from aggregator.text.mojibake import detector
from aggregator.text.page_additions import without_additions
from aggregator.text.tokens import Token, tokenise

# What a kind of damage says about the rest of the copy (tuned on development shows; see docs/text.md).
WEAR = {
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
LEAST_SOUND = 0.12
# A tenth more trust outweighs two sound copies of less: (.8/.9)**6 is .49.
TRUST_POWER = 6
# A source is trusted for what it says, not for what a transcription made of it: what is left of wrong decodings tells.
ILLEGIBLE = 0.75


class Copy(Struct, frozen=True):
    """One copy of a text: whose it is, how far the source is trusted (0 to 1), whether it is known to be cut.

    ``wear`` are the causes of the changes it already went through (names of fixers), as evidence of its soundness;
    ``mended`` says that it went through all of them: a text that ``mend`` gave, blanks round it aside.
    ``keep`` says that its ends are text, whatever the other copies lack.
    """

    source: str
    text: str
    trust: float = 1.0
    cut: bool = False
    wear: tuple[str, ...] = ()
    mended: bool = False
    keep: bool = False


class Witness(Struct):
    """A copy at work: its tokens, whether it is cut, and the weight of its word in a vote."""

    source: str
    text: str
    cut: bool
    sound: float
    trust: float
    rates: Rates = DEFAULT
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


def call(copies: Sequence[Copy]) -> list[Witness]:
    """The witnesses that say anything, in an order that does not depend on that of the copies; not yet in tokens."""
    top = max((copy.trust for copy in copies), default=1.0) or 1.0
    called = []
    for copy in copies:
        mended = Mended(copy.text.strip(), copy.cut, ()) if copy.mended else mend(copy.text, cut=copy.cut)
        clear = ILLEGIBLE if "\ufffd" in mended.text or detector.oddness(mended.text) else 1.0
        trust = (max(copy.trust, 0.01) * clear / top) ** TRUST_POWER
        called.append(
            Witness(copy.source, mended.text, mended.cut, soundness(mended, copy.wear), trust, keep=copy.keep)
        )
    texts = restored(reworded(without_additions([witness.text for witness in called])))
    for witness, text in zip(called, recased(texts, [witness.trust for witness in called]), strict=True):
        witness.text = text
    called.sort(key=lambda one: (-one.weight, one.source, one.text, one.cut, one.trust))
    return [witness for witness in called if witness.text.strip()]


def in_tokens(witnesses: list[Witness]) -> list[Witness]:
    """The same witnesses, each with the tokens of its text."""
    for witness in witnesses:
        witness.tokens = tokenise(witness.text)
    return witnesses


def marked_trusts(having: Collection[int], lacking: Collection[int], witnesses: Sequence[Witness]) -> list[float]:
    """Return how far each witness is trusted about a mark that some of them have and others lack.

    Marks are lost far oftener than invented, and two sources do not invent the same one. So where two sources and more
    have a mark that fewer sources lack, trust counts as the config gives it and not by its power.
    """
    sources = {witnesses[number].source for number in having}
    if len(sources) > max(1, len({witnesses[number].source for number in lacking})):
        return [witness.trust ** (1 / TRUST_POWER) for witness in witnesses]
    return [witness.trust for witness in witnesses]


def soundness(mended: Mended, wear: Sequence[str] = ()) -> float:
    """How far a copy can be believed, from .12 to 1, by the kinds of damage that were met in it."""
    causes = [change.cause for change in mended.changes] + list(wear)
    loss = sum(WEAR.get(cause, 0.1) for cause in set(causes))
    residue = 0.15 * (min(2, detector.oddness(mended.text)) + ("\ufffd" in mended.text))
    return max(LEAST_SOUND, 1 - loss - residue)
