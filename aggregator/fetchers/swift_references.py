"""References in a text of XML, by the rules of XML 1.0: five names, and numbers of characters that XML allows."""

from __future__ import annotations

import re

OTHER = re.compile("&(?!(?:amp|lt|gt|quot|apos);)")
NUMBER = re.compile("&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));")
NO_CHARACTER = re.compile("[\x00-\x1f\ud800-\uffff](?<![\t\n\r])(?<![\ue000-\ufffd])")  # production 2
LAST = 0x10FFFF


def understood(text: str) -> str | None:
    """The text with its references read; ``None`` where one is no reference, unknown, or of no character.

    >>> understood("R&amp;B &#8217;n&#x2019; &amp;lt;"), understood("R&B"), understood("&nbsp;"), understood("&#0;")
    ('R&B ’n’ &lt;', None, None, None)
    """
    if ">" in text and "]]>" in text:
        return None
    if text.count("&") == text.count("&amp;"):
        return text.replace("&amp;", "&")
    if OTHER.search(text):
        if len(NUMBER.findall(text)) < len(OTHER.findall(text)):
            return None
        read = NUMBER.sub(_character, text)
        if NO_CHARACTER.search(read):
            return None
        text = read
    for name, letter in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
        text = text.replace(name, letter)
    return text


def _character(found: re.Match[str]) -> str:
    """The character that a number means; NUL, which is none, for a number beyond the last. An ampersand stays one."""
    code = int(found[1], 16) if found[1] else int(found[2])
    return "&amp;" if code == ord("&") else chr(code) if code <= LAST else "\0"
