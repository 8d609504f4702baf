"""Everything that can go wrong in a way a person can act on.

    AggregatorError
    ├── ConfigError      config.yaml or the command line is wrong              exit 2
    ├── FetchError       a source could not be asked, or did not answer        the source is silent
    ├── ReadError        a document was answered but cannot be understood      the source is silent
    ├── StoreError      the store is foreign, damaged, newer, or cannot be written
    ├── PublishError     the output could not be written; the old files stand
    ├── LockedError      another refresh holds the lock                         exit 4
    └── NothingToPublishError  nothing could be fetched and nothing was remembered    exit 3

The message says where and what, as a person would: ``apple: lookup answered HTML where JSON was expected``.
Only the roster (one source falls silent), the pipeline (one feed is not published) and the command line catch these.
Anything else is a defect and shows its traceback.
"""

from __future__ import annotations

import unicodedata

HARMFUL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""What breaks a line, moves a cursor or turns letters round: controls, formats, halves of characters, line ends."""

JOINERS = "\u200c\u200d"
"""Formats that Persian, Indic and emoji are written with."""


class AggregatorError(Exception):
    """What every error of this package is; its text is one line for a person."""


class ConfigError(AggregatorError):
    """The config or the command line is wrong; one line for each mistake."""


class FetchError(AggregatorError):
    """A source could not be asked, or its answer could not be used."""


class ReadError(AggregatorError):
    """A document arrived and cannot be understood; says where and what."""


class StoreError(AggregatorError):
    """The store is foreign, damaged, written by a newer version, or cannot be written."""


class PublishError(AggregatorError):
    """The output could not be written whole; what was published before still stands."""


class LockedError(AggregatorError):
    """Another refresh holds the lock."""


class NothingToPublishError(AggregatorError):
    """Nothing could be fetched and nothing was remembered, so there is nothing to publish."""


def lines(message: str) -> tuple[str, ...]:
    r"""The lines of a message, which only a line feed ends; each as ``one_line`` has it.

    >>> lines("a: \x1b[1m\nb: \x1e")
    ('a: <U+001B>[1m', 'b: <U+001E>')
    """
    return tuple(map(one_line, message.split("\n")))


def one_line(text: str) -> str:
    r"""What somebody wrote as a message may repeat it: harmful signs are named, blanks stay blanks.

    >>> one_line("a b\x1e\u2028c\n")
    'a b<U+001E><U+2028>c<U+000A>'
    """
    if text.isprintable():
        return text
    return "".join(f"<U+{ord(each):04X}>" if _harmful(each) else each for each in text)


def _harmful(letter: str) -> bool:
    return unicodedata.category(letter) in HARMFUL and letter not in JOINERS
