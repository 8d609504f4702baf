"""Source and Document: a place that lists items, and what one request to it brought back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Literal

from aggregator.model.entry import EpisodeType, Listing
from aggregator.model.record import Record

Adds = Literal["always", "confirmed", "never"]
SourceStatus = Literal["ok", "unchanged", "snapshot", "cached", "failed", "held back", "not due"]


class Conditions(Record, frozen=True):
    """Conditions on an entry or item; of several values of one, any will do.

    ``title`` are regular expressions. Lengths are in seconds; ``since`` is inclusive.
    """

    show: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    type: tuple[EpisodeType, ...] = ()
    longer_than: int | None = None
    shorter_than: int | None = None
    since: datetime | None = None
    before: datetime | None = None


class Filter(Record, frozen=True):
    """Conditions on what belongs to the feed: it meets every one of ``only`` and none of ``exclude``."""

    only: Conditions = Conditions()
    exclude: Conditions = Conditions()


RewrittenField = Literal["title", "description", "summary", "author", "link", "image", "enclosure"]
"""Fields that rules can rewrite; of an enclosure its address."""


class Rewrite(Record, frozen=True):
    """A rule: every match of a regular expression in a field is replaced; the replacement may name its groups."""

    field: RewrittenField
    pattern: str
    replacement: str = ""


class Source(Record, frozen=True):
    """A place that lists items, as ``config.yaml`` names it.

    ``trust`` is between 0 and 1. ``path`` and ``snapshot`` are absolute file names; ``snapshot`` is a saved
    copy that is used until the live source first answers. ``history`` are archived copies, URLs or absolute file names,
    that are read once; ``follow_moves`` says whether the new address that the feed names is polled. ``show`` is the
    show's id in the directory (Apple's number).
    ``boilerplate`` says whether what the source repeats at the ends of its texts is cut, ``None`` where the feed or the
    source's rank decides.
    ``options`` are what one kind alone understands, sorted by name. ``distrust_304_after`` is after how many hours of
    nothing but 304 the origin is asked unconditionally once, ``None`` for never. ``adds`` says whether its new items
    are published at once, ``None`` where its trust decides (``identity.admission``). ``allow_networks`` are private
    networks (CIDR) that its own address may be in, besides those that the config allows for all sources. ``headers``
    are header fields for the origin of its ``url``; in both, ``${NAME}`` stands for a secret
    (``fetchers.credentials``). ``private`` says that its feed has a token, so that audio whose address has a secret may
    be published in it. ``ca`` is an absolute file name: certificates that are trusted at its own host, too (PEM).
    ``rewrite`` are rules for the fields of its entries. ``full_text`` says whether the pages of its posts are read.
    """

    name: str
    kind: str
    url: str | None = None
    path: str | None = None
    snapshot: str | None = None
    show: str | None = None
    filter: Filter = Filter()
    trust: float = 0.5
    boilerplate: Literal["keep", "strip"] | None = None
    options: tuple[tuple[str, str], ...] = ()
    distrust_304_after: int | None = None
    adds: Adds | None = None
    allow_networks: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    private: bool = False
    history: tuple[str, ...] = ()
    follow_moves: bool = False
    ca: str | None = None
    rewrite: tuple[Rewrite, ...] = ()
    full_text: bool = False


class Request(Record, frozen=True):
    """An address to ask, and header fields to send to its own origin and no other, such as a token.

    ``secrets`` are the names and values for ``${NAME}`` in the address. They and the values of the fields are shown
    nowhere and written nowhere.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    secrets: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        """Show the names of the fields alone."""
        return f"Request({self.url!r}, headers={[name for name, _ in self.headers]})"


class DetectedSource(Record, frozen=True):
    """A source that was detected at an address, and what it lists now.

    ``label`` says what it was proposed from, if it was. ``assumed`` is whether a feed is only assumed to be a blog's,
    because it has no audio. ``feed`` is the address of the feed that was read, if the source's own address only leads
    to it. ``is_primary`` is whether a person says that it is the show's own.
    """

    source: Source
    listing: Listing = Listing(())
    label: str = ""
    assumed: bool = False
    feed: str | None = None
    is_primary: bool = False


class Validators(Record, frozen=True):
    """Validators of an answer, byte for byte, for the next conditional request (RFC 9110 section 13.1)."""

    etag: str | None = None
    last_modified: str | None = None


class Document(Record, frozen=True):
    """Answer to one request: the decoded body, and its description by the origin.

    ``url`` is where the body came from after redirects (or the file's URL for a path or a snapshot);
    ``media_type`` is lower case without parameters; ``charset`` is that of HTTP's header. ``partial`` is true where
    the origin sent a part (206, 226). ``next_url`` is the address of the next page that the header field Link names.
    ``polled`` is the clock for dates such as "3 days ago"; without it they are no dates. ``known`` has the entries that
    were read of its elements before, as records by the digest of the element; with ``None`` no digest is made.
    ``elements`` are the digests of all, if those that are known are empty in the body.
    """

    source: Source
    url: str
    body: bytes
    media_type: str | None = None
    charset: str | None = None
    partial: bool = False
    next_url: str | None = None
    polled: datetime | None = None
    known: Mapping[str, str] | None = None
    elements: tuple[str, ...] = ()


