"""Sound RSS 0.9x, 1.0, 2.0 and Atom feeds, read in one strict pass of libxml2, ten times as fast as feedparser.

Each item becomes the fields that ``feed_item`` takes, under the names that feedparser gives them, so that both readers
end in the same code. Elements are known by the address of their namespace and their local name, without case. Where a
document is not sound, or needs what only feedparser knows (a document type, ``xml:base``, XHTML or Base64 as text, an
encoding that is not certain, items at several places), ``NotSoundError`` is raised and feedparser reads.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from msgspec import Struct, field

from aggregator.fetchers.feeds import podcast
from aggregator.fetchers.feeds.podcast import SKIPS, Account, ItemAccount
from aggregator.fetchers.parsing import xml
from aggregator.fetchers.parsing.decoding import correct_declaration
from aggregator.fetchers.parsing.xml import Element
from aggregator.model.entry import Tag
from aggregator.model.source import Document

_DECLARATION = re.compile(rb"<\?xml[^>]*?>")
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*+=\s*+['"]([^'">]*)['"]""")
_FIRST_ELEMENT = re.compile(rb"<\w")
_DOCTYPE = re.compile(rb"<!(?:doctype|entity)", re.IGNORECASE)
_ONE_BYTE = re.compile(r"iso8859-\d+|cp125\d|koi8-[ru]")  # encodings of one byte a character
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_C1 = re.compile("[\x80-\x9f]")
_CP1252 = {code: bytes((code,)).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0xA0)}
_SLASHES = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)/+")
_REFERENCE = re.compile("&([A-Za-z0-9_]+);")
_ADDRESS = re.compile(r"[\w.+-]{1,64}+@[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,8}")


class NotSoundError(ValueError):
    """The document needs the tolerant reader; the message says why, in a few words."""


class _Entry(Struct):
    """What is read of one item, or of the channel: fields by feedparser's names; ``titled`` once it has its title."""

    names: Mapping[str, str | None]
    values: dict[str, Any] = field(default_factory=dict)
    is_atom: bool = False
    is_item: bool = True
    titled: bool = False


class Feed(Struct):
    """The channel as far as the document was read, by its fields and by the XML's own account."""

    channel: _Entry = field(default_factory=lambda: _Entry(_Names(), is_item=False))
    account: Account = field(default_factory=Account)
    parent: Element | None = None
    last: Element | None = None
    is_rdf: bool = False


_Item: TypeAlias = tuple[dict[str, Any], ItemAccount]
_Step: TypeAlias = Callable[[_Entry, Element, str], None]
"""What one element changes: the item or channel, the element, and its text as it stands, stripped."""


class _Names(dict[str, str | None]):
    """The name by which an element is known, by lxml's tag, for the elements of one document."""

    def __missing__(self, tag: str) -> str | None:
        address, _, local = tag.rpartition("}")
        prefix = podcast.prefix_of(address[1:])
        self[tag] = name = None if prefix is None else prefix + local.lower()
        return name


def iterate_items(document: Document, feed: Feed) -> Iterator[_Item]:
    """Yield the items in the feed's order, and fill ``feed`` with what stands before, between and behind them.

    Raises ``NotSoundError``, maybe only behind the last item: then what was yielded does not count.
    """
    body = _utf8(correct_declaration(document.body), document.charset)
    if b"xml:base" in body:
        raise NotSoundError("an address of its own for links")
    root: Element | None = None
    plans: dict[str, _Plan] = {}
    try:
        for found in xml.iterate_sound(body, "{*}item", "{*}entry"):
            if found.getparent() is None:
                root = found
            elif feed.channel.names[str(found.tag)] in {"item", "entry"}:
                _read_before(feed, found)
                yield _read_item(feed, found, plans)
    except NotSoundError:
        raise
    except ValueError as error:
        raise NotSoundError(str(error)) from error
    if root is None:
        raise NotSoundError("no element of a feed")
    _read_after(feed, root)


