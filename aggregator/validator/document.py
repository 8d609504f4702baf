"""Parse a document for the rules: its bytes, its kind, and its tree or JSON value."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from lxml import etree
from msgspec import Struct, field

from aggregator.generator.podcast import NAMESPACES, Node, format_name, make_tag
from aggregator.text.media_types import media_type_by_extension
from aggregator.validator.artwork import Picture

Kind = Literal["rss", "atom", "json", "opml", "unknown"]

ATOM = f"{{{NAMESPACES['atom']}}}"
# Media that are listened to or watched; a feed that names another medium need not have audio (podcast:medium).
_MEDIA = frozenset({"podcast", "music", "video", "film", "audiobook", "course"})
# The podcast namespace's first address, which its documents tell readers to hold to be the same.
OLDER = "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md"


class Served(Struct, frozen=True):
    """An answer as its origin described it: final address, media type, charset, validators.

    ``media_type`` is lower case without parameters; ``validators`` says whether there was an ETag or Last-Modified.
    """

    address: str
    media_type: str | None = None
    charset: str | None = None
    validators: bool = True


class Spot(Struct, frozen=True):
    """A place in a document: its path as people write it, and the line it begins on, counted from 1."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        """Return the path."""
        return self.path

    def child(self, name: str, element: Node) -> Spot:
        """Return the place of an element within this one."""
        return Spot(f"{self.path} {name}", find_line(element))


class FeedDocument(Struct, frozen=True):
    """A document: ``root`` is its tree if it is well-formed XML, ``data`` its value if it is JSON.

    ``broken`` says why it is neither, ``broken_line`` on which line. ``blank_lines`` are those before the document,
    which the tree does not count. ``served`` is how it was fetched, ``None`` for a file; ``now`` is the time
    of the check. ``channel`` is RSS's channel, ``items`` are RSS's items or Atom's entries in their order, with their
    places; ``podcast`` says whether RSS is one. ``picture`` is its artwork, where that was fetched too.
    """

    raw: bytes
    kind: Kind
    now: datetime
    root: Node | None = None
    data: dict[str, Any] = field(default_factory=dict)
    broken: str = ""
    broken_line: int | None = None
    blank_lines: int = 0
    served: Served | None = None
    picture: Picture | None = None
    channel: Node | None = None
    items: tuple[tuple[Spot, Node], ...] = ()
    podcast: bool = False

    @property
    def objects(self) -> list[dict[str, Any]]:
        """JSON Feed's items that are objects."""
        found = self.data.get("items")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def read(raw: bytes, now: datetime, served: Served | None = None) -> FeedDocument:
    """Parse a document for the rules; never raises, however broken it is."""
    bare = raw.lstrip(b"\xef\xbb\xbf \t\r\n")
    if bare[:1] in {b"{", b"["}:
        return _read_json(raw, now, served)
    body = raw.removeprefix(b"\xef\xbb\xbf").lstrip()
    blank_lines = raw.count(b"\n") - body.count(b"\n") if bare else 0
    try:
        root = etree.fromstring(
            body.replace(OLDER.encode(), NAMESPACES["podcast"].encode()),
            etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_pis=False),
        )
    except etree.XMLSyntaxError as error:
        broken_line = (error.lineno or 1) + blank_lines
        text = re.sub(r", line \d+, column \d+$", "", error.msg or "is no XML")
        return FeedDocument(raw, _guess_kind(bare), now, broken=text, broken_line=broken_line, served=served)
    except ValueError as error:
        return FeedDocument(raw, _guess_kind(bare), now, broken=str(error), served=served)
    kinds: dict[str, Kind] = {"rss": "rss", f"{ATOM}feed": "atom", "opml": "opml"}
    kind = kinds.get(str(root.tag), "unknown")
    channel = root.find("channel") if kind == "rss" else None
    items = tuple(root.iterfind("channel/item" if kind == "rss" else f"{ATOM}entry"))
    return FeedDocument(
        raw,
        kind,
        now,
        root,
        blank_lines=blank_lines,
        served=served,
        channel=channel,
        items=tuple((_place_item(item, position), item) for position, item in enumerate(items, 1)),
        podcast=channel is not None and _is_podcast(channel, items),
    )


