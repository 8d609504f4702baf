"""Describe in words the evidence about two entries."""

from __future__ import annotations

from functools import reduce
from typing import Final

from aggregator.merger.matching.scoring import KINDS
from aggregator.model.cluster import Evidence, Pair, compute_likelihood
from aggregator.translation.locale import ENGLISH, Locale
from aggregator.translation.marks import N_

_SURE = 0.999
_MOST_REASONS = 3
"""Pieces of evidence for a pair, and against it, that its line names."""

_RUN: Final = {
    "prior": N_("starting score"),
    "alignment": N_("both listings as a whole"),
    "weak title": N_("days apart"),
    "relisted": N_("listed again"),
    "competitor": N_("competing entry"),
}
"""Evidence beside ``KINDS``, from other pairs of the run, by its name in ``explain``."""

_COMPARISONS: Final = {
    "other days, nothing else agrees": N_("nothing else confirms the pair"),
    "its source lists it again": N_("by its own source"),
    "another entry matches as well": N_("another entry matches as well"),
    "these entries meet": N_("these entries meet"),
    "other entries meet, or may as well": N_("other entries meet, or may as well"),
}
"""What that evidence says, by its name in ``explain``."""

_LABELS: Final = {(kind.name, level.text): level.label for kind in KINDS for level in kind.levels}
_EVIDENCE: Final = {kind.name: kind.label for kind in KINDS} | _RUN


def describe_evidence(name: str, locale: Locale = ENGLISH) -> str:
    """Describe which values a piece of evidence compares; names that are not known are shown as they are."""
    return locale.gettext(_EVIDENCE.get(name, name))


def describe_level(name: str, level: str, locale: Locale = ENGLISH) -> str:
    """Describe how two values compare, from the names that matching uses.

    >>> (
    ...     describe_level("description", ".7 to .9"),
    ...     describe_level("duration", "minutes, 60 s"),
    ...     describe_level("date", "same day"),
    ... )
    ('70 to 90 % alike', 'within 60 s, in minutes', 'same day')
    """
    if name == "prior":
        return ""
    message, values = _LABELS.get((name, level)) or (_COMPARISONS.get(level, level), {})
    return locale.gettext(message, **values)


def _format_likelihood(pair: Pair, locale: Locale = ENGLISH) -> str:
    """Return the likelihood of a pair in percent, never as certain as 0 or 100.

    >>> _format_likelihood(Pair("a/1", "b/1", 9.2)), _format_likelihood(Pair("a/1", "b/1", 0.0))
    ('over 99.9 %', '50 %')
    """
    likelihood = compute_likelihood(pair)
    if likelihood > _SURE:
        return locale.gettext("over %(percent)s %%", percent=locale.format_decimal(99.9, ".1f"))
    if likelihood < 1 - _SURE:
        return locale.gettext("under %(percent)s %%", percent=locale.format_decimal(0.1, ".1f"))
    return locale.gettext("%(percent)s %%", percent=locale.format_decimal(100 * likelihood, ".3g"))


def describe_pair(pair: Pair, locale: Locale = ENGLISH) -> str:
    """Return in one line how likely a pair is one item, what speaks for it, and what against, strongest first."""

    def name(some: list[Evidence]) -> str:
        return locale.comma.join(_name(one, locale) for one in some[:_MOST_REASONS])

    ranked = [one for one in sorted(pair.evidence, key=lambda one: -abs(one.weight)) if one.name != "prior"]
    supporting, opposing = [one for one in ranked if one.weight > 0], [one for one in ranked if one.weight < 0]
    told = (
        _format_likelihood(pair, locale),
        locale.gettext("never merged: %(reason)s", reason=locale.gettext(pair.veto)) if pair.veto else "",
        locale.gettext("for %(reasons)s", reasons=name(supporting)) if supporting else "",
        locale.gettext("against %(reasons)s", reasons=name(opposing)) if opposing else "",
    )
    return reduce(lambda said, more: locale.gettext("%(said)s; %(more)s", said=said, more=more), filter(None, told))


def _name(evidence: Evidence, locale: Locale) -> str:
    return locale.gettext(
        "%(evidence)s (%(level)s)",
        evidence=describe_evidence(evidence.name, locale),
        level=describe_level(evidence.name, evidence.level, locale),
    )