def _utf8(body: bytes, charset: str | None) -> bytes:
    """Return the document in UTF-8 without its declaration; the encoding by RFC 3023, as feedparser has it."""
    start = len(codecs.BOM_UTF8) if body.startswith(codecs.BOM_UTF8) else 0
    declaration, said = _DECLARATION.match(body, start), _ENCODING.match(body, start)
    named = charset or (said[1].decode("ascii", "replace") if said else "") or "utf-8"
    try:
        encoding = codecs.lookup(named.strip().strip("\"'")).name
    except (LookupError, ValueError):
        raise NotSoundError("an encoding that is unknown") from None
    if encoding not in {"utf-8", "ascii"} and not _ONE_BYTE.fullmatch(encoding):
        raise NotSoundError(f"the encoding {encoding}")
    body = body[declaration.end() if declaration else start :]
    try:
        body = body if encoding == "utf-8" or body.isascii() else body.decode(encoding).encode("utf-8")
    except UnicodeError:
        raise NotSoundError(f"not in {encoding}, as it says") from None
    first = _FIRST_ELEMENT.search(body)
    if first is None or body.startswith(codecs.BOM_UTF8) or _DOCTYPE.search(body, 0, first.start()):
        raise NotSoundError("a document type, or no element")
    return body


def _read_before(feed: Feed, item: Element) -> None:
    """Read what stands between the last item and this one, and drop both."""
    parent = item.getparent()
    if parent is None or (feed.parent is not None and parent is not feed.parent):
        raise NotSoundError("items at several places")
    if feed.parent is None:
        _find_place(feed, parent)
    for child in reversed(list(item.itersiblings(preceding=True))):
        if child is not feed.last:
            _read_beside(feed, child)
        parent.remove(child)
    feed.last = item


def _read_after(feed: Feed, root: Element) -> None:
    """Read what stands behind the last item, or the whole head if there is no item."""
    parent = root
    if feed.channel.names[str(root.tag)] == "rss":
        heads = list(root.iterchildren("*"))
        if len(heads) != 1 or feed.channel.names[str(heads[0].tag)] != "channel":
            raise NotSoundError("an element beside the channel")
        parent = heads[0]
    if feed.parent is None:
        _find_place(feed, parent)
    for child in parent:
        if child is not feed.last:
            _read_beside(feed, child)
    if feed.last is None and not feed.account.channel:
        raise NotSoundError("nothing in it")


def _find_place(feed: Feed, parent: Element) -> None:
    """Note the element that holds the items; raises ``NotSoundError`` if no format has its items there."""
    names, root = feed.channel.names, parent.getroottree().getroot()
    path = (names[str(root.tag)], names[str(parent.tag)])
    if path == ("feed", "feed"):
        feed.channel.is_atom = True
    elif path == ("rdf:rdf", "rdf:rdf"):
        feed.is_rdf = True
    elif path != ("rss", "channel") or parent.getparent() is not root:
        raise NotSoundError("no element of a feed")
    if not feed.is_rdf and (language := root.get(_LANGUAGE, root.get("lang"))):
        feed.channel.values["language"] = language.replace("_", "-")
    feed.parent = parent


def _read_beside(feed: Feed, child: Element) -> None:
    """Read one child of the element that holds the items: of the channel, or of what stands beside it in RSS 1.0."""
    if not isinstance(child.tag, str):
        return
    if feed.is_rdf and feed.channel.names[child.tag] == "channel":
        for inner in child.iterchildren("*"):
            _read_channel_element(feed, inner)
    elif not feed.is_rdf:
        _read_channel_element(feed, child)


def _read_channel_element(feed: Feed, child: Element) -> None:
    name = feed.channel.names[str(child.tag)]
    if name in _CHANNEL_STEPS:
        _CHANNEL_STEPS[name](feed.channel, child, "")
    elif name is not None and (step := _STEPS.get(name)):
        _take_step(step, feed.channel, child)
    podcast.add_channel_element(feed.account, child)
    if name in SKIPS:
        for inner in child.iterchildren("*"):
            local = xml.get_name(inner)[1]
            if local in feed.account.skipped:
                feed.account.skipped[local].append(xml.get_text(inner).strip())


_Plan: TypeAlias = tuple[_Step | None, str | None, bool]
"""What is done with an element of an item: a step, its name among the texts, and whether it is a ``podcast:`` tag."""


