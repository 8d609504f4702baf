"""Errors of origins, and descriptions of statuses for people."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from http.client import responses

from aggregator.errors import FetchError
from aggregator.model.source import PollState
from aggregator.translation.marks import N_


class BarredError(FetchError):
    """The robots.txt of an origin forbids an address; ``poll_state`` is that of the robots.txt."""

    def __init__(self, why: str, poll_state: PollState) -> None:
        """Keep the reason, and the poll state of the robots.txt."""
        super().__init__(why)
        self.poll_state = poll_state


class UnavailableError(FetchError):
    """An origin answered a request for a media file with 429 or 5xx."""

    def __init__(self, status: int, fields: Mapping[str, str], host: str) -> None:
        """Keep the status, the header fields by name in lower case, and the host with its port."""
        super().__init__(f"{status}")
        self.status, self.fields, self.host = status, fields, host


class TooManyRedirectsError(FetchError):
    """An address has more redirects than are followed."""


def describe_status(status: int, after: PollState) -> str:
    """Describe a status without a document; the origin's own reason phrase is not repeated."""
    name = f"{status} {responses[status]}" if status in responses else f"{status}"
    if status == HTTPStatus.GONE and after.gone:
        return N_(f"{name}: gone for good; it is not asked any more, and its items stay")
    if status == HTTPStatus.UNAUTHORIZED:
        return N_(f"{name}: it wants a login, as in https://NAME:${{PASSWORD}}@HOST/…, or a header (docs/config.md)")
    if status == HTTPStatus.NOT_MODIFIED:
        return N_(f"{name}, though nothing was asked conditionally")
    if after.hold_until is not None and status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
        return N_(f"{name}: not asked before {after.hold_until:%Y-%m-%d %H:%M:%S} UTC, as its Retry-After says")
    return name
