"""Remove control characters of text direction (Unicode UAX 9) that change how the text around them is shown."""

from __future__ import annotations

import re

_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ENDS = {
    **dict.fromkeys("\u202a\u202b", "\u202c"),  # embeddings: LRE, RLE and PDF
    **dict.fromkeys("\u2066\u2067\u2068", "\u2069"),  # isolates: LRI, RLI, FSI and PDI
}
_OVERRIDES = frozenset("\u202d\u202e")


def remove_unsafe_controls(text: str) -> str:
    r"""Return the text without overrides, and without embeddings and isolates that do not end within their line.

    An override shows letters in another order ("exe.gpj" as "jpg.exe"), and an open embedding reorders the text behind
    it (UTR 36 section 2.6). Marks (LRM, RLM, ALM) affect only the signs beside them, and stay.

    >>> remove_unsafe_controls("photo\u202egpj.exe")
    'photogpj.exe'
    >>> remove_unsafe_controls("\u2067\u05d0\u2069\u200f!") == "\u2067\u05d0\u2069\u200f!"
    True
    """
    if not _CONTROLS.search(text):
        return text
    return "\n".join(line if _is_nested(line) else _CONTROLS.sub("", line) for line in text.split("\n"))


def _is_nested(line: str) -> bool:
    """Return whether every control of the line is an embedding or isolate that begins and ends in it."""
    expected: list[str] = []
    for control in _CONTROLS.findall(line):
        if control in _OVERRIDES:
            return False
        if control in _ENDS:
            expected.append(_ENDS[control])
        elif not expected or expected.pop() != control:
            return False
    return not expected
