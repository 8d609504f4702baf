"""Errors of the network, and their descriptions for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.client import BadStatusLine, HTTPException, IncompleteRead, RemoteDisconnected, responses
from ssl import SSLCertVerificationError, SSLError

from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from aggregator.errors import FetchError, UnansweredError
from aggregator.fetchers.http.target import make_printable
from aggregator.model.source import PollState


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


class BusyHostError(FetchError):
    """Another machine has been asking a host for longer than is waited for."""


class TooManyRedirectsError(FetchError):
    """An address has more redirects than are followed."""


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise every error of an origin or the network in the body as FetchError."""
    try:
        yield
    except (OSError, HTTPException, HTTPError, ValueError) as error:
        cause = _find_cause(error)
        is_answer = isinstance(cause, RequestException | SSLCertVerificationError) or not isinstance(cause, OSError)
        raise (FetchError if is_answer else UnansweredError)(_describe(cause)) from error


def describe_status(status: int, after: PollState) -> str:
    """Describe a status without a document; the origin's own reason phrase is not repeated."""
    name = f"{status} {responses[status]}" if status in responses else f"{status}"
    if status == HTTPStatus.GONE and after.gone:
        return f"{name}: gone for good; it is not asked any more, and its items stay"
    if status == HTTPStatus.NOT_MODIFIED:
        return f"{name}, though nothing was asked conditionally"
    if after.hold_until is not None and status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
        return f"{name}: not asked before {after.hold_until:%Y-%m-%d %H:%M:%S} UTC, as its Retry-After says"
    return name


def _find_cause(error: BaseException) -> BaseException:
    """Return the error of the socket or of http.client that requests and urllib3 wrapped; else the error itself."""
    found, each = error, error.__context__
    while each is not None:
        if isinstance(each, OSError | HTTPException) and not isinstance(each, RequestException):
            found = each
        each = each.__context__
    return found


def _describe(error: BaseException) -> str:
    """Return one line that describes the error; bytes of the origin only where they help, and escaped."""
    if isinstance(error, SSLCertVerificationError):
        advice = _CERTIFICATE_ADVICE.get(error.verify_code, "")
        return f"the certificate is not accepted: {make_printable(error.verify_message)}{advice}"
    for kind, words in _WORDS:
        if isinstance(error, kind):
            return words.format(detail=make_printable(str(error)))
    return f"could not be reached: {make_printable(getattr(error, 'strerror', None) or str(error))}"


_WORDS: tuple[tuple[type[BaseException], str], ...] = (  # the first that fits, so the special before the general
    (TimeoutError, "took longer than its deadline"),
    (SSLError, "no secure connection: {detail}"),
    (ConnectionRefusedError, "the connection was refused"),
    (RemoteDisconnected, "closed the connection without an answer"),
    (ConnectionError, "the connection broke"),
    (IncompleteRead, "the body ended early"),
    (BadStatusLine, "does not answer by HTTP"),
    (HTTPException, "the answer is not sound HTTP: {detail}"),
    (HTTPError, "the answer is not sound HTTP: {detail}"),
    (ValueError, "the answer is not sound HTTP: {detail}"),
)

_TRUST = "; if you trust it, write the file of its certificate (PEM) as ca of the source"
_CERTIFICATE_ADVICE = {
    9: "; the clock of this machine may be wrong",
    10: "; its host must renew it",
    **dict.fromkeys((18, 19, 20, 21), _TRUST),
}
"""What to do, by the code of OpenSSL (x509_vfy.h): not yet valid, expired, self-signed, of an unknown authority."""
