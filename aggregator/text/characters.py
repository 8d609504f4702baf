"""Characters that no published text or guid has."""

from __future__ import annotations

import re
import uuid

from aggregator.text.bidi import remove_unsafe_controls
from aggregator.text.urls import PODCAST_NAMESPACE

LOST = "\ufffd"
PROGRAM_WORDS = frozenset({"", "None", "nan", "NaN", "null", "NULL", "True", "False", "undefined"})
"""What programs write for a value they do not have; readers then show the word."""

# XML 1.0, production 2 (Char), without DEL and the C1 controls and the noncharacters (discouraged there) and without
# U+FFFD, which tells every reader that something was lost and no reader what. What is allowed is taken out of what is
# not: a class of all that is allowed takes 3 ms to compile, for Python goes through each of its characters.
_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\U0010ffff](?<![\t\n\r])(?<![\ue000-\ufdcf\ufdf0-\ufffc"
    + "".join(f"{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 17))
    + "])"
)


def remove_forbidden(text: str) -> str:
    r"""Return the text without what XML forbids or discourages.

    >>> remove_forbidden("a\x00b\ud800c")
    'abc'
    """
    return _FORBIDDEN.sub("", text)


def clean_guid(guid: str) -> str:
    r"""Return a guid as it is published: on one line, without what XML forbids and what turns text around.

    Of one without any other character a UUIDv5 is made.

    >>> clean_guid("show-1\x9b\u202e "), clean_guid("\u202e")
    ('show-1', 'b3c51255-c4f1-5171-b2f9-68e072aed3d6')
    """
    if LOST in guid or "  " in guid or not guid.isprintable():
        line = " ".join(remove_unsafe_controls(remove_forbidden(guid)).split())
    else:
        line = guid.strip()
    return line or str(uuid.uuid5(PODCAST_NAMESPACE, repr(guid)))
