"""Names of the files that only some editions of a feed have."""

from __future__ import annotations

import re
from typing import Final

_ARCHIVE: Final = re.compile(r"(?:podcast|feed)-archive-[1-9][0-9]*\.(?:xml|atom|json)")
_CHAPTERS: Final = re.compile(r"chapters-[0-9a-f]{16}\.json")


def is_archive(name: str) -> bool:
    """Return whether this is the name of an archive (``generator.paging``).

    >>> is_archive("podcast-archive-1.xml"), is_archive("podcast.xml")
    (True, False)
    """
    return _ARCHIVE.fullmatch(name) is not None


def is_chapters(name: str) -> bool:
    """Return whether this is the name of a chapters file (``generator.chapters``)."""
    return _CHAPTERS.fullmatch(name) is not None
