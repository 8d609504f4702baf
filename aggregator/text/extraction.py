"""What the extraction of a page leaves at the end of a text: the running time, with words that fell into it."""

from __future__ import annotations

import re

# "… dispatcher. 17 is а min": a number after a finished sentence, at most three small words, and the unit, at the end.
MINUTES = re.compile(
    r"(?<=[.!?…»”\"')])\s+\d{1,3}(?:\s+[^\W\d_]{1,12}){0,3}?\s+min(?:s|utes)?(?:\s+[^\W\d_]{1,12}){0,2}\s*$"
)
UNIT = "min"
# A tail is looked for in this many characters at the end: texts of any length cost the same.
LONGEST = 200


def without_minutes(text: str) -> str:
    """The text without a running time left behind its last sentence.

    >>> without_minutes("using the dispatcher. 17 is a min"), without_minutes("From flour to crust, in 90 min")
    ('using the dispatcher.', 'From flour to crust, in 90 min')
    """
    tail = text[-LONGEST:]
    return text[:-LONGEST] + MINUTES.sub("", tail) if UNIT in tail else text