def find_artwork(raw: bytes, now: datetime) -> str | None:
    """Return the URL of an RSS podcast's artwork or of a JSON Feed's icon; ``None`` if there is none."""
    document = read(raw, now)
    image = None if document.channel is None else document.channel.find(make_tag("itunes:image"))
    address = document.data.get("icon") if image is None else image.get("href")
    return address if isinstance(address, str) and address.startswith(("https://", "http://")) else None


def _is_podcast(channel: Node, items: Sequence[Node]) -> bool:
    """Return whether a medium or a category for Apple marks a podcast, or every other item has audio."""
    medium = channel.findtext(make_tag("podcast:medium"))
    if medium is not None:
        return medium.strip().removesuffix("L") in _MEDIA
    playable = sum(1 for item in items if has_media(item))
    return playable * 2 >= max(len(items), 1) or channel.find(make_tag("itunes:category")) is not None


def find_line_of(document: FeedDocument, where: str | Spot) -> int | None:
    """Return the line of a place; for a missing path, the line of its parent."""
    if document.broken_line is not None:
        return document.broken_line
    if document.root is None:
        return None
    if isinstance(where, Spot):
        return None if where.line is None else where.line + document.blank_lines
    top, _, name = where.partition("/")
    parent = document.channel if top == "channel" else document.root
    if parent is None or where == "document":
        return None
    child = parent.find(make_tag(name)) if name else None
    return (find_line(parent if child is None else child) or 1) + document.blank_lines


def find_line(element: Node) -> int | None:
    """Return the line on which an element begins."""
    found: object = element.sourceline
    return found if isinstance(found, int) else None


def get_text(element: Node, name: str) -> str:
    """Return the text of the first child of a prefixed name, without white space around it; empty if there is none."""
    return (element.findtext(make_tag(name)) or "").strip()


def _place_item(item: Node, position: int) -> Spot:
    """Return the place of an item, counted from 1, with its id."""
    name = "entry" if str(item.tag).startswith("{") else "item"
    return Spot(f"{name}[{position}] {_get_id(item)}".rstrip(), find_line(item))


def place_element(element: Node) -> Spot:
    """Return the place of an element: its names from the item or the channel down, and the item's id."""
    names = [format_name(one) for one in (element, *element.iterancestors())][::-1]
    item = next((one for one in element.iterancestors() if etree.QName(one).localname in {"item", "entry"}), None)
    path = "/".join(names[1:]) or names[0]
    return Spot(path if item is None else f"{path} {_get_id(item)}".rstrip(), find_line(element))


def _get_id(item: Node) -> str:
    return (get_text(item, "guid") or get_text(item, "atom:id"))[:80]


def has_media(item: Node) -> bool:
    """Return whether an RSS item has an enclosure to be heard or watched, by its type, else by its path's extension."""
    types = (
        enclosure.get("type") or media_type_by_extension(enclosure.get("url") or "") or "audio/"
        for enclosure in item.iterfind("enclosure")
    )
    return any(kind.strip().lower().startswith(("audio/", "video/")) for kind in types)


def _read_json(raw: bytes, now: datetime, served: Served | None) -> FeedDocument:
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        return FeedDocument(raw, "json", now, broken=error.msg, broken_line=error.lineno, served=served)
    except (ValueError, RecursionError) as error:
        return FeedDocument(raw, "json", now, broken=str(error), served=served)
    if not isinstance(data, dict):
        return FeedDocument(raw, "json", now, broken="the document is not an object", served=served)
    if not ("jsonfeed.org" in str(data.get("version")) or isinstance(data.get("items"), list)):
        return FeedDocument(raw, "unknown", now, served=served)
    return FeedDocument(raw, "json", now, data=data, served=served)


def _guess_kind(bare: bytes) -> Kind:
    found = re.search(rb"<(?:\w+:)?(rss|feed|opml)\b", bare[:4000])
    kinds: dict[bytes, Kind] = {b"rss": "rss", b"feed": "atom", b"opml": "opml"}
    return kinds[found.group(1)] if found else "unknown"
