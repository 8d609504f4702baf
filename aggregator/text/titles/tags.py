"""Whether a title calls its item a re-run, a companion, a bonus or a trailer of another."""

from __future__ import annotations

import re

_WORDS = {
    "replay": (
        r"re-?plays?|re-?broadcast|re-?runs?|encore|re-?air(?:ed|ing)?|re-?issue|re-?release"
        r"|from the (?:archives?|vaults?)|throwback|flashback"
        r"|wiederholung|best of|rediffusion|repetici[oó]n|再放送|classic episode"
    ),
    "companion": (
        r"discussing|after-?\s?show|re-?cap|the debrief|debrief(?:ing)?|reaction to|behind the scenes|making of"
        r"|talking about|post-?show|companion"
    ),
    "bonus": r"bonus|extra|unlocked|outtakes?|blooper reel|special episode|sonderfolge|番外編|おまけ",
    "trailer": r"trailer|teaser|preview|sneak peek|coming soon|予告",
}
_ABOUT = r"|[:|\-–—]\s(?:discussing|talking about|reaction to)\s"
_HEAD = (
    r"(?:^\W*|[:|\-–—]\s)(?:the\s)?(?:{})\b(?=\s*+(?:(?:episode|edition|show)\s*+)?(?:[:\]\)|\-–—!.]|$))"
    r"|^\W*(?:the\s)?(?:{})\b(?=\s)"
)
_TAIL = r"[\[(【|:\-–—]\s*(?:\w+\s){{0,2}}(?:{})(?:\s\w+)?\s*+(?:[\])】]\s*+)?$"
_EDGES = {
    tag: re.compile(
        _HEAD.format(words, words) + "|" + _TAIL.format(words) + (_ABOUT if tag == "companion" else ""), re.IGNORECASE
    )
    for tag, words in _WORDS.items()
}
_STEMS = (  # what every word above has in it: most titles are done with these alone
    *("play", "broadcast", "run", "encore", "air", "issue", "release", "from the", "throwback", "flashback"),
    *("wiederholung", "best of", "rediffusion", "repetici", "再放送", "classic", "discussing", "after", "cap"),
    *("debrief", "reaction", "behind the", "making of", "talking", "show", "companion", "bonus", "extra", "unlocked"),
    *("outtake", "blooper", "special", "sonderfolge", "番外編", "おまけ", "trailer", "teaser", "preview", "peek"),
    *("soon", "予告"),
)
_STEM = re.compile("|".join(map(re.escape, _STEMS)))


def tag_of(text: str) -> str | None:
    """What a title says of itself at its start or end, or ``None``; the same word in mid-sentence says nothing.

    >>> tag_of("Replay: The Long Way"), tag_of("The Long Way (Bonus)")
    ('replay', 'bonus')
    >>> tag_of("How the encore came to be")
    """
    if not _STEM.search(text.casefold()):
        return None
    for tag, pattern in _EDGES.items():
        if pattern.search(text):
            return tag
    return None
