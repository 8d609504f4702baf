"""The published files as they stand on disk, ready to be sent; nothing that is not published can be found here.

A file is read once and kept until the disk says that it changed (its inode, size or time), so that an answer costs a
``stat`` and no reading. A packed sibling is offered only where it bears the file's own time, in whole seconds, as
publication gives it: between the renames of a publication the two may be of different versions for an instant.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import stat
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from msgspec import Struct

# What may leave, by the name's end, with its media type (RFC 8288, RFC 4287, JSON Feed 1.1, OPML 2.0). All else in
# the folder, temporary and compressed files too, is not there.
TYPES: Mapping[str, str] = {
    ".xml": "application/rss+xml; charset=utf-8",
    ".atom": "application/atom+xml; charset=utf-8",
    ".json": "application/feed+json; charset=utf-8",
    ".opml": "text/x-opml; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
# JSON that is no feed.
PLAIN_JSON = frozenset({"report.json"})
# Encodings by the sibling's ending, best first: brotli is the smaller (307 kB: 114 against 132 kB).
SIBLINGS: Mapping[str, str] = {"br": ".br", "gzip": ".gz"}
# How many bytes of files are kept in memory: a few hundred feeds of 300 kB with both their packed forms.
ROOM = 256_000_000
# A file larger than this is not served: no feed reader takes it, and no feed is (the validator stops at 5 MB).
LARGEST = 64_000_000

# The links of a channel stand before its first item, within the first bytes of the file.
HEAD = 16_384
LINK = re.compile(rb"""<(?:atom:)?link\s[^>]*?\brel="(?P<rel>hub|self)"[^>]*?\bhref="(?P<href>[\x21-\x7e]+?)\"""")

Mark = tuple[int, int, int]


class Form(Struct, frozen=True):
    """One encoding of a file: its bytes and its strong tag, quoted."""

    body: bytes
    tag: str


class Leaf(Struct, frozen=True):
    """One published file: its media type, when its content changed, and its forms by encoding, identity among them.

    ``stamp`` is the time as HTTP writes it (RFC 9110, section 5.6.7). ``links`` is the Link header of a feed that names
    a hub (WebSub, section 4: the hub and the feed's own address), else empty.
    """

    media_type: str
    modified: datetime
    stamp: str
    forms: Mapping[str, Form]
    offered: tuple[str, ...]
    links: str = ""

    @property
    def kind(self) -> str:
        """The media type without its parameters."""
        return self.media_type.partition(";")[0]


Find = Callable[[str], Leaf | None]


def shelf(output: Path, room: int = ROOM) -> Find:
    """Return a function that finds the published file of a path relative to ``output``; ``None`` if there is none.

    ``room`` is how many bytes it may keep in memory; the file least recently read goes first.
    """
    kept: dict[str, tuple[Mark, Mark, Leaf]] = {}

    def find(path: str) -> Leaf | None:
        if not sound(path):
            return None
        whole = os.path.join(output, path)  # noqa: PTH118 - on the path of every request: str is five times as fast
        mark = marked(whole)
        if mark is None:
            kept.pop(path, None)
            return None
        known = kept.get(path)
        if (
            known is not None
            and known[0] == mark
            and (len(known[2].offered) == len(SIBLINGS) or known[1] == beside(whole))
        ):
            return known[2]
        # Marked before it is read: what changes in between is seen the next time.
        packed = beside(whole)
        leaf = load(output, path)
        kept.pop(path, None)
        if leaf is not None:
            kept[path] = (mark, packed, leaf)
            make_room(kept, room)
        return leaf

    return find


def sound(path: str) -> bool:
    """Whether a path may name a published file: plain segments, none hidden, and an ending that is served.

    >>> sound("show/feed.xml"), sound("../feed.xml"), sound("show/.git/feed.xml"), sound("a//feed.xml"), sound("a.gz")
    (True, False, False, False, False)
    """
    if "\x00" in path or "\\" in path:
        return False
    segments = path.split("/")
    return all(segment and not segment.startswith((".", "~")) for segment in segments) and ending(segments[-1]) in TYPES


