"""A subscription, as an OPML list has it."""

from __future__ import annotations

from aggregator.model.record import Record


class Subscription(Record, frozen=True):
    """Its title, its feed's address, its page's, and its folder's name (``None`` where not given).

    ``problem`` says why the outline is no subscription to a feed, empty if it is one.
    """

    title: str
    xml_url: str
    html_url: str | None = None
    folder: str | None = None
    problem: str = ""
