"""RSS documents as made-up hosts and directories list them."""

from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape, quoteattr

ITUNES = "http://www.itunes.com/dtds/podcast-1.0.dtd"
PODCAST = "https://podcastindex.org/namespace/1.0"


@dataclass(frozen=True)
class Episode:
    """One item of a document; what is empty or ``None`` is not written.

    ``seconds`` is its length, ``size`` its audio's bytes (made from its length unless given), ``extra`` more XML.
    """

    guid: str
    title: str
    at: datetime | None = None
    text: str = ""
    audio: str | None = None
    link: str = ""
    seconds: int | None = None
    number: int | None = None
    size: int | None = None
    extra: str = ""

    def to_xml(self) -> str:
        parts = [f'<guid isPermaLink="false">{escape(self.guid)}</guid><title>{escape(self.title)}</title>']
        if self.at:
            parts.append(f"<pubDate>{format_datetime(self.at)}</pubDate>")
        if self.text:
            parts.append(f"<description>{escape(self.text)}</description>")
        if self.link:
            parts.append(f"<link>{escape(self.link)}</link>")
        if self.seconds is not None:
            parts.append(f"<itunes:duration>{self.seconds}</itunes:duration>")
        if self.audio:
            size = self.size or 900 * (self.seconds or 1)
            parts.append(f'<enclosure url={quoteattr(self.audio)} length="{size}" type="audio/mpeg"/>')
        if self.number:
            parts.append(f"<itunes:episode>{self.number}</itunes:episode>")
        return f"<item>{''.join(parts)}{self.extra}</item>"


def make_rss(*episodes: Episode | str, title: str = "Sea Room") -> str:
    """Return an RSS 2.0 document of these episodes, in this order; a string is an item's XML."""
    items = (each if isinstance(each, str) else each.to_xml() for each in episodes)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<rss version="2.0" xmlns:itunes="{ITUNES}" xmlns:podcast="{PODCAST}"><channel><title>{escape(title)}</title>'
        f"<link>https://show.example/</link><description>About {escape(title)}.</description>{''.join(items)}"
        "</channel></rss>"
    )
