"""Describe in words the evidence about two entries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial, reduce
from typing import Final

from aggregator.model.cluster import Evidence, Pair, compute_likelihood
from aggregator.translation.locale import ENGLISH, N_, Locale

_SURE = 0.999
_MOST_REASONS = 3
"""Pieces of evidence for a pair, and against it, that its line names."""

_EVIDENCE: Final[Mapping[str, str]] = {
    "id": N_("guid, audio or link"),
    "title": N_("title"),
    "names": N_("rare words of titles"),
    "description": N_("description"),
    "duration": N_("duration"),
    "date": N_("date"),
    "number": N_("number"),
    "tag": N_("kind of episode"),
    "digits": N_("numbers in the titles"),
    "part": N_("part"),
    "order": N_("place in the listings"),
    "prior": N_("starting score"),
    "alignment": N_("both listings as a whole"),
    "weak title": N_("days apart"),
    "relisted": N_("listed again"),
    "competitor": N_("competing entry"),
}
"""Evidence in words, by its name in ``scoring.LEVELS`` and ``explain``; other names are shown as they are."""

_COMPARISONS: Final[Mapping[tuple[str, str], str]] = {
    ("title", "begins the other"): N_("one begins with the other"),
    ("title", "equal, more often"): N_("equal, frequent in a listing"),
    ("title", "equal, 2 or 3 times"): N_("equal, 2 or 3 times in a listing"),
    ("title", "equal, in a source once"): N_("equal, once in each listing"),
    ("description", "above .9 of many words"): N_("above 90 % alike, many words"),
    ("description", "a sentence of its own"): N_("same sentence that no other entry has"),
    ("duration", "precise, 90 s or 2 %"): N_("within 90 s or 2 %"),
    ("duration", "precise, more"): N_("further apart"),
    ("duration", "minutes, more"): N_("further apart, in minutes"),
    ("date", "31 days"): N_("up to 31 days apart"),
    ("date", "a year"): N_("up to a year apart"),
    ("date", "more"): N_("more than a year apart"),
    ("digits", "one has more"): N_("one has more numbers"),
    ("digits", "a code of its own"): N_("one has a model code"),
    ("order", "elsewhere"): N_("between other entries"),
    ("order", "between the same items"): N_("between the same entries"),
    ("order", "one of few between the same items"): N_("one of few between the same entries"),
    ("order", "alone between the same items"): N_("alone between the same entries"),
    ("weak title", "other days, nothing else agrees"): N_("nothing else confirms the pair"),
    ("relisted", "its source lists it again"): N_("by its own source"),
}

LEVELS: Final = frozenset(
    {
        *(N_("none"), N_("same"), N_("different"), N_("conflict"), N_("one has"), N_("another word")),
        *(N_("equal"), N_("equal, same season"), N_("equal, other season")),
        *(N_("same day"), N_("next day"), N_("2 or 3 days"), N_("same year"), N_("next year"), N_("years apart")),
        *(N_("same place in a series of one title"), N_("another entry matches as well")),
        *(N_("these entries meet"), N_("other entries meet, or may as well")),
    }
)
"""Levels of evidence that are words already."""

VETOES: Final = frozenset(
    {
        *(N_("different parts"), N_("a post and an episode without a shared id"), N_("one source")),
        N_("different shows"),
    }
)
"""What keeps two entries apart whatever else agrees, by the words of ``comparison.VETOES``."""

_SHARES = re.compile(r"(?:(?P<word>below|above) )?\.(?P<share>\d+)(?: to \.(?P<most>\d+))?")


def describe_evidence(name: str, locale: Locale = ENGLISH) -> str:
    """Describe which values a piece of evidence compares."""
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
    if words := _COMPARISONS.get((name, level)):
        return locale.gettext(words)
    if name == "duration" and level not in LEVELS:
        step, _, limit = level.partition(", ")
        if step == "minutes":
            return locale.gettext("within %(time)s, in minutes", time=limit)
        return locale.gettext("within %(time)s", time=limit)
    return _describe_shares(found, locale) if (found := _SHARES.fullmatch(level)) else locale.gettext(level)


def _describe_shares(found: re.Match[str], locale: Locale) -> str:
    share, most = (f"{100 * float(f'.{each}'):.0f}" if each else "" for each in found.group("share", "most"))
    if most:
        return locale.gettext("%(least)s to %(most)s %% alike", least=share, most=most)
    if found["word"] == "above":
        return locale.gettext("above %(share)s %% alike", share=share)
    return locale.gettext("below %(share)s %% alike", share=share)


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
    return reduce(partial(_append, locale), filter(None, told))


def _append(locale: Locale, said: str, more: str) -> str:
    return locale.gettext("%(said)s; %(more)s", said=said, more=more)


def _name(evidence: Evidence, locale: Locale) -> str:
    return locale.gettext(
        "%(evidence)s (%(level)s)",
        evidence=describe_evidence(evidence.name, locale),
        level=describe_level(evidence.name, evidence.level, locale),
    )