def _read_item(feed: Feed, element: Element, plans: dict[str, _Plan]) -> _Item:
    entry = _Entry(feed.channel.names, is_atom=feed.channel.is_atom)
    texts: dict[str, str] = {}
    tags: list[Tag] = []
    if about := element.get(_ABOUT):
        entry.values["id"] = about
    for child in element:
        step, key, is_podcast = plans.get(child.tag) or plans.setdefault(child.tag, _plan_element(entry, child))
        if is_podcast:
            tags.append(podcast.make_tag(child))
            continue
        said = child.text.strip() if child.text else ""
        if len(child):
            if key is not None and key.startswith("itunes:"):
                texts.setdefault(key, xml.get_text(child).strip())
            if step is not None:
                _take_step(step, entry, child)
            continue
        if key is not None and key not in texts:
            texts[key] = said
        if step is not None:
            step(entry, child, said)
    return entry.values, ItemAccount(texts, tuple(tags))


def _plan_element(entry: _Entry, child: Element) -> _Plan:
    if not isinstance(child.tag, str):  # a comment
        return None, None, False
    namespace, local = xml.get_name(child)
    name = entry.names[str(child.tag)]
    if name in {"item", "entry"}:
        raise NotSoundError("an item inside of an item")
    prefix = podcast.text_prefix(namespace)
    key = None if prefix is None else prefix + local
    return _STEPS.get(name) if name else None, key, podcast.is_podcast(namespace)


def _take_step(step: _Step, entry: _Entry, element: Element) -> None:
    """Take a step; raises ``NotSoundError`` for an element that holds more than its text."""
    if len(element) and step not in _HOLDERS:
        raise NotSoundError(f'markup or a comment inside of "{xml.get_name(element)[1]}"')
    step(entry, element, (element.text or "").strip())


def _repair_latin1(text: str) -> str:
    """Return the text with UTF-8 read as Latin-1 and the controls of Windows Latin made right."""
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("latin-1").decode("utf-8")
    return text.translate(_CP1252) if _C1.search(text) else text


def _own_text(element: Element) -> str:
    return _repair_latin1((element.text or "").strip())


def _read_typed(element: Element, said: str, otherwise: str) -> tuple[str, str]:
    """Return an Atom text and whether it is text/plain or text/html; raises ``NotSoundError`` for other types."""
    if not element.attrib:
        return _repair_latin1(said), otherwise
    about = _attributes(element)
    kind = about.get("type", otherwise).lower()
    kind = {"text": "text/plain", "plain": "text/plain", "html": "text/html"}.get(kind, kind)
    if kind not in {"text/plain", "text/html"} or about.get("mode") == "base64":
        raise NotSoundError(f"a text of the type {kind}")
    return _repair_latin1(said), kind


def _attributes(element: Element) -> dict[str, str]:
    """Return the attributes by their local names in lower case; those without a namespace count before others."""
    found: dict[str, str] = {}
    if element.attrib:
        for name, value in element.items():
            space, _, local = str(name).rpartition("}")
            if not space:
                found[local.lower()] = str(value)
            elif podcast.prefix_of(space[1:]) is None:
                found.setdefault(local.lower(), str(value))
    return found


def _address(text: str) -> str:
    return _SLASHES.sub(r"\1", text) if ":///" in text else text


def _keep(key: str, *, typed: bool = False) -> _Step:
    """Return the step that keeps an element's text under the key."""

    def keep(entry: _Entry, element: Element, said: str) -> None:
        entry.values[key] = _read_typed(element, said, "text/plain")[0] if typed else _repair_latin1(said)

    return keep


def _title(entry: _Entry, element: Element, said: str) -> None:
    """Keep the first title that is not empty, and of an Atom one its type."""
    value, kind = _read_typed(element, said, "text/plain")
    if not entry.titled:
        entry.values["title"] = value
        if xml.get_name(element)[0] == "http://www.w3.org/2005/atom":
            entry.values["title_detail"] = {"type": kind}
        entry.titled = bool(value)


def _media_title(entry: _Entry, element: Element, said: str) -> None:
    """Keep a title that gives way to the item's own."""
    value = _read_typed(element, said, "text/plain")[0]
    if not entry.titled:
        entry.values["title"] = value


