"""Refusals of the desk: one sentence each, in the language of the visitor."""

from __future__ import annotations

from aggregator.errors import AggregatorError
from aggregator.translation.locale import Locale


class DeskError(AggregatorError):
    """The desk cannot do what it was asked for."""

    def __init__(self, message: str, **values: object) -> None:
        """Say why by a message and the values of its placeholders; as a text it is in English."""
        super().__init__(message % values if values else message)
        self._message, self._values = message, values

    def describe(self, locale: Locale) -> str:
        """Return the sentence in a language."""
        return locale.gettext(self._message, **self._values)


class MissingError(DeskError):
    """There is no such feed, item, source or page."""


class RefusedError(DeskError):
    """A form lacks something, or has what cannot be."""


class BusyError(DeskError):
    """Too much is under way already."""
