"""Every error that a person can act on.

    AggregatorError
    ├── ConfigError          config.yaml or the command line is wrong               exit 2
    │   └── ChangedError     config.yaml was changed since it was read              exit 2
    ├── FetchError           a source did not answer, or its answer is no use       the source failed
    │   ├── GoneError        its address no longer exists                           the source failed
    │   ├── BusyHostError    another machine asks its host                          the source waits
    │   └── UnansweredError  its host could not be reached, or gave no answer in time the source failed
    ├── ReadError            a document arrived and cannot be understood            the source failed
    ├── StoreError           the store is foreign, newer, or not writable           exit 1
    │   └── DamagedError     the store is damaged, or gone while its output stands  exit 1
    ├── PublishError         the output cannot be written; the old files stay       exit 1
    ├── LockedError          another refresh is running                             exit 4
    ├── QueueError           the queue of dispatcher and workers cannot be reached  exit 1
    └── NothingToPublishError  nothing was fetched and nothing is stored            exit 3

A message is one line that says where and what: ``apple: lookup answered HTML where JSON was expected``. One failed
source never stops a refresh, and one unpublished feed never stops the others. Any other exception is a defect of the
program and shows its traceback.
"""

from __future__ import annotations

import unicodedata

_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories that break a line, move a cursor or reorder letters: controls, formats, surrogates, separators."""

_JOINERS = "\u200c\u200d"
"""Format characters that Persian, Indic scripts and emoji need."""


class AggregatorError(Exception):
    """Base class of the errors of this package; its text is one line for a person."""


class ConfigError(AggregatorError):
    """The config or the command line is wrong; one line for each mistake."""


class ChangedError(ConfigError):
    """The config was changed since the state that was seen."""


class FetchError(AggregatorError):
    """A source could not be reached, or its answer could not be used."""


class UnansweredError(FetchError):
    """A host has no address, takes or keeps no connection, or does not answer in time."""


class ReadError(AggregatorError):
    """A document arrived and cannot be understood; says where and what."""


class StoreError(AggregatorError):
    """The store is foreign, written by a newer version, or cannot be written."""


class DamagedError(StoreError):
    """The store is damaged, or gone while its output stands; ``store`` is its name, empty until that is known."""

    def __init__(self, message: str, store: str = "") -> None:
        """Keep the message and the name."""
        super().__init__(message)
        self.store = store


class GoneError(FetchError):
    """An address no longer exists: 404 or 410."""


class BusyHostError(FetchError):
    """Another machine has been asking a host for longer than is waited for."""


class PublishError(AggregatorError):
    """The output could not be written completely; the files published before are unchanged."""


class LockedError(AggregatorError):
    """Another refresh holds the lock."""


class QueueError(AggregatorError):
    """The queue between dispatcher and workers cannot be reached."""


class NothingToPublishError(AggregatorError):
    """Nothing could be fetched and nothing is stored, so there is nothing to publish."""


def escape_lines(message: str) -> tuple[str, ...]:
    r"""Split a message at its line feeds and escape each line.

    >>> escape_lines("a: \x1b[1m\nb: \x1e")
    ('a: <U+001B>[1m', 'b: <U+001E>')
    """
    return tuple(map(escape_line, message.split("\n")))


def escape_line(text: str) -> str:
    r"""Replace control and format characters by their code points, so that foreign text is safe in a message.

    >>> escape_line("a b\x1e\u2028c\n")
    'a b<U+001E><U+2028>c<U+000A>'
    """
    if text.isprintable():
        return text
    return "".join(f"<U+{ord(each):04X}>" if _is_harmful(each) else each for each in text)


def _is_harmful(letter: str) -> bool:
    return unicodedata.category(letter) in _HARMFUL and letter not in _JOINERS
