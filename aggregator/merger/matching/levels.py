"""Kinds of evidence about a pair of records, and for each the levels of agreement; level 0 of all is none."""

from __future__ import annotations

LEVELS: dict[str, tuple[str, ...]] = {
    "id": ("none", "equal"),
    "title": (
        *("none", "below .2", ".2 to .3", ".3 to .4", ".4 to .5", ".5 to .6", ".6 to .7", ".7 to .8", ".8 to .9"),
        *("above .9", "begins the other", "equal, more often", "equal, 2 or 3 times", "equal, in a source once"),
    ),
    "names": ("none", "below .2", ".2 to .4", ".4 to .6", ".6 to .8", ".8 to .95", "above .95"),
    "told": (
        "none",
        "below .3",
        ".3 to .5",
        ".5 to .7",
        ".7 to .9",
        "above .9",
        "above .9 of many words",
        "a sentence of its own",
    ),
    "duration": (
        *("none", "precise, 2 s", "precise, 15 s", "precise, 90 s or 2 %", "precise, more"),
        *("minutes, 60 s", "minutes, 240 s", "minutes, more"),
    ),
    "date": (
        *("none", "same day", "next day", "2 or 3 days", "31 days", "a year", "more"),
        *("same year", "next year", "years apart"),
    ),
    "number": ("none", "equal, same season", "equal", "equal, other season", "different"),
    "tag": ("none", "same", "different"),
    "digits": ("none", "equal", "one has more", "conflict", "a code of its own"),
    "part": ("none", "equal", "one has", "conflict"),
    "order": (
        *("none", "elsewhere", "between the same items", "one of few between the same items"),
        *("alone between the same items", "same place in a series of one title"),
    ),
}
KINDS = tuple(LEVELS)
