"""Write OPML 2.0 (http://opml.org/spec2.opml), the list of feeds that feed readers exchange."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from email.utils import format_datetime
from html import escape
from itertools import groupby

from aggregator.generator.content import links, sanitize
from aggregator.model.feed import Cover
from aggregator.model.subscription import Subscription


def render(covers: Sequence[Cover]) -> bytes:
    """Render ``feeds.opml``: one outline for each published feed, sorted by title."""
    ordered = sorted(covers, key=lambda cover: (cover.channel.title.casefold(), cover.channel.name))
    pages = [links.clean_url(cover.channel.link) or f"{cover.channel.base_url}/" for cover in ordered]
    outlines = [
        Subscription(cover.channel.title, cover.address, page) for cover, page in zip(ordered, pages, strict=True)
    ]
    return write("Feeds", outlines, max((cover.updated for cover in covers), default=None))


def write(title: str, outlines: Iterable[Subscription], modified: datetime | None = None) -> bytes:
    """Write an OPML 2.0 subscription list; ``modified`` (UTC) is its date, left out if ``None``.

    Outlines that follow each other in one folder stand in an outline of its name.
    """
    dated = f"\n    <dateModified>{format_datetime(modified, usegmt=True)}</dateModified>" if modified else ""
    lines = "".join(_format_folder(name, each) for name, each in groupby(outlines, key=lambda outline: outline.folder))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<opml version="2.0">\n  <head>\n    <title>{escape_attribute(title)}</title>{dated}\n'
        f"    <docs>http://opml.org/spec2.opml</docs>\n  </head>\n  <body>{lines}\n  </body>\n</opml>\n"
    ).encode()


def _format_folder(folder: str | None, outlines: Iterable[Subscription]) -> str:
    if folder is None:
        return "".join(f"\n    {_format_outline(outline)}" for outline in outlines)
    name = escape_attribute(folder)
    lines = "".join(f"\n      {_format_outline(outline)}" for outline in outlines)
    return f'\n    <outline text="{name}" title="{name}">{lines}\n    </outline>'


def _format_outline(outline: Subscription) -> str:
    name = escape_attribute(outline.title)
    page = f' htmlUrl="{escape_attribute(outline.html_url)}"' if outline.html_url else ""
    return f'<outline type="rss" text="{name}" title="{name}" xmlUrl="{escape_attribute(outline.xml_url)}"{page}/>'


def escape_attribute(text: str) -> str:
    """Escape a text for an attribute: on one line, without what XML forbids.

    >>> escape_attribute('A & "B"')
    'A &amp; &quot;B&quot;'
    """
    return escape(" ".join(sanitize.clean_text(text).split()))