def _summary(entry: _Entry, element: Element, said: str) -> None:
    """Keep the first description or summary of an item that is not empty, the last of a channel."""
    value, values = _read_typed(element, said, "text/html")[0], entry.values
    if entry.is_item:
        values["summary"] = values.get("summary") or value
    else:
        values["subtitle" if (entry.names[str(element.tag)] or "").endswith("description") else "summary"] = value


def _content(entry: _Entry, element: Element, said: str) -> None:
    """Keep Atom's content; without a type it is plain in Atom, and HTML where RSS has it."""
    if element.get("src") is not None and not element.text:
        return
    value, kind = _read_typed(element, said, "text/plain" if entry.is_atom else "text/html")
    entry.values.setdefault("content", []).append({"type": kind, "value": value})


def _link(entry: _Entry, element: Element, said: str) -> None:
    """Keep a link by its attribute or as text; an alternate one to a page is also the item's own address."""
    value, about = _repair_latin1(said), _attributes(element)
    about["rel"] = about.get("rel", "alternate").lower()
    about["type"] = about.get("type", "application/atom+xml" if about["rel"] == "self" else "text/html").lower()
    entry.values.setdefault("links", []).append(about)
    href = about.get("url") or about.get("uri") or about.get("href")
    if href:
        about["href"] = _address(href)
        if about["rel"] == "alternate" and about["type"] in {"text/html", "html", "application/xhtml+xml", "xhtml"}:
            entry.values["link"] = about["href"]
        return
    value = _address(value.replace("&amp;", "&") if entry.is_item else value)
    entry.values["link"] = about["href"] = _REFERENCE.sub(r"&\1", value) if "&" in value else value


def _guid(entry: _Entry, element: Element, said: str) -> None:
    """Keep an id, which is also the link unless there is one or it says that it is none."""
    value = _repair_latin1(said)
    is_link = not element.attrib or _attributes(element).get("ispermalink", "true").lower() == "true"
    entry.values["id"] = value = _address(value) if is_link else value
    entry.values.setdefault("guidislink", is_link and "link" not in entry.values)
    if is_link:
        entry.values.setdefault("link", value)


def _author(entry: _Entry, element: Element, said: str) -> None:
    """Keep a person: the last that is given in parts, else the first that is given as one text."""
    values = entry.values
    parts = {
        (entry.names[str(child.tag)] or "").rpartition(":")[2]: _own_text(child) for child in element.iterchildren("*")
    }
    detail = {name: parts[name] for name in ("name", "email") if parts.get(name)}
    if detail:
        values.setdefault("author_detail", {}).update(detail)
        named, email = detail.get("name"), detail.get("email")
        values["author"] = f"{named} ({email})" if named and email else named or email
        return
    text = _repair_latin1(said)
    values["author"] = text
    found = _ADDRESS.search(text) if "@" in text else None
    name = text.replace(found[0], "") if found else text
    for debris in ("()", "<>", "&lt;&gt;"):
        name = name.replace(debris, "")
    name = name.strip().removeprefix("(").removesuffix(")").strip() if found else name
    detail = {"name": name, "email": found[0]} if found else {"name": name}
    if text:
        values.setdefault("author_detail", {key: value for key, value in detail.items() if value})


def _category(entry: _Entry, element: Element, said: str) -> None:
    """Keep a category by its attributes, its text, or both."""
    text, about = _repair_latin1(said), _attributes(element)
    known = entry.values.setdefault("tags", [])
    if about.get("term") or about.get("label"):
        known.append({"term": about.get("term") or text, "label": about.get("label")})
    if text and about.get("term") != text:
        known.append({"term": text})


def _itunes_category(entry: _Entry, element: Element, _: str) -> None:
    """Keep a category of Apple's and those inside of it."""
    for one in element.iter(element.tag):
        if text := str(one.get("text") or ""):
            entry.values.setdefault("tags", []).append({"term": text})


def _keywords(entry: _Entry, _: Element, said: str) -> None:
    """Keep words that are divided by commas."""
    words = [{"term": word.strip()} for word in _repair_latin1(said).split(",") if word.strip()]
    entry.values.setdefault("tags", []).extend(words)


