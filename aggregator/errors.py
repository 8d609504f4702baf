"""Everything that can go wrong in a way a person can act on.

    AggregatorError
    ├── ConfigError      config.yaml or the command line is wrong              exit 2
    ├── FetchError       a source could not be asked, or did not answer        the source is silent
    ├── ReadError        a document was answered but cannot be understood      the source is silent
    ├── LedgerError      the ledger is foreign, damaged, newer, or cannot be written
    ├── PublishError     the output could not be written; the old files stand
    ├── LockedError      another refresh holds the lock                         exit 4
    └── SilenceError     nothing could be fetched and nothing was remembered    exit 3

The message says where and what, as a person would: ``apple: lookup answered HTML where JSON was expected``.
Only the roster (one source falls silent), the pipeline (one feed is not published) and the command line catch these.
Anything else is a defect and shows its traceback.
"""

from __future__ import annotations


class AggregatorError(Exception):
    """What every error of this package is; its text is one line for a person."""


class ConfigError(AggregatorError):
    """The config or the command line is wrong; one line for each mistake."""


class FetchError(AggregatorError):
    """A source could not be asked, or its answer could not be used."""


class ReadError(AggregatorError):
    """A document arrived and cannot be understood; says where and what."""


class LedgerError(AggregatorError):
    """The ledger is foreign, damaged, written by a newer version, or cannot be written."""


class PublishError(AggregatorError):
    """The output could not be written whole; what was published before still stands."""


class LockedError(AggregatorError):
    """Another refresh holds the lock."""


class SilenceError(AggregatorError):
    """Nothing could be fetched and nothing was remembered, so there is nothing to publish."""