def ending(name: str) -> str:
    """Return the end of a file's name from its last dot, unless that is its first character."""
    at = name.rfind(".")
    return name[at:] if at > 0 else ""


def media_type(name: str) -> str:
    """Return the media type of a served name.

    >>> media_type("report.json"), media_type("feed-archive-2.json")
    ('application/json; charset=utf-8', 'application/feed+json; charset=utf-8')
    """
    return "application/json; charset=utf-8" if name in PLAIN_JSON else TYPES[ending(name)]


def load(output: Path, path: str) -> Leaf | None:
    """Read a file with its up-to-date compressed copies; ``None`` if a link leads outside the folder."""
    plain = content(output, path)
    if plain is None:
        return None
    body, modified = plain
    digest = hashlib.sha256(body).hexdigest()[:32]
    forms = {"identity": Form(body, f'"{digest}"')}
    for name, suffix in SIBLINGS.items():
        packed = content(output, path + suffix)
        if packed is not None and int(packed[1]) == int(modified):
            forms[name] = Form(packed[0], f'"{digest}-{name}"')
    last = path.rpartition("/")[2]
    at = datetime.fromtimestamp(int(modified), UTC)
    offered = tuple(name for name in SIBLINGS if name in forms)
    return Leaf(media_type(last), at, format_datetime(at, usegmt=True), forms, offered, links(body))


def links(body: bytes) -> str:
    """Return the Link header of a feed with a hub, for clients that read no XML.

    >>> links(b'<atom:link rel="hub" href="https://hub.example/"/><atom:link rel="self" href="https://a.example/f"/>')
    '<https://hub.example/>; rel="hub", <https://a.example/f>; rel="self"'
    """
    found = [(match["rel"].decode(), html.unescape(match["href"].decode())) for match in LINK.finditer(body, 0, HEAD)]
    if not any(rel == "hub" for rel, _ in found):
        return ""
    # What would end the address or the header is left out whole: it is no address.
    return ", ".join(f'<{href}>; rel="{rel}"' for rel, href in found if not re.search(r"[\s<>\"]", href))


def content(output: Path, path: str) -> tuple[bytes, float] | None:
    """Return bytes and time of a regular file inside ``output``; ``None`` if there is none.

    A symbolic link below ``output`` is followed nowhere: the file must be where its path says.
    """
    home = os.path.realpath(output)
    whole = os.path.join(home, path)  # noqa: PTH118 - compared as text with the real path
    if os.path.realpath(whole) != whole:
        return None
    try:
        handle = os.open(whole, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with open(handle, "rb") as file:  # noqa: PTH123 - opened by its descriptor
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
            return None
        return file.read(), state.st_mtime


def marked(whole: str) -> Mark | None:
    """Return what identifies a version of a file; ``None`` if there is no file."""
    try:
        state = os.stat(whole)  # noqa: PTH116 - on the path of every request
    except (OSError, ValueError):
        return None
    return (state.st_ino, state.st_mtime_ns, state.st_size)


def beside(whole: str) -> Mark:
    """Return what identifies the versions of the compressed copies together."""
    marks = [marked(whole + suffix) or (0, 0, 0) for suffix in SIBLINGS.values()]
    return (hash(tuple(mark[0] for mark in marks)), sum(mark[1] for mark in marks), sum(mark[2] for mark in marks))


def make_room(kept: dict[str, tuple[Mark, Mark, Leaf]], room: int) -> None:
    """Files read longest ago go until the rest fits; the newest stays even where it alone is too large."""
    total = sum(len(form.body) for *_, leaf in kept.values() for form in leaf.forms.values())
    for path in [*kept][:-1]:
        if total <= room:
            return
        total -= sum(len(form.body) for form in kept.pop(path)[2].forms.values())