class Proposals(Record, frozen=True):
    """Ways to read a document of no known kind, the likeliest to be right first, and the title of the page.

    A proposal is a source without a place, whose name says what it is made from; it has a place if that is another
    document.
    """

    sources: tuple[Source, ...] = ()
    title: str | None = None


class PollState(Record, frozen=True):
    """State kept of one address of one source between two polls.

    - ``digest``: of the last body that was accepted; ``items`` is how many items it listed, ``released`` are the dates
      of the newest of them, and ``listings`` counts the bodies accepted so far.
    - ``asked``, ``answered``: the last request, and the last usable answer, whose ``Date`` is ``host_time``;
      ``whole`` is the last answer with a body, not a 304; ``errors`` counts failures in a row.
    - ``not_before``: the end of freshness or backoff, which ``--force`` ignores.
    - ``hold_until``: the end of Retry-After, which nothing ignores; ``hold_host`` is the host and port that sent it,
      after a redirect another than that of ``url``.
    - ``moved_to``, ``moved_seen``: where permanent redirects lead, and how often in a row; ``gone``: a 410.
    - ``leads_to``: the address of the feed that the page at ``url`` names.
    - ``doubt``, ``doubts``: the digest of a suspicious body that was held back, and how often it came in a row;
      ``doubted_since`` is when the first of the bodies that were held back in a row came.
    - ``show``: the title of the show that it lists.
    - ``every`` (seconds), ``skip_hours``, ``skip_days`` (UTC, Monday is 0): polling wishes of the last document.
    - ``unread``: why the last document was not accepted, empty if it was.
    - ``hub``, ``topic``: the WebSub hub that the last document names, and under which address.
    - ``told_until``, ``told``: the end of the subscription there, and when the hub last told of news; both are read
      from the subscription, not stored here.
    - ``untold``: counts documents in a row with new items that a subscribed hub did not tell of.
    """

    url: str
    validators: Validators = Validators()
    digest: str | None = None
    asked: datetime | None = None
    answered: datetime | None = None
    errors: int = 0
    not_before: datetime | None = None
    hold_until: datetime | None = None
    moved_to: str | None = None
    moved_seen: int = 0
    gone: bool = False
    doubt: str | None = None
    doubts: int = 0
    listings: int = 0
    every: int | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[int, ...] = ()
    unread: str = ""
    leads_to: str | None = None
    hold_host: str = ""
    items: int | None = None
    whole: datetime | None = None
    host_time: datetime | None = None
    released: tuple[datetime, ...] = ()
    show: str | None = None
    doubted_since: datetime | None = None
    hub: str | None = None
    topic: str | None = None
    told_until: datetime | None = None
    told: datetime | None = None
    untold: int = 0


class HubSubscription(Record, frozen=True):
    """A subscription at the WebSub hub of an address of a source, wanted, verified or ending.

    - ``hub``, ``topic``: where, and to what.
    - ``token``: the last part of our own address that the hub calls; ``secret``: with which it signs its calls.
    - ``is_ending``: whether it is to be given up.
    - ``asked``, ``tries``: the last request to the hub, and how many it has not verified; ``problem``: why it failed.
    - ``since``, ``until``: when the hub last verified it, and until when it lasts; ``None`` before.
    - ``told``: when the hub last told of news.
    """

    feed: str
    source: str
    url: str
    hub: str
    topic: str
    token: str
    secret: str
    is_ending: bool = False
    asked: datetime | None = None
    tries: int = 0
    problem: str = ""
    since: datetime | None = None
    until: datetime | None = None
    told: datetime | None = None


class Poll(Record, frozen=True, array_like=True, gc=False):
    """One poll of a source: when, what came of it, and what it cost.

    ``code`` is the HTTP status of its last address, ``size`` counts the bytes of the bodies, unpacked, ``items`` what
    was read of them; ``None`` where there was no answer. ``message`` says why it failed.
    """

    at: int
    status: SourceStatus
    code: int | None = None
    size: int | None = None
    milliseconds: int | None = None
    items: int | None = None
    message: str = ""

    @property
    def has_failed(self) -> bool:
        """Return whether the poll gave no usable listing."""
        return self.status not in ("ok", "unchanged")


class PollDay(Record, frozen=True):
    """The polls of one UTC day: how many, how many failed, and the time of those that were answered."""

    day: date
    polls: int
    failures: int
    answers: int
    milliseconds: int
    slowest: int


class Robots(Record, frozen=True):
    """Last robots.txt of one origin (scheme, host and port), and the state of polling it.

    ``rules`` are the lines for this program, ``None`` if it was never read. ``missed`` is since when it cannot be read
    and ``why`` the reason; ``None`` and empty if it can.
    """

    poll_state: PollState
    rules: str | None = None
    missed: datetime | None = None
    why: str = ""


class Answer(Record, frozen=True):
    """Outcome of one request: a new document, or none (not modified, failed, or not asked), and the state to keep.

    ``status`` is "ok" with a document, "unchanged" on 304 or equal bytes, "not due" where it was too early to
    ask, else "failed" with the reason in ``message``. ``code`` is its HTTP status, ``size`` the bytes of its body,
    ``milliseconds`` how long it took; ``None`` where no answer came. ``unanswered`` is whether the host of the
    address itself could not be reached, or gave no answer in time.
    """

    status: SourceStatus
    poll_state: PollState
    document: Document | None = None
    message: str = ""
    code: int | None = None
    size: int | None = None
    milliseconds: int | None = None
    unanswered: bool = False
