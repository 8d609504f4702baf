"""Stages of a release, which belong to its number: "3.5.0rc1" and "3.5.0 beta 1" are not "3.5.0"."""

from __future__ import annotations

import re

# As in PEP 440 and Semantic Versioning, and as blogs of other languages write them.
_MARKS = {
    "alpha": r"alpha|alfa|альфа|アルファ(?:版)?|알파",
    "beta": r"beta|бета|ベータ(?:版)?|베타|测试版|測試版",
    "rc": r"rc|release[ -]candidate|релиз-кандидат|リリース候補(?:版)?|候选版|候選版",
    "preview": r"preview|pre|vorschau|プレビュー(?:版)?|预览版",
    "dev": r"dev|nightly|snapshot|canary",
    "milestone": r"milestone",
}
_SHORT = {"a": "alpha", "b": "beta", "c": "rc", "m": "milestone"}  # only between two digits: "3.5.0b1"
_ANY = "|".join(_MARKS.values())
_VERSION = re.compile(rf"\d\.\d|\d[ ._-]?(?:{_ANY})[ ._-]?\d", re.IGNORECASE)
_MARK = re.compile(
    "|".join(rf"(?P<{name}>(?<![^\W\d_])(?:{words})(?![^\W\d_]))" for name, words in _MARKS.items())
    + rf"|(?<=\d)(?P<short>[{''.join(_SHORT)}])(?=\d)",
    re.IGNORECASE,
)


def stages(title: str) -> tuple[str, ...]:
    """Return the stages of a release in a title that has a version number, each once, in order of the alphabet.

    >>> stages("Anvil 3.5.0b1"), stages("Anvil 5.0 release candidate 1 is out"), stages("Anvil 3.5.0")
    (('beta',), ('rc',), ('final',))
    >>> stages("The alpha wolf of 1950")
    ()
    """
    if not _VERSION.search(title):
        return ()
    found = {_SHORT[met[0].casefold()] if met.lastgroup == "short" else met.lastgroup for met in _MARK.finditer(title)}
    return tuple(sorted(name for name in found if name)) or ("final",)