def _enclosure(entry: _Entry, element: Element, _: str) -> None:
    about = _attributes(element)
    if href := about.get("url") or about.get("uri") or about.get("href"):
        about["href"] = href
    if kind := about.get("type"):
        about["type"] = kind.lower()
    about["rel"] = "enclosure"
    entry.values.setdefault("links", []).append(about)


def _media_content(entry: _Entry, element: Element, _: str) -> None:
    about = _attributes(element)
    if kind := about.get("type"):
        about["type"] = kind.lower()
    entry.values.setdefault("media_content", []).append(about)
    _group(entry, element, "")


def _group(entry: _Entry, element: Element, _: str) -> None:
    """Read what stands inside of an element that only holds others together."""
    for child in element.iterchildren("*"):
        name = entry.names[str(child.tag)]
        if name is not None and name.startswith(("media:", "yt:")) and (step := _STEPS.get(name)):
            _take_step(step, entry, child)


def _thumbnail(entry: _Entry, element: Element, said: str) -> None:
    about = _attributes(element)
    if value := _address(_repair_latin1(said)):
        about.setdefault("url", value)
    entry.values.setdefault("media_thumbnail", []).append(about)


def _image(entry: _Entry, element: Element, _: str) -> None:
    about = _attributes(element)
    if href := about.get("href") or about.get("url"):
        entry.values["image"] = {"href": href}


def _markup(_entry: _Entry, element: Element, _said: str) -> None:
    raise NotSoundError(f'the text as markup in "{xml.get_name(element)[1]}"')


def _table(*rows: tuple[str, _Step]) -> dict[str, _Step]:
    return {name: step for names, step in rows for name in names.split()}


_STEPS: Mapping[str, _Step] = _table(
    ("title dc:title", _title),
    ("media:title", _media_title),
    ("description dc:description media:description summary itunes:summary", _summary),
    ("content", _content),
    ("subtitle tagline itunes:subtitle", _keep("subtitle", typed=True)),
    ("link", _link),
    ("guid id", _guid),
    ("published issued pubdate dcterms:issued", _keep("published")),
    ("updated modified lastbuilddate dc:date dcterms:modified", _keep("updated")),
    ("created dcterms:created", _keep("created")),
    ("language dc:language", _keep("language")),
    ("rights copyright dc:rights", _keep("rights", typed=True)),
    ("author managingeditor dc:creator dc:author itunes:author", _author),
    ("category dc:subject media:category", _category),
    ("itunes:category", _itunes_category),
    ("keywords itunes:keywords media:keywords tags", _keywords),
    ("enclosure", _enclosure),
    ("media:content", _media_content),
    ("media:group", _group),
    ("media:thumbnail", _thumbnail),
    ("itunes:image itunes:link", _image),
    ("body fullitem xhtml:body", _markup),
    ("feedburner:origlink", _keep("feedburner_origlink")),
    ("yt:videoid", _keep("yt_videoid")),
    ("itunes:duration", _keep("itunes_duration")),
    ("itunes:season", _keep("itunes_season")),
    ("itunes:episode", _keep("itunes_episode")),
    ("itunes:episodetype", _keep("itunes_episodetype")),
    ("itunes:type", _keep("itunes_type")),
    ("itunes:new-feed-url", _keep("itunes_new-feed-url")),
)


def _picture(entry: _Entry, element: Element, _: str) -> None:
    """Keep the address of RSS's own image."""
    for child in element.iterchildren("*"):
        if xml.get_name(child)[1].lower() == "url":
            entry.values["image"] = {"href": _address(_own_text(child))}


def _owner(entry: _Entry, element: Element, _: str) -> None:
    """Keep the owner's name, for a show that names no author."""
    names = [_own_text(child) for child in element.iterchildren("*") if xml.get_name(child)[1].lower() == "name"]
    entry.values["owner"] = names[-1] if names else None


_CHANNEL_STEPS: Mapping[str | None, _Step] = {"image": _picture, "itunes:owner": _owner}
_HOLDERS = frozenset({_author, _itunes_category, _media_content, _group, _markup})  # may have elements inside
