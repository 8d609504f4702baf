"""Search and replace by regular expressions of the config, within a limit of time.

The limit is of processor time, not of elapsed time, so that the same store gives the same feed on a busy machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from aggregator.errors import PublishError

_SECONDS: Final = 1.0
"""Processor time that a pattern may take for one text; an honest one takes a thousandth of it."""


def matches(pattern: str, text: str, place: str) -> bool:
    """Return whether the pattern is found in the text; PublishError as `substitute`."""
    import regex  # noqa: PLC0415 - takes a tenth of a second, and most feeds have no pattern

    with _explaining(pattern, text, place):
        return regex.search(pattern, text, timeout=_SECONDS) is not None


def substitute(pattern: str, replacement: str, text: str, place: str) -> str:
    """Return the text with each match replaced.

    Raises PublishError, with the ``place`` of the pattern in the config, if it takes too long or is none.
    """
    import regex  # noqa: PLC0415 - as above

    with _explaining(pattern, text, place):
        return str(regex.sub(pattern, replacement, text, timeout=_SECONDS))


@contextmanager
def _explaining(pattern: str, text: str, place: str) -> Iterator[None]:
    import regex  # noqa: PLC0415 - as above

    try:
        yield
    except TimeoutError as error:
        raise PublishError(
            f'{place}: the pattern "{pattern}" takes more than {_SECONDS:g} s of processor time on "{text[:100]}"; '
            "write a simpler one"
        ) from error
    except (regex.error, IndexError) as error:
        raise PublishError(f'{place}: "{pattern}" is not a regular expression: {error}') from error
